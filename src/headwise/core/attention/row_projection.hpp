#pragma once

#include <cstddef>
#include <cstdint>
#include <headwise/core/attention/linear.hpp>
#include <span>

namespace headwise {

/// Rows to be projected: inputs (rows, in) → outputs (rows, out).
struct RowProjection {
  Linear* linear = nullptr;
  const float* inputs = nullptr;
  float* outputs = nullptr;
  std::size_t rows = 0;
  /// A mark a row: only those that are not 0 are projected, and the others' outputs are zeros. What
  /// masked memory holds is never looked at. Null marks every row.
  const std::uint8_t* read = nullptr;
};

/// All of them, by as many of the threads as is worth it.
void project(std::span<const RowProjection> projections, std::size_t num_threads) noexcept;

}  // namespace headwise
