#pragma once

#include <map>
#include <string>

#include "attention_reference.hpp"
#include "problem.hpp"

namespace headwise::test {

/// Where two tensors differ by more than `tolerance`, or in what is not finite. `any_not_finite`:
/// which of NaN and the infinities a sum comes to depends on its order, so that any stands for any.
std::string difference(const std::string& name, const xt::xarray<double>& got,
                       const xt::xarray<double>& expected, double tolerance,
                       bool any_not_finite = false);

/// Inputs and parameters by their names, head gates as `head_gate`.
template <typename Inputs, typename Parameters>
NamedTensors by_name(const Inputs& inputs, const Parameters& parameters) {
  NamedTensors result = {{"queries", inputs.queries},
                         {"keys", inputs.keys},
                         {"values", inputs.values},
                         {"head_gate", inputs.head_gate}};
  for (const auto& [name, gradient] : parameters) {
    result[name] = gradient;
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
NamedTensors library_gradients(const Problem& problem, const Tensor<3>& grad_output);

/// Holds the layer's gradients against the reference's.
class GradientCheck {
 public:
  /// `weight_error` is how far weights stray, relative to each. Inputs must be finite, and the
  /// configuration one with gradients for any to be compared.
  GradientCheck(const Problem& problem, double weight_error);

  /// What is wrong with the problem's gradients; empty if nothing is. Some of the problem's inputs
  /// may by now be NaN or infinite: what these reach may then be any number that is not finite.
  [[nodiscard]] std::string fault_of(const Problem& problem) const;

 private:
  reference::Doubles<3> grad_output_;
  std::map<std::string, double> tolerances_;
};

}  // namespace headwise::test
