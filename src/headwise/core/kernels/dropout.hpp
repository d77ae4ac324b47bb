#pragma once

#include <cstddef>
#include <cstdint>
#include <headwise/core/kernels/target.hpp>

namespace headwise::kernels {

/// Dropout of one row: entry k is dropped if word k mod 4 of Philox with the key at the counter (k
/// / 4, row, stream, call) is below `threshold`, which is at most 2³².
struct DropoutMask {
  std::uint64_t key;
  std::uint32_t row;
  std::uint32_t stream;
  std::uint32_t call;
  std::uint64_t threshold;
  /// Factor of the entries that are kept.
  float kept_scale;
};

}  // namespace headwise::kernels

namespace headwise::kernels::HEADWISE_TARGET {

/// Applies dropout to weights[0, count), the entries first, first + 1, … of the row: dropped
/// entries become 0, even if they were NaN.
void dropout(float* weights, std::size_t first, std::size_t count,
             const DropoutMask& mask) noexcept;

}  // namespace headwise::kernels::HEADWISE_TARGET
