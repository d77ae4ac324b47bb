#include <headwise/core/io/message.hpp>

namespace headwise::io {
namespace {

/// Maximum length of a text from a file within a message.
constexpr std::size_t max_part_length = 80;

}  // namespace

bool Message::fail(std::initializer_list<Part> expected, std::initializer_list<Part> got) noexcept {
  if (empty()) {
    append("bytes: expected ");
    append(expected);
    append(", got ");
    append(got);
  }
  return false;
}

void Message::append(std::string_view text) noexcept {
  for (const char byte : text.substr(0, max_part_length)) {
    if (length_ < text_.size()) {
      // Bytes beyond ASCII may be parts of a character.
      text_[length_++] = byte >= ' ' && byte <= '~' ? byte : '?';
    }
  }
}

void Message::append(std::initializer_list<Part> parts) noexcept {
  for (const Part& part : parts) {
    if (part.is_text()) {
      append(part.text());
    } else {
      struct Digits {
        Message& message;
        void push_back(char digit) noexcept { message.append(std::string_view(&digit, 1)); }
      } digits{*this};
      append_decimal(digits, part.number());
    }
  }
}

void append_shape(std::string& text, std::span<const std::size_t> shape) {
  text += '(';
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    text += axis > 0 ? ", " : "";
    append_decimal(text, shape[axis]);
  }
  text += shape.size() == 1 ? ",)" : ")";
}

}  // namespace headwise::io
