#pragma once

#include <cstddef>
#include <cstdint>
#include <headwise/io/failure.hpp>
#include <headwise/io/number_format.hpp>
#include <span>
#include <vector>

/// The header of an .npy file: a magic string, the format's version, its own length, and a Python
/// dict literal. Source: NumPy's documentation of `numpy.lib.format`.
namespace headwise::io {

/// Bytes at the start of a file that tell where its header ends.
inline constexpr std::size_t npy_length_bytes = 12;

struct NpyHeader {
  NumberFormat format{};
  bool fortran_order = false;
  std::vector<std::uint64_t> shape;
};

/// Finds where the header of a file of this size ends, by the file's first bytes.
[[nodiscard]] Failure find_npy_header_end(std::span<const char> first_bytes,
                                          std::uint64_t file_size, std::uint64_t& end);

/// Reads and checks a header, all bytes up to where the call above says. The failure points there.
[[nodiscard]] Failure read_npy_header(std::span<char> bytes, std::uint64_t data_size,
                                      NpyHeader& header);

/// Appends a header for a float32 tensor in row-major order.
[[nodiscard]] Failure write_npy_header(std::span<const std::uint64_t> shape, TextWriter& header);

}  // namespace headwise::io
