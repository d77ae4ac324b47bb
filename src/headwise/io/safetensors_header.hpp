#pragma once

#include <cstddef>
#include <cstdint>
#include <headwise/io/message.hpp>
#include <headwise/io/number_types.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The header of a safetensors file: 8 bytes of length, then JSON that says where each tensor's
/// numbers lie in the rest. Source: the format's description in the safetensors repository.
namespace headwise::io {

/// The format's own bound.
inline constexpr std::uint64_t largest_safetensors_header = 100'000'000;

/// The header's member that holds no tensor.
inline constexpr std::string_view metadata_name = "__metadata__";

/// A tensor, or a text of the metadata. Names, texts and shapes lie in the header that they were
/// read from.
struct SafetensorsEntry {
  std::string_view name;
  std::string_view text;
  NumberFormat format;
  /// The numbers' first byte, and the byte behind the last, counted from the header's end.
  std::uint64_t begin;
  std::uint64_t end;
  /// Its axes among `SafetensorsHeader::axes`.
  std::size_t first_axis;
  std::size_t num_axes;
};

struct SafetensorsHeader {
  std::vector<SafetensorsEntry> tensors;
  std::vector<SafetensorsEntry> metadata;
  std::vector<std::uint64_t> axes;
  std::uint64_t size = 0;  ///< bytes, the length before it included

  [[nodiscard]] std::span<const std::uint64_t> shape_of(const SafetensorsEntry& entry) const {
    return std::span(axes).subspan(entry.first_axis, entry.num_axes);
  }
};

/// Reads and checks a header, and writes over it. `bytes` are the file's first: all of them, or at
/// least those of the header; the file has `file_size`. Says in `message` what is wrong.
void read_safetensors_header(std::span<char> bytes, std::uint64_t file_size,
                             SafetensorsHeader& header, Message& message);

struct NamedShape {
  std::string_view name;
  std::span<const std::size_t> shape;
};

struct NamedText {
  std::string_view name;
  std::string_view text;
};

/// The first bytes of a file that holds float32 tensors of these names and shapes one behind the
/// other. Names and metadata are UTF-8, no name is there twice.
[[nodiscard]] std::string write_safetensors_header(std::span<const NamedShape> tensors,
                                                   std::span<const NamedText> metadata);

}  // namespace headwise::io
