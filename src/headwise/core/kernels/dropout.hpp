#pragma once

#include <cstddef>
#include <cstdint>
#include <headwise/core/kernels/target.hpp>

namespace headwise::kernels {

/// What is dropped of one row: entry k if word k mod 4 of Philox with the key at the counter
/// (k / 4, row, stream, call) is below `threshold`, which is at most 2³².
struct DropoutMask {
  std::uint64_t key;
  std::uint32_t row;
  std::uint32_t stream;
  std::uint32_t call;
  std::uint64_t threshold;
  /// What entries that are kept are multiplied by.
  float kept_scale;
};

}  // namespace headwise::kernels

namespace headwise::kernels::HEADWISE_TARGET {

/// Drops weights[0, count), which are the entries first, first + 1, … of the row: those that are
/// dropped become 0, whatever they were.
void dropout(float* weights, std::size_t first, std::size_t count,
             const DropoutMask& mask) noexcept;

}  // namespace headwise::kernels::HEADWISE_TARGET
