#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace headwise::io {

/// A part of a message: text or a whole number.
class Part {
 public:
  // Implicit, so that a message reads like one: {"at most ", 64, " axes"}.
  constexpr Part(std::string_view text) noexcept : text_(text) {}     // NOLINT(*-explicit-*)
  constexpr Part(const char* text) noexcept : text_(text) {}          // NOLINT(*-explicit-*)
  constexpr Part(std::uint64_t number) noexcept : number_(number) {}  // NOLINT(*-explicit-*)

  [[nodiscard]] constexpr bool is_text() const noexcept { return text_.data() != nullptr; }
  [[nodiscard]] constexpr std::string_view text() const noexcept { return text_; }
  [[nodiscard]] constexpr std::uint64_t number() const noexcept { return number_; }

 private:
  std::string_view text_ = {};
  std::uint64_t number_ = 0;
};

/// The error in a file, which readers return. It allocates nothing, which keeps the WebAssembly
/// build small; a message that is too long is truncated.
class Message {
 public:
  [[nodiscard]] bool empty() const noexcept { return length_ == 0; }
  [[nodiscard]] std::string_view text() const noexcept { return {text_.data(), length_}; }

  /// Sets the text to `bytes: expected …, got …`, unless there is one already. Returns false.
  bool fail(std::initializer_list<Part> expected, std::initializer_list<Part> got) noexcept;

 private:
  void append(std::string_view text) noexcept;
  void append(std::initializer_list<Part> parts) noexcept;

  std::array<char, 400> text_;
  std::size_t length_ = 0;
};

/// Appends texts and numbers.
void append_parts(std::string& text, std::initializer_list<Part> parts);

/// A text as messages show it: its first 80 bytes, to whole characters.
[[nodiscard]] std::string shortened(std::string_view text);

/// Appends a shape as Python writes it: `(2, 4)`, `(3,)`.
void append_shape(std::string& text, std::span<const std::size_t> shape);

/// A whole number in decimal digits.
class Decimal {
 public:
  explicit Decimal(std::uint64_t number) noexcept {
    do {
      digits_[--first_] = static_cast<char>('0' + number % 10);
      number /= 10;
    } while (number > 0);
  }

  /// Valid as long as this object.
  [[nodiscard]] std::string_view text() const noexcept {
    return {digits_.data() + first_, digits_.size() - first_};
  }

 private:
  std::array<char, 20> digits_{};
  std::size_t first_ = digits_.size();
};

}  // namespace headwise::io
