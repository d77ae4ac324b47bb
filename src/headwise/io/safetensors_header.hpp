#pragma once

#include <cstddef>
#include <cstdint>
#include <headwise/io/failure.hpp>
#include <headwise/io/number_format.hpp>
#include <span>
#include <string_view>
#include <vector>

/// The header of a safetensors file: eight bytes that say how long it is, then JSON that says of
/// each tensor what it holds and where. Source: the format's description in the repository
/// huggingface/safetensors.
namespace headwise::io {

/// Bytes at the start of a file that tell where its header ends.
inline constexpr std::size_t safetensors_length_bytes = 8;

struct StoredTensor {
  std::string_view name;
  NumberFormat format;
  std::size_t first_axis;  ///< its shape's place among the sizes of all tensors
  std::size_t rank;
  /// Where its bytes lie behind the header.
  std::uint64_t begin;
  std::uint64_t end;
};

struct SafetensorsHeader {
  std::vector<StoredTensor> tensors;
  std::vector<std::uint64_t> sizes;
  /// Names and texts in turn.
  std::vector<std::string_view> metadata;

  [[nodiscard]] std::span<const std::uint64_t> shape(const StoredTensor& tensor) const {
    return std::span(sizes).subspan(tensor.first_axis, tensor.rank);
  }
};

/// Finds where the header of a file of this size ends, by the file's first bytes.
[[nodiscard]] Failure find_safetensors_header_end(std::span<const char> first_bytes,
                                                  std::uint64_t file_size, std::uint64_t& end);

/// Reads and checks the JSON of a header that ends where the call above says. Strings are decoded
/// where they lie; the header and the failure point there.
[[nodiscard]] Failure read_safetensors_header(std::span<char> json, std::uint64_t data_size,
                                              SafetensorsHeader& header);

struct NamedShape {
  std::string_view name;
  std::span<const std::uint64_t> shape;
};

/// Appends a header with its eight bytes, for float32 tensors that lie behind it in the given
/// order. `metadata` holds names and texts in turn. All strings are UTF-8.
[[nodiscard]] Failure write_safetensors_header(std::span<const NamedShape> tensors,
                                               std::span<const std::string_view> metadata,
                                               TextWriter& header);

}  // namespace headwise::io
