#pragma once

#include <cstddef>
#include <cstring>

namespace headwise {

/// Sets floats to 0. Where compilers optimize for size, std::fill_n is a loop, slower and longer.
inline void write_zeros(float* numbers, std::size_t count) noexcept {
  if (count > 0) {  // An empty array's pointer may be null.
    std::memset(numbers, 0, count * sizeof(float));
  }
}

}  // namespace headwise
