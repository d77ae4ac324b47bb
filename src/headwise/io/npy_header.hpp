#pragma once

#include <cstddef>
#include <cstdint>
#include <headwise/io/number_format.hpp>
#include <headwise/io/outcome.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The header of an .npy file: a magic string, the format's version, its own length, and a Python
/// dict literal. Source: NumPy's documentation of `numpy.lib.format`.
namespace headwise::io {

/// Bytes at the start of a file that tell where its header ends.
inline constexpr std::size_t npy_length_bytes = 12;

struct NpyHeader {
  std::string_view descr;
  NumberFormat format;
  bool fortran_order;
  std::vector<std::uint64_t> shape;
};

/// Where the header of a file of this size ends, by the file's first bytes.
[[nodiscard]] Outcome<std::uint64_t> npy_header_end(std::span<const char> first_bytes,
                                                    std::uint64_t file_size);

/// Reads and checks a header, all bytes up to where the call above says.
[[nodiscard]] Outcome<NpyHeader> read_npy_header(std::span<char> header, std::uint64_t data_size);

/// A header for a float32 tensor in row-major order.
[[nodiscard]] Outcome<std::string> write_npy_header(std::span<const std::uint64_t> shape);

}  // namespace headwise::io
