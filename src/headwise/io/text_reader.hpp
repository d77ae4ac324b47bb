#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace headwise::io {

/// Reads a file's header from front to back, by what must come next: headers hold a few known
/// things, so nothing is ever parsed without knowing what it is to be. Every function takes one
/// thing, if it is next, and returns whether it was. White space may stand before everything.
class TextReader {
 public:
  explicit TextReader(std::span<char> text) noexcept
      : begin_(text.data()), at_(begin_), end_(begin_ + text.size()) {}

  bool take(std::string_view word) noexcept;
  /// A whole number of at most 2^53 − 1 without sign, fraction, exponent or leading zeros.
  bool take_integer(std::uint64_t& number) noexcept;
  /// A string between two of these quotes that holds no backslash and no line break.
  bool take_plain_string(char quote, std::string_view& string) noexcept;
  /// A JSON string. It is decoded where it lies, over its own text.
  bool take_json_string(std::string_view& string) noexcept;

  /// Number of bytes before the next character.
  [[nodiscard]] std::size_t position() noexcept;
  /// The next character; empty at the end.
  [[nodiscard]] std::string_view next() noexcept;

 private:
  void skip_white_space() noexcept;
  /// Four hexadecimal digits behind \u.
  bool take_code_unit(std::uint32_t& code) noexcept;
  /// What follows a backslash. Writes what it stands for to `to`.
  bool take_escape(char*& to) noexcept;
  [[nodiscard]] std::string_view rest() const noexcept {
    return {at_, static_cast<std::size_t>(end_ - at_)};
  }

  char* begin_;
  char* at_;
  char* end_;
};

}  // namespace headwise::io
