#pragma once

#include <cstddef>
#include <cstdint>
#include <headwise/core/io/message.hpp>
#include <span>
#include <string_view>

namespace headwise::io {

/// A reading position in a file's header, which is text. The first error is kept; nothing is
/// consumed after it.
class TextCursor {
 public:
  /// `what` names the text in errors: `a safetensors header`.
  TextCursor(std::span<char> text, std::string_view what, Message& message) noexcept
      : text_(text.data(), text.size()), writable_(text.data()), what_(what), message_(message) {}

  [[nodiscard]] bool ok() const noexcept { return message_.empty(); }
  [[nodiscard]] bool at_end() const noexcept { return position_ == text_.size(); }

  /// Sets the error, if it is the first. Returns false.
  bool fail(std::initializer_list<Part> expected, std::initializer_list<Part> got) noexcept {
    return message_.fail(expected, got);
  }
  /// Sets the error that `expected` was not found here. Returns false.
  bool fail_here(std::string_view expected) noexcept;

  void skip_spaces(std::string_view spaces) noexcept;
  [[nodiscard]] bool stands_at(std::string_view word) const noexcept {
    return text_.substr(position_, word.size()) == word;
  }
  /// Consumes `word` if it follows.
  bool take(std::string_view word) noexcept;
  /// Consumes `word` or fails.
  bool need(std::string_view word) noexcept;
  /// Reads a decimal number up to 2^53 without sign, leading zeros, fraction or exponent, or fails.
  bool integer(std::uint64_t& number) noexcept;
  /// Reads one byte, or fails.
  bool next(char& byte) noexcept;

  /// The next byte. Bytes that were read may be overwritten: a text with its escapes decoded is
  /// never longer than it was.
  [[nodiscard]] char* here() const noexcept { return writable_ + position_; }

 private:
  std::string_view text_;
  char* writable_;
  std::string_view what_;
  Message& message_;
  std::size_t position_ = 0;
};

}  // namespace headwise::io
