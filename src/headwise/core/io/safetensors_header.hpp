#pragma once

#include <cstddef>
#include <cstdint>
#include <headwise/core/io/message.hpp>
#include <headwise/core/io/number_types.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The header of a safetensors file: 8 bytes of length, then JSON with the place of each tensor's
/// numbers in the rest. Source: the format's description in the safetensors repository.
namespace headwise::io {

/// The format's limit, in bytes.
inline constexpr std::uint64_t max_safetensors_header_size = 100'000'000;

/// The header's member with the metadata.
inline constexpr std::string_view metadata_name = "__metadata__";

/// One of the format's dtypes.
struct SafetensorsDtype {
  std::string_view name;
  std::size_t bits;  ///< of a number
  /// How a number is read; size 0 if it is not supported: complex numbers and those of no whole
  /// bytes.
  NumberFormat format;

  [[nodiscard]] bool is_read() const noexcept { return format.size > 0; }
  /// Whether it is a type of integers or booleans, which are kept; floats become float32.
  [[nodiscard]] bool holds_integers() const noexcept { return is_integer(format.type); }
};

/// The dtype of this name; null if the format has none.
[[nodiscard]] const SafetensorsDtype* find_dtype(std::string_view name) noexcept;

/// A tensor, or a text of the metadata. Names and texts are views of the header's bytes.
struct SafetensorsEntry {
  std::string_view name;
  std::string_view text;
  const SafetensorsDtype* dtype;
  /// The numbers' first byte, and the byte after the last, relative to the header's end.
  std::uint64_t begin;
  std::uint64_t end;
  /// Its axes among `SafetensorsHeader::axes`.
  std::size_t first_axis;
  std::size_t num_axes;
};

struct SafetensorsHeader {
  std::vector<SafetensorsEntry> tensors;  ///< in the order of the text
  std::vector<SafetensorsEntry> metadata;
  std::vector<std::uint64_t> axes;
  std::uint64_t size = 0;  ///< bytes, the length before it included

  [[nodiscard]] std::span<const std::uint64_t> shape_of(const SafetensorsEntry& entry) const {
    return std::span(axes).subspan(entry.first_axis, entry.num_axes);
  }
};

/// How many of a file's first bytes are its header, its length included: less if the file is too
/// short for it. `first` are the first 8 bytes of the file, or all.
[[nodiscard]] std::uint64_t safetensors_header_size(std::span<const char> first,
                                                    std::uint64_t file_size) noexcept;

/// Reads and checks a header, which is overwritten. `bytes` are the file's first: all of them, or
/// at least those of the header; the file has `file_size`. Sets `message` to the error, if any.
void read_safetensors_header(std::span<char> bytes, std::uint64_t file_size,
                             SafetensorsHeader& header, Message& message);

struct NamedTensor {
  std::string_view name;
  std::span<const std::size_t> shape;
  std::string_view dtype = "F32";
};

struct NamedText {
  std::string_view name;
  std::string_view text;
};

/// The header of a file with these tensors in this order. Names and metadata are UTF-8, names are
/// unique, dtypes are the format's and of whole bytes.
[[nodiscard]] std::string write_safetensors_header(std::span<const NamedTensor> tensors,
                                                   std::span<const NamedText> metadata);

}  // namespace headwise::io
