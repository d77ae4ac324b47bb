#pragma once

#include <cstddef>
#include <cstdint>
#include <headwise/io/text_writer.hpp>
#include <optional>
#include <span>
#include <string_view>

namespace headwise::io {

/// Reads a file's header from front to back, by what must come next: headers hold a few known
/// things, so nothing is ever parsed without knowing what it is to be. White space may stand
/// before everything.
class TextReader {
 public:
  explicit TextReader(std::span<char> text) noexcept
      : begin_(text.data()), at_(begin_), end_(begin_ + text.size()) {}

  /// Takes this character, if it is next.
  bool take(char character) noexcept;
  /// Takes these characters, if they are next.
  bool take(std::string_view word) noexcept;
  /// Takes a whole number of at most 2^53 − 1 without sign, fraction, exponent or leading zeros.
  std::optional<std::uint64_t> take_integer() noexcept;
  /// Takes a string between two of these quotes that holds printable ASCII and no backslash.
  std::optional<std::string_view> take_plain_string(char quote) noexcept;
  /// Takes a JSON string. It is decoded where it lies, over its own text.
  std::optional<std::string_view> take_json_string() noexcept;

  [[nodiscard]] bool at_end() noexcept;
  /// Number of bytes before the next character.
  [[nodiscard]] std::size_t position() noexcept;
  /// The next character as an error message shows it.
  [[nodiscard]] TextWriter next_text();

 private:
  void skip_white_space() noexcept;
  /// Takes four hexadecimal digits.
  std::optional<std::uint32_t> take_code_unit() noexcept;
  /// Takes what follows a backslash and writes what it stands for to `to`; false if it is not JSON.
  bool take_escape(char*& to) noexcept;

  char* begin_;
  char* at_;
  char* end_;
};

}  // namespace headwise::io
