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

/// Σ term(i), one after the other.
template <typename Float, typename Term>
Float sum_of(std::size_t count, const Term& term) {
  Float sum{};
  for (std::size_t i = 0; i < count; ++i) {
    sum += term(i);
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
    each_row([&](std::size_t b, std::size_t h, std::size_t i) { pool(b, h, i, gated); });
    const Batch dY = problem_.grad_output;
    dO_ = project_backward("W_o", gated, dY);
    dQ_ = Batch(Q_.shape(), Float{});
    dK_ = Batch(K_.shape(), Float{});
    dV_ = Batch(V_.shape(), Float{});
    Matrix of_gate(std::array{Q_.shape(0), heads_}, Float{});
    each_row([&](std::size_t b, std::size_t h, std::size_t i) { go_back(b, h, i, of_gate); });
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

  template <typename Row>
  void each_row(const Row& row) {
    for (std::size_t b = 0; b < Q_.shape(0); ++b) {
      for (std::size_t h = 0; h < heads_; ++h) {
        for (std::size_t i = 0; i < Q_.shape(1); ++i) {
          row(b, h, i);
        }
      }
    }
  }

  /// x Wᵀ + b
  Batch project(const std::string& name, const Batch& x) const {
    const Matrix W = problem_.parameters.at(name + ".weight");
    const auto bias = problem_.parameters.find(name + ".bias");
    Batch y(std::array{x.shape(0), x.shape(1), W.shape(0)});
    for (std::size_t b = 0; b < y.shape(0); ++b) {
      for (std::size_t i = 0; i < y.shape(1); ++i) {
        for (std::size_t o = 0; o < y.shape(2); ++o) {
          y(b, i, o) =
              sum_of<Float>(W.shape(1), [&](std::size_t e) { return W(o, e) * x(b, i, e); });
          if (bias != problem_.parameters.end()) {
            y(b, i, o) += static_cast<Float>(bias->second(o));
          }
        }
      }
    }
    return y;
  }

  /// The gradient of x from that of x Wᵀ + b; keeps those of W and b.
  Batch project_backward(const std::string& name, const Batch& x, const Batch& dy) {
    const Matrix W = problem_.parameters.at(name + ".weight");
    const std::size_t length = x.shape(1);
    const std::size_t rows = x.shape(0) * length;
    Matrix dW(W.shape());
    std::vector<Float> db(W.shape(0));
    for (std::size_t o = 0; o < W.shape(0); ++o) {
      const auto dy_of = [&](std::size_t row) { return dy(row / length, row % length, o); };
      db[o] = sum_of<Float>(rows, dy_of);
      for (std::size_t e = 0; e < W.shape(1); ++e) {
        dW(o, e) = sum_of<Float>(
            rows, [&](std::size_t row) { return dy_of(row) * x(row / length, row % length, e); });
      }
    }
    keep(name + ".weight", dW);
    if (problem_.parameters.contains(name + ".bias")) {
      keep(name + ".bias", db);
    }
    Batch dx(x.shape());
    for (std::size_t b = 0; b < x.shape(0); ++b) {
      for (std::size_t i = 0; i < length; ++i) {
        for (std::size_t e = 0; e < x.shape(2); ++e) {
          dx(b, i, e) =
              sum_of<Float>(W.shape(0), [&](std::size_t o) { return dy(b, i, o) * W(o, e); });
        }
      }
    }
    return dx;
  }

  std::size_t head_size() const { return Q_.shape(2) / heads_; }
  /// Where the features of a query head's keys and values begin.
  std::size_t first_of_kv(std::size_t h) const { return h / (heads_ / kv_heads_) * head_size(); }

  Float gate(std::size_t b, std::size_t h) const {
    return static_cast<Float>(reference::gate_of(problem_.options.head_gate, b, h));
  }

  Float dropout_factor(std::size_t b, std::size_t h, std::size_t i, std::size_t j) const {
    return static_cast<Float>(problem_.dropout_factors(b, h, i, j));
  }

  Float weight_of_value(std::size_t b, std::size_t h, std::size_t i, std::size_t j) const {
    return weights_(b, h, i, j) * dropout_factor(b, h, i, j);
  }

  bool sees(std::size_t b, std::size_t h, std::size_t i, std::size_t j) const {
    return reference::sees(masks_, Q_.shape(1), K_.shape(1), b, h, i, j);
  }

  void pool(std::size_t b, std::size_t h, std::size_t i, Batch& gated) {
    const std::size_t keys = K_.shape(1);
    const std::size_t query = h * head_size();
    const std::size_t key = first_of_kv(h);
    Float largest = -std::numeric_limits<Float>::infinity();
    for (std::size_t j = 0; j < keys; ++j) {
      const Float score = scale_ * sum_of<Float>(head_size(), [&](std::size_t e) {
                            return Q_(b, i, query + e) * K_(b, j, key + e);
                          });
      capped_(b, h, i, j) = softcap_ > 0 ? softcap_ * std::tanh(score / softcap_) : score;
      if (sees(b, h, i, j)) {
        largest = std::max(largest, capped_(b, h, i, j));
      }
    }
    for (std::size_t j = 0; j < keys; ++j) {
      weights_(b, h, i, j) = sees(b, h, i, j) ? std::exp(capped_(b, h, i, j) - largest) : Float{};
    }
    const Float sum = sum_of<Float>(keys, [&](std::size_t j) { return weights_(b, h, i, j); });
    for (std::size_t j = 0; sum > 0 && j < keys; ++j) {
      weights_(b, h, i, j) /= sum;
    }
    for (std::size_t e = 0; e < head_size(); ++e) {
      pooled_(b, i, query + e) = sum_of<Float>(
          keys, [&](std::size_t j) { return weight_of_value(b, h, i, j) * V_(b, j, key + e); });
      gated(b, i, query + e) = gate(b, h) * pooled_(b, i, query + e);
    }
  }

  void go_back(std::size_t b, std::size_t h, std::size_t i, Matrix& of_gate) {
    const std::size_t keys = K_.shape(1);
    const std::size_t query = h * head_size();
    const std::size_t key = first_of_kv(h);
    of_gate(b, h) += sum_of<Float>(head_size(), [&](std::size_t e) {
      return dO_(b, i, query + e) * pooled_(b, i, query + e);
    });
    std::vector<Float> row(keys);
    for (std::size_t j = 0; j < keys; ++j) {
      const Float of_value = sum_of<Float>(head_size(), [&](std::size_t e) {
        return gate(b, h) * dO_(b, i, query + e) * V_(b, j, key + e);
      });
      row[j] = dropout_factor(b, h, i, j) * of_value;
    }
    const Float mean =
        sum_of<Float>(keys, [&](std::size_t j) { return weights_(b, h, i, j) * row[j]; });
    for (std::size_t j = 0; j < keys; ++j) {
      row[j] = weights_(b, h, i, j) * (row[j] - mean);
      if (softcap_ > 0) {
        const Float tangent = capped_(b, h, i, j) / softcap_;
        row[j] *= 1 - tangent * tangent;
      }
    }
    for (std::size_t e = 0; e < head_size(); ++e) {
      dQ_(b, i, query + e) =
          scale_ * sum_of<Float>(keys, [&](std::size_t j) { return row[j] * K_(b, j, key + e); });
      for (std::size_t j = 0; j < keys; ++j) {
        dK_(b, j, key + e) += scale_ * row[j] * Q_(b, i, query + e);
        dV_(b, j, key + e) += weight_of_value(b, h, i, j) * gate(b, h) * dO_(b, i, query + e);
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
