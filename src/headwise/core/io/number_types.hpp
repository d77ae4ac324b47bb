#pragma once

#include <cstddef>
#include <cstdint>

namespace headwise::io {

/// The types of numbers in files. 8-bit floats: Micikevicius et al. 2022, FP8 formats; Noune et al.
/// 2022 (fnuz); OCP Microscaling.
enum class NumberType : std::uint8_t {
  boolean,
  signed_integer,
  unsigned_integer,
  floating,    ///< IEEE 754: 2, 4 or 8 bytes; of 1 byte, E5M2: the upper half of 2
  bfloat,      ///< the upper half of a float32
  e4m3,        ///< 1 byte: no infinities, one NaN of either sign
  e4m3_fnuz,   ///< 1 byte: no infinities, NaN in place of −0
  e5m2_fnuz,   ///< the same with 5 bits of exponent
  power_of_2,  ///< 1 byte, E8M0: 2 to the power of its value − 127, or NaN
};

/// Whether a type is that of integers or booleans.
[[nodiscard]] constexpr bool is_integer(NumberType type) noexcept {
  return type <= NumberType::unsigned_integer;
}

/// The format of a number in a file.
struct NumberFormat {
  NumberType type = NumberType::floating;
  std::size_t size = sizeof(float);  ///< bytes: 1, 2, 4 or 8
  bool big_endian = false;
};

/// Reads numbers of any kind as float32, rounding to nearest. `from` holds `count` · `format.size`
/// bytes.
void to_floats(const NumberFormat& format, const std::byte* from, std::size_t count,
               float* to) noexcept;

/// Reorders numbers from column-major (Fortran's) to row-major order. `shape` has `rank` axes.
void to_row_major(const std::size_t* shape, std::size_t rank, const float* from,
                  float* to) noexcept;

/// IEEE 754 binary16: the nearest, the even one of two, infinity from 65520 on. NaN stays NaN.
[[nodiscard]] std::uint16_t float_to_half(float number) noexcept;
/// Exactly.
[[nodiscard]] float half_to_float(std::uint16_t half) noexcept;

}  // namespace headwise::io
