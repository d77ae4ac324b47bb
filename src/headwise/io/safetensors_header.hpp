#pragma once

#include <cstddef>
#include <cstdint>
#include <headwise/io/number_format.hpp>
#include <headwise/io/outcome.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
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
  std::vector<std::uint64_t> shape;
  /// Where its bytes lie behind the header.
  std::uint64_t begin;
  std::uint64_t end;
};

using Strings = std::vector<std::pair<std::string_view, std::string_view>>;

struct SafetensorsHeader {
  std::vector<StoredTensor> tensors;
  Strings metadata;
};

/// Where the header of a file of this size ends, by the file's first bytes.
[[nodiscard]] Outcome<std::uint64_t> safetensors_header_end(std::span<const char> first_bytes,
                                                            std::uint64_t file_size);

/// Reads and checks the JSON of a header that ends where the call above says. Strings are decoded
/// where they lie and the result points there.
[[nodiscard]] Outcome<SafetensorsHeader> read_safetensors_header(std::span<char> json,
                                                                 std::uint64_t data_size);

struct NamedShape {
  std::string_view name;
  std::vector<std::uint64_t> shape;
};

/// A header with its eight bytes, for float32 tensors that lie behind it in the order of their
/// names.
[[nodiscard]] Outcome<std::string> write_safetensors_header(const std::vector<NamedShape>& tensors,
                                                            const Strings& metadata);

}  // namespace headwise::io
