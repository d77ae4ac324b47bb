#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "compare.hpp"

/// Plain float memory, as kernels take it.
namespace headwise::test {

using Floats = std::vector<float>;

// What no kernel computes: marks memory that must not be written.
inline constexpr float guard = -12345.5F;

inline Floats random_floats(std::size_t count, std::uint64_t seed) {
  Floats numbers(count);
  fill_normal(numbers.data(), count, seed);
  return numbers;
}

/// The floats from the first row's first to the last row's last, and none after: reading on is
/// reading past the end.
inline std::size_t span_size(std::size_t rows, std::size_t columns, std::size_t stride) {
  return rows == 0 ? 0 : (rows - 1) * stride + columns;
}

}  // namespace headwise::test
