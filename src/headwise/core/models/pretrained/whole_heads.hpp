#pragma once

#include <cstddef>
#include <headwise/core/attention/parameter_list.hpp>
#include <vector>

/// Parameters of pruned layers as of the whole ones, with zeros for the heads that were removed.
namespace headwise {

/// The shape of a parameter in the whole model.
[[nodiscard]] std::vector<std::size_t> whole_shape(const NamedParameter& parameter);

/// Writes a layer's parameter into one of the shape `whole_shape`.
void write_whole(const NamedParameter& parameter, const float* values, float* whole);

}  // namespace headwise
