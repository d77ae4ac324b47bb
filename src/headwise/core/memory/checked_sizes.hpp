#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>

/// Overflow-checked sizes of allocations: what exceeds the address space is out of memory, not a
/// small number.
namespace headwise {

/// Number of elements of a tensor of this shape, of `element_size` bytes each.
[[nodiscard]] inline std::size_t checked_count(std::span<const std::size_t> shape,
                                               std::size_t element_size) {
  if (std::ranges::find(shape, std::size_t{0}) != shape.end()) {
    return 0;
  }
  const std::size_t max = PTRDIFF_MAX / element_size;
  std::size_t count = 1;
  for (const std::size_t size : shape) {
    if (size > max / count) {
      throw std::bad_alloc();
    }
    count *= size;
  }
  return count;
}

/// A number of floats that was computed in double, so that it could not overflow.
[[nodiscard]] inline std::size_t checked_count(double floats) {
  constexpr auto max = static_cast<double>(PTRDIFF_MAX / sizeof(float));
  if (!(floats < max)) {
    throw std::bad_alloc();
  }
  return static_cast<std::size_t>(floats);
}

}  // namespace headwise
