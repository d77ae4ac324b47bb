#include <algorithm>
#include <cmath>
#include <utility>

#include "attention_reference.hpp"

namespace headwise::test::reference {
namespace {

Doubles<4> zeros_like(const Doubles<4>& tensor) { return Doubles<4>(tensor.shape(), 0.0); }

class Backward {
 public:
  /// `problem` and `terms` differ for magnitudes only: the weights are those of `problem`.
  Backward(const GradientProblem& problem, const GradientProblem& terms, bool magnitudes)
      : terms_(terms),
        magnitudes_(magnitudes),
        positions_(positions_of(terms.options, terms.queries.shape(0), terms.queries.shape(1),
                                terms.keys.shape(1), 0)),
        heads_(project_heads(terms.layer, terms.parameters, terms.queries, terms.keys, terms.values,
                             positions_, magnitudes)) {
    const Heads heads = project_heads(problem.layer, problem.parameters, problem.queries,
                                      problem.keys, problem.values, positions_);
    scores_ = scores_of(problem.layer, problem.parameters, heads);
    pooling_ = {.masks = masks_of(problem.options, 0, false),
                .softcap = problem.layer.softcap,
                .num_extra_slots = heads.K.shape(2) - problem.keys.shape(1),
                .dropout_factors = problem.dropout_factors};
    Pooled pooled = pool(scores_, heads_.V, pooling_);
    weights_ = std::move(pooled.weights);
    pooled_ = std::move(pooled.output);
    dQ_ = zeros_like(heads_.Q);
    dK_ = zeros_like(heads_.K);
    dV_ = zeros_like(heads_.V);
    for (const auto& [name, parameter] : terms.parameters) {
      result_.parameters[name] = xt::zeros<double>(parameter.shape());
    }
  }

  Gradients run() {
    const auto [batch, heads, queries, size] = pooled_.shape();
    const Doubles<4> gates = gate_factors(terms_.options.head_gate, batch, heads);
    const Doubles<4> gated = pooled_ * gates;
    dO_ = split(project_backward("W_o", join(gated, queries), terms_.grad_output), heads);
    const Doubles<4> of_gates = dO_ * pooled_;
    result_.head_gate = xt::sum(of_gates, {2, 3});
    dO_ *= gates;
    for (std::size_t row = 0; row < batch * heads * queries; ++row) {
      query(row / queries / heads, row / queries % heads, row % queries);
    }
    const std::size_t keys = terms_.keys.shape(1);
    if (terms_.layer.bias_kv) {
      slot("bias_k", dK_);
      slot("bias_v", dV_);
    }
    const auto rotated_back = [&](const Doubles<4>& gradient, const Doubles<2>& positions) {
      return rotated(gradient, terms_.layer.rotary, positions, true, magnitudes_);
    };
    result_.queries = project_backward("W_q", terms_.queries,
                                       join(rotated_back(dQ_, positions_.queries), queries));
    result_.keys = project_backward(
        "W_k", terms_.keys, join(rotated_back(without_slots(dK_, keys), positions_.keys), keys));
    result_.values = project_backward("W_v", terms_.values, join(dV_, keys));
    return result_;
  }

 private:
  double dropout_factor(std::size_t b, std::size_t h, std::size_t i, std::size_t j) const {
    return pooling_.dropout_factors.size() > 0 ? pooling_.dropout_factors(b, h, i, j) : 1;
  }

  std::size_t kv_head(std::size_t head) const {
    return head / (heads_.Q.shape(1) / heads_.K.shape(1));
  }

  /// Whether no key is left, so that weights do not depend on scores.
  bool is_empty(std::size_t b, std::size_t h, std::size_t i) const {
    const std::size_t keys = terms_.keys.shape(1);
    if (pooling_.num_extra_slots > 0) {
      return false;
    }
    for (std::size_t j = 0; j < keys; ++j) {
      if (is_visible(pooling_.masks, heads_.Q.shape(2), keys, b, h, i, j)) {
        return false;
      }
    }
    return true;
  }

  void query(std::size_t b, std::size_t h, std::size_t i) {
    const std::size_t columns = heads_.K.shape(2);
    const std::size_t size = heads_.V.shape(3);
    const std::size_t g = kv_head(h);
    double mean = 0;
    for (std::size_t e = 0; e < size; ++e) {
      mean += dO_(b, h, i, e) * pooled_(b, h, i, e);
    }
    for (std::size_t j = 0; j < columns; ++j) {
      const double weight = weights_(b, h, i, j);
      const double factor = dropout_factor(b, h, i, j);
      double of_weight = 0;
      for (std::size_t e = 0; e < size; ++e) {
        of_weight += factor * dO_(b, h, i, e) * heads_.V(b, g, j, e);
        if (weight != 0 && factor != 0) {
          dV_(b, g, j, e) += weight * factor * dO_(b, h, i, e);
        }
      }
      double of_score = weight * (magnitudes_ ? of_weight + mean : of_weight - mean);
      if (pooling_.softcap > 0) {
        const double tangent = std::tanh(scores_(b, h, i, j) / pooling_.softcap);
        of_score *= magnitudes_ ? 1 + tangent * tangent : 1 - tangent * tangent;
      }
      if (weight != 0 && of_score != 0 && !is_empty(b, h, i)) {
        score(b, h, i, j, of_score);
      }
    }
  }

  void score(std::size_t b, std::size_t h, std::size_t i, std::size_t j, double of_score) {
    const std::size_t g = kv_head(h);
    const std::size_t size = heads_.Q.shape(3);
    if (terms_.layer.pooling == headwise::Pooling::additive) {
      additive_score(b, h, i, j, of_score);
      return;
    }
    double scale = terms_.layer.scale.value_or(1 / std::sqrt(static_cast<double>(size)));
    scale = magnitudes_ ? std::abs(scale) : scale;
    for (std::size_t e = 0; e < size; ++e) {
      dQ_(b, h, i, e) += scale * of_score * heads_.K(b, g, j, e);
      dK_(b, g, j, e) += scale * of_score * heads_.Q(b, h, i, e);
    }
  }

  void additive_score(std::size_t b, std::size_t h, std::size_t i, std::size_t j, double of_score) {
    const std::size_t g = kv_head(h);
    const Doubles<2> W_q = terms_.parameters.at("attention.W_q.weight");
    const Doubles<2> W_k = terms_.parameters.at("attention.W_k.weight");
    const Doubles<2> w_v = terms_.parameters.at("attention.w_v.weight");
    const std::size_t size = heads_.Q.shape(3);
    for (std::size_t u = 0; u < w_v.size(); ++u) {
      double sum = 0;
      for (std::size_t e = 0; e < size; ++e) {
        sum += W_q(u, e) * heads_.Q(b, h, i, e) + W_k(u, e) * heads_.K(b, g, j, e);
      }
      const double tangent = magnitudes_ ? 1 : std::tanh(sum);
      const double slope = magnitudes_ ? 1 : 1 - tangent * tangent;
      const double of_sum = of_score * w_v(0, u) * slope;
      result_.parameters["attention.w_v.weight"](0, u) += of_score * tangent;
      for (std::size_t e = 0; e < size; ++e) {
        dQ_(b, h, i, e) += of_sum * W_q(u, e);
        dK_(b, g, j, e) += of_sum * W_k(u, e);
        if (of_sum != 0) {
          result_.parameters["attention.W_q.weight"](u, e) += of_sum * heads_.Q(b, h, i, e);
          result_.parameters["attention.W_k.weight"](u, e) += of_sum * heads_.K(b, g, j, e);
        }
      }
    }
  }

  /// The gradient of the slot after the keys.
  void slot(const std::string& name, const Doubles<4>& gradient) {
    const Doubles<2> sums =
        xt::sum(xt::view(gradient, xt::all(), xt::all(), terms_.keys.shape(1)), {0});
    std::copy(sums.begin(), sums.end(), result_.parameters[name].begin());
  }

  /// The gradient of x from that of x Wᵀ + b, or that itself where there is no such weight.
  Doubles<3> project_backward(const std::string& name, const Doubles<3>& x, const Doubles<3>& dy) {
    const auto found = terms_.parameters.find(name + ".weight");
    if (found == terms_.parameters.end()) {
      return dy;
    }
    const xt::xarray<float>& W = found->second;
    const std::size_t out = W.shape(0);
    const std::size_t in = W.shape(1);
    const std::size_t groups = x.shape(2) / in;
    Doubles<3> dx(x.shape(), 0.0);
    for (std::size_t b = 0; b < x.shape(0); ++b) {
      for (std::size_t i = 0; i < x.shape(1); ++i) {
        bool is_zero = true;
        for (std::size_t o = 0; o < out; ++o) {
          is_zero = is_zero && dy(b, i, o) == 0;
        }
        for (std::size_t o = 0; !is_zero && o < out; ++o) {
          const std::size_t first = o / (out / groups) * in;
          for (std::size_t e = 0; e < in; ++e) {
            dx(b, i, first + e) += static_cast<double>(W.data()[o * in + e]) * dy(b, i, o);
            result_.parameters[name + ".weight"].flat(o * in + e) +=
                dy(b, i, o) * x(b, i, first + e);
          }
          if (terms_.parameters.contains(name + ".bias")) {
            result_.parameters[name + ".bias"](o) += dy(b, i, o);
          }
        }
      }
    }
    return dx;
  }

  const GradientProblem& terms_;
  bool magnitudes_;
  HeadPositions positions_;
  Heads heads_;
  Pooling pooling_;
  Doubles<4> scores_, weights_, pooled_;
  Doubles<4> dO_, dQ_, dK_, dV_;
  Gradients result_;
};

}  // namespace

Gradients gradients(const GradientProblem& problem) {
  return Backward(problem, problem, false).run();
}

Gradients gradient_magnitudes(const GradientProblem& problem, const GradientProblem& magnitude) {
  return Backward(problem, magnitude, true).run();
}

}  // namespace headwise::test::reference
