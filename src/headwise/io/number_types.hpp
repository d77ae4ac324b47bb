#pragma once

#include <cstddef>
#include <cstdint>

namespace headwise::io {

/// The kinds of numbers that files hold. `floats` reads all of them.
enum class NumberType : std::uint8_t {
  boolean,
  signed_integer,
  unsigned_integer,
  floating,  ///< IEEE 754: 2, 4 or 8 bytes
  bfloat,    ///< the upper half of a float32
};

/// How a number lies in a file.
struct NumberFormat {
  NumberType type = NumberType::floating;
  std::size_t size = sizeof(float);  ///< bytes: 1, 2, 4 or 8
  bool big_endian = false;
};

/// Reads numbers of any kind as float32, rounding to nearest. `from` holds `count` · `format.size`
/// bytes.
void to_floats(const NumberFormat& format, const std::byte* from, std::size_t count,
               float* to) noexcept;

/// Puts numbers that lie in column-major (Fortran's) order into row-major order. `shape` has `rank`
/// axes.
void to_row_major(const std::size_t* shape, std::size_t rank, const float* from,
                  float* to) noexcept;

}  // namespace headwise::io
