#pragma once

#include <cstddef>
#include <cstdint>
#include <headwise/core/io/message.hpp>
#include <headwise/core/io/number_types.hpp>
#include <span>
#include <string>
#include <vector>

/// The header of a .npy file: magic bytes, version, length, then a Python dictionary. Source:
/// NumPy's documentation, numpy.lib.format; versions 1 to 3.
namespace headwise::io {

struct NpyHeader {
  NumberFormat format = {};
  /// Whether the numbers lie in column-major order.
  bool fortran_order = false;
  std::vector<std::size_t> shape = {};
  std::size_t count = 0;   ///< numbers
  std::uint64_t size = 0;  ///< bytes of the header
};

/// Maximum size of a header in bytes. NumPy itself refuses more than 10,000 characters.
inline constexpr std::uint64_t max_npy_header_size = 65'536;

/// NumPy's limit.
inline constexpr std::size_t max_npy_axes = 64;

/// Reads and checks a header. `bytes` are the file's first: all of them, or at least
/// `max_npy_header_size`; the file has `file_size`. Sets `message` to the error, if any.
void read_npy_header(std::span<char> bytes, std::uint64_t file_size, NpyHeader& header,
                     Message& message);

/// The first bytes of a file of version 1 that holds float32 numbers in row-major order.
[[nodiscard]] std::string write_npy_header(std::span<const std::size_t> shape);

}  // namespace headwise::io
