#pragma once

#include <cstddef>
#include <headwise/core/attention/layer_parameters.hpp>
#include <headwise/trainable.hpp>
#include <span>
#include <vector>

/// What goes when heads are removed from a layer. The heads are in ascending order, each once, and
/// of those that share a key-value head all or none.
namespace headwise {

/// Settings of the layer that is left. All but its numbers of heads stay, the scale included.
[[nodiscard]] LayerSettings without_heads(const LayerSettings& settings,
                                          std::span<const std::size_t> heads);

/// Slices that go from the layer's parameters and from their gradients, to be cut out one after the
/// other: rows of W_q, W_k and W_v with their biases, columns of W_o, and the heads' parts of
/// bias_k and bias_v. The heads share the parameters of additive pooling, which stay.
[[nodiscard]] std::vector<RemovedSlice> slices_of_heads(const LayerSettings& settings,
                                                        std::span<const std::size_t> heads);

}  // namespace headwise
