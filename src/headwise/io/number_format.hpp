#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace headwise::io {

enum class NumberKind : std::uint8_t {
  floating,  ///< IEEE 754
  brain_floating,
  signed_integer,
  unsigned_integer,
  boolean,
};

/// How a file stores a number.
struct NumberFormat {
  NumberKind kind;
  std::uint8_t size;  ///< in bytes: 1, 2, 4 or 8
  bool big_endian = false;
};

inline constexpr std::string_view safetensors_dtypes =
    "BOOL, U8, I8, U16, I16, F16, BF16, U32, I32, F32, U64, I64 or F64";
/// The format of this name in a safetensors file.
[[nodiscard]] std::optional<NumberFormat> format_of_dtype(std::string_view dtype) noexcept;

inline constexpr std::string_view npy_descrs =
    "f2, f4, f8, i1 to i8, u1 to u8 or b1, such as '<f4'";
/// The format of this name in an .npy file: byte order, kind and size.
[[nodiscard]] std::optional<NumberFormat> format_of_descr(std::string_view descr) noexcept;

/// Axes of a tensor in a file, at most: NumPy's limit.
inline constexpr std::size_t max_rank = 64;

/// The number of elements of a shape, absent if it is 2^53 or more at any axis.
[[nodiscard]] std::optional<std::uint64_t> count_of(std::span<const std::uint64_t> shape) noexcept;

/// A tensor's numbers in a file.
struct StoredNumbers {
  const std::byte* data;
  NumberFormat format;
  std::span<const std::uint64_t> shape;
  bool fortran_order = false;  ///< the first axis runs fastest
};

/// Writes them row-major as float32, rounded to nearest: as many as the shape holds.
void to_floats(const StoredNumbers& numbers, float* floats) noexcept;

}  // namespace headwise::io
