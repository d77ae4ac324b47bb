#pragma once

#include <map>
#include <string>
#include <vector>

#include "attention_reference.hpp"
#include "problem.hpp"

namespace headwise::test {

/// Inputs and parameters by their names, head gates as `head_gate`.
using NamedGradients = std::map<std::string, std::vector<double>>;

NamedGradients by_name(const reference::Gradients& gradients);

/// Those of a layer that was new before its backward.
template <std::size_t Rank>
NamedGradients by_name(const BackwardResult<Rank>& inputs, const MultiHeadAttention& layer) {
  const auto list = [](const auto& tensor) {
    return std::vector<double>(tensor.begin(), tensor.end());
  };
  NamedGradients result = {{"queries", list(inputs.queries)},
                           {"keys", list(inputs.keys)},
                           {"values", list(inputs.values)},
                           {"head_gate", list(inputs.head_gate)}};
  for (const auto& [name, gradient] : layer.gradients()) {
    result[name] = list(gradient);
  }
  return result;
}

/// What dropout in the layer's first forward in training mode multiplies weights by: (batch, heads,
/// queries, keys + slots).
reference::Doubles<4> dropout_factors(const LayerSettings& settings, std::size_t batch,
                                      std::size_t num_queries, std::size_t num_keys);

/// A gradient of the layer's output to begin with.
reference::Doubles<3> random_grad_output(const Problem& problem);

/// The problem with it, in training mode.
reference::GradientProblem gradient_problem(const Problem& problem,
                                            const reference::Doubles<3>& grad_output);

/// Those of a new layer in training mode.
NamedGradients library_gradients(const Problem& problem, const Tensor<3>& grad_output);

/// Holds the layer's gradients against the reference's.
class GradientCheck {
 public:
  /// `weight_error` is how far weights stray, relative to each. Inputs must be finite, and the
  /// configuration one with gradients for any to be compared.
  GradientCheck(const Problem& problem, double weight_error);

  /// What is wrong with the problem's gradients; empty if nothing is. Some of the problem's inputs
  /// may by now be NaN or infinite: what these reach may then be any number that is not finite.
  [[nodiscard]] std::string fault_of(const Problem& problem) const;

  [[nodiscard]] const reference::Doubles<3>& grad_output() const { return grad_output_; }

 private:
  reference::Doubles<3> grad_output_;
  std::map<std::string, double> tolerances_;
};

}  // namespace headwise::test
