#pragma once

#include <cstddef>
#include <headwise/core/attention/attention_layer.hpp>
#include <string_view>
#include <vector>

/// Parameters of a pruned layer as of the whole one, with zeros for the heads that were removed.
namespace headwise {

/// The shape of a parameter, by its name in the layer, in the whole layer.
[[nodiscard]] std::vector<std::size_t> whole_shape(const AttentionLayer& layer,
                                                   std::string_view name,
                                                   const std::vector<std::size_t>& shape);

/// Writes a parameter of this shape into one of the shape `whole_shape`.
void write_whole(const AttentionLayer& layer, std::string_view name,
                 const std::vector<std::size_t>& shape, const float* values, float* whole);

}  // namespace headwise
