#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "gradient_problem.hpp"

/// The layer's gradients as a plain program computes them, all in numbers of one type: of float it
/// tells how exact float32 is without any care, of double what is exact.
namespace headwise::test {

/// Σ x[i] · y[i], one after the other.
template <typename Float>
Float dot(std::size_t count, const Float* x, const Float* y) {
  Float sum{};
  for (std::size_t i = 0; i < count; ++i) {
    sum += x[i] * y[i];
  }
  return sum;
}

template <typename Float>
class PlainLayer {
 public:
  using Matrix = xt::xtensor<Float, 2>;
  using Batch = xt::xtensor<Float, 3>;

  explicit PlainLayer(const reference::GradientProblem& problem)
      : problem_(problem),
        masks_(reference::masks_of(problem.options, 0, false)),
        heads_(static_cast<std::size_t>(problem.layer.num_heads)),
        kv_heads_(
            static_cast<std::size_t>(problem.layer.num_kv_heads.value_or(problem.layer.num_heads))),
        softcap_(static_cast<Float>(problem.layer.softcap)) {}

  NamedGradients gradients() {
    const Batch X_q = problem_.queries;
    const Batch X_k = problem_.keys;
    const Batch X_v = problem_.values;
    Q_ = project("W_q", X_q);
    K_ = project("W_k", X_k);
    V_ = project("W_v", X_v);
    scale_ = static_cast<Float>(
        problem_.layer.scale.value_or(1 / std::sqrt(static_cast<double>(Q_.shape(2) / heads_))));
    pooled_ = Batch::from_shape(Q_.shape());
    Batch gated = pooled_;
    weights_ = xt::xtensor<Float, 4>::from_shape({Q_.shape(0), heads_, Q_.shape(1), K_.shape(1)});
    capped_ = weights_;
    each_row([&](const Row& row) { pool(row, gated); });
    const Batch dY = problem_.grad_output;
    dO_ = project_backward("W_o", gated, dY);
    dQ_ = Batch(Q_.shape(), Float{});
    dK_ = Batch(K_.shape(), Float{});
    dV_ = Batch(V_.shape(), Float{});
    Matrix of_gate(std::array{Q_.shape(0), heads_}, Float{});
    each_row([&](const Row& row) { go_back(row, of_gate); });
    keep("head_gate", of_gate);
    keep("queries", project_backward("W_q", X_q, dQ_));
    keep("keys", project_backward("W_k", X_k, dK_));
    keep("values", project_backward("W_v", X_v, dV_));
    return result_;
  }

 private:
  void keep(const std::string& name, const auto& tensor) {
    result_[name] = std::vector<double>(tensor.begin(), tensor.end());
  }

  void each_row(const auto& work) {
    for (std::size_t b = 0; b < Q_.shape(0); ++b) {
      for (std::size_t h = 0; h < heads_; ++h) {
        for (std::size_t i = 0; i < Q_.shape(1); ++i) {
          work(row_of(b, h, i));
        }
      }
    }
  }

  /// Elements of one position, without the checks that take most of the time in a build with
  /// sanitizers.
  static auto* at(auto& tensor, std::size_t b, std::size_t i) {
    return tensor.data() + (b * tensor.shape(1) + i) * tensor.shape(2);
  }

  /// x Wᵀ + b
  Batch project(const std::string& name, const Batch& x) const {
    const Matrix W = problem_.parameters.at(name + ".weight");
    const std::size_t in = W.shape(1);
    const auto bias = problem_.parameters.find(name + ".bias");
    Batch y(std::array{x.shape(0), x.shape(1), W.shape(0)});
    for (std::size_t row = 0; row < x.shape(0) * x.shape(1); ++row) {
      for (std::size_t o = 0; o < W.shape(0); ++o) {
        Float& sum = y.data()[row * W.shape(0) + o];
        sum = dot(in, W.data() + o * in, x.data() + row * in);
        if (bias != problem_.parameters.end()) {
          sum += static_cast<Float>(bias->second(o));
        }
      }
    }
    return y;
  }

  /// The gradient of x from that of x Wᵀ + b; keeps those of W and b.
  Batch project_backward(const std::string& name, const Batch& x, const Batch& dy) {
    const Matrix W = problem_.parameters.at(name + ".weight");
    const auto [out, in] = W.shape();
    const std::size_t rows = x.shape(0) * x.shape(1);
    Matrix dW(W.shape(), Float{});
    Batch dx(x.shape(), Float{});
    std::vector<Float> db(out);
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t o = 0; o < out; ++o) {
        const Float gradient = dy.data()[row * out + o];
        db[o] += gradient;
        for (std::size_t e = 0; e < in; ++e) {
          dW.data()[o * in + e] += gradient * x.data()[row * in + e];
          dx.data()[row * in + e] += gradient * W.data()[o * in + e];
        }
      }
    }
    keep(name + ".weight", dW);
    if (problem_.parameters.contains(name + ".bias")) {
      keep(name + ".bias", db);
    }
    return dx;
  }

  std::size_t head_size() const { return Q_.shape(2) / heads_; }

  /// What one query of one head reads and writes: its row among scores, and where its features and
  /// those of its keys and values begin.
  struct Row {
    std::size_t b, h, i;
    std::size_t scores, query, key;
  };

  Row row_of(std::size_t b, std::size_t h, std::size_t i) const {
    return {.b = b,
            .h = h,
            .i = i,
            .scores = ((b * heads_ + h) * Q_.shape(1) + i) * K_.shape(1),
            .query = h * head_size(),
            .key = h / (heads_ / kv_heads_) * head_size()};
  }

  Float gate(const Row& row) const {
    return static_cast<Float>(reference::gate_of(problem_.options.head_gate, row.b, row.h));
  }

  Float dropout_factor(const Row& row, std::size_t j) const {
    return static_cast<Float>(problem_.dropout_factors.data()[row.scores + j]);
  }

  void pool(const Row& row, Batch& gated) {
    const std::size_t keys = K_.shape(1);
    const Float* q = at(Q_, row.b, row.i) + row.query;
    Float* weights = weights_.data() + row.scores;
    Float* capped = capped_.data() + row.scores;
    Float largest = -std::numeric_limits<Float>::infinity();
    for (std::size_t j = 0; j < keys; ++j) {
      const Float score = scale_ * dot(head_size(), q, at(K_, row.b, j) + row.key);
      capped[j] = softcap_ > 0 ? softcap_ * std::tanh(score / softcap_) : score;
      const bool is_visible =
          reference::is_visible(masks_, Q_.shape(1), keys, row.b, row.h, row.i, j);
      weights[j] = is_visible ? capped[j] : -std::numeric_limits<Float>::infinity();
      largest = std::max(largest, weights[j]);
    }
    Float sum = 0;
    for (std::size_t j = 0; j < keys; ++j) {
      weights[j] = std::isfinite(weights[j]) ? std::exp(weights[j] - largest) : Float{};
      sum += weights[j];
    }
    Float* pooled = at(pooled_, row.b, row.i) + row.query;
    std::fill_n(pooled, head_size(), Float{});
    for (std::size_t j = 0; sum > 0 && j < keys; ++j) {
      weights[j] /= sum;
      const Float* v = at(V_, row.b, j) + row.key;
      for (std::size_t e = 0; e < head_size(); ++e) {
        pooled[e] += weights[j] * dropout_factor(row, j) * v[e];
      }
    }
    for (std::size_t e = 0; e < head_size(); ++e) {
      at(gated, row.b, row.i)[row.query + e] = gate(row) * pooled[e];
    }
  }

  void go_back(const Row& row, Matrix& of_gate) {
    const std::size_t keys = K_.shape(1);
    const Float* weights = weights_.data() + row.scores;
    const Float* dO = at(dO_, row.b, row.i) + row.query;
    of_gate(row.b, row.h) += dot(head_size(), dO, at(pooled_, row.b, row.i) + row.query);
    std::vector<Float> gradients(keys);
    for (std::size_t j = 0; j < keys; ++j) {
      const Float of_value = gate(row) * dot(head_size(), dO, at(V_, row.b, j) + row.key);
      gradients[j] = dropout_factor(row, j) * of_value;
    }
    const Float mean = dot(keys, weights, gradients.data());
    const Float* q = at(Q_, row.b, row.i) + row.query;
    Float* dq = at(dQ_, row.b, row.i) + row.query;
    for (std::size_t j = 0; j < keys; ++j) {
      Float of_score = weights[j] * (gradients[j] - mean);
      if (softcap_ > 0) {
        const Float tangent = capped_.data()[row.scores + j] / softcap_;
        of_score *= 1 - tangent * tangent;
      }
      const Float* k = at(K_, row.b, j) + row.key;
      Float* dk = at(dK_, row.b, j) + row.key;
      Float* dv = at(dV_, row.b, j) + row.key;
      for (std::size_t e = 0; e < head_size(); ++e) {
        dq[e] += scale_ * of_score * k[e];
        dk[e] += scale_ * of_score * q[e];
        dv[e] += weights[j] * dropout_factor(row, j) * gate(row) * dO[e];
      }
    }
  }

  const reference::GradientProblem& problem_;
  reference::Masks masks_;
  std::size_t heads_;
  std::size_t kv_heads_;
  Float softcap_;
  Float scale_ = 1;
  Batch Q_, K_, V_, pooled_, dO_, dQ_, dK_, dV_;
  xt::xtensor<Float, 4> capped_, weights_;
  NamedGradients result_;
};

/// Of dot products with linear projections, without extra slots and with empty rows zero.
template <typename Float>
NamedGradients plain_gradients(const reference::GradientProblem& problem) {
  return PlainLayer<Float>(problem).gradients();
}

}  // namespace headwise::test
