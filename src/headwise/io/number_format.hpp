#pragma once

#include <cstddef>
#include <cstdint>
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

/// Finds the format of this name in a safetensors file; returns whether there is one.
[[nodiscard]] bool find_dtype(std::string_view dtype, NumberFormat& format) noexcept;

/// Finds the format of this name in an .npy file: byte order, kind and size.
[[nodiscard]] bool find_descr(std::string_view descr, NumberFormat& format) noexcept;

/// Axes of a tensor in a file, at most: NumPy's limit.
inline constexpr std::size_t max_rank = 64;

/// Finds the number of elements of a shape; returns whether it is below 2^53.
[[nodiscard]] bool find_count(std::span<const std::uint64_t> shape, std::uint64_t& count) noexcept;

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
