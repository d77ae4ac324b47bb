#pragma once

#include <cstdint>
#include <headwise/core/models/pretrained/pruned_heads.hpp>
#include <headwise/head_importance.hpp>
#include <span>

namespace headwise {

/// `least_important_heads` of both languages. `importance` holds the numbers of all heads, layer by
/// layer, and `num_heads` says how many each layer has. Throws as `least_important_heads` does.
[[nodiscard]] HeadsByLayer select_least_important(const double* importance,
                                                  std::span<const std::size_t> num_heads,
                                                  double fraction, HeadMeasure measure,
                                                  std::int64_t group_size);

}  // namespace headwise
