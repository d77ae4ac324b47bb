#include <headwise/core/io/message.hpp>

namespace headwise::io {

using namespace std::string_view_literals;
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
    append(part.is_text() ? part.text() : Decimal(part.number()).text());
  }
}

void append_parts(std::string& text, std::initializer_list<Part> parts) {
  for (const Part& part : parts) {
    text += part.is_text() ? part.text() : Decimal(part.number()).text();
  }
}

std::string shortened(std::string_view text) {
  if (text.size() <= max_part_length) {
    return std::string(text);
  }
  std::size_t length = max_part_length;
  // Where a character of UTF-8 goes on.
  while (length > 0 && (static_cast<unsigned char>(text[length]) & 0xC0U) == 0x80U) {
    --length;
  }
  return std::string(text.substr(0, length)) + "…";
}

// Texts as views: std::string has code of its own for characters that end with 0.
void append_shape(std::string& text, std::span<const std::size_t> shape) {
  text += "("sv;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    text += axis > 0 ? ", "sv : ""sv;
    text += Decimal(shape[axis]).text();
  }
  text += shape.size() == 1 ? ",)"sv : ")"sv;
}

}  // namespace headwise::io
