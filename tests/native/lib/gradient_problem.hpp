#pragma once

#include <map>
#include <string>
#include <vector>

#include "compare.hpp"
#include "layer_gradients_reference.hpp"

/// One forward and backward of the layer, for tests.
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

}  // namespace headwise::test
