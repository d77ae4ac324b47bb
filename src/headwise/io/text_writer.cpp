#include <algorithm>
#include <headwise/io/json_escapes.hpp>
#include <headwise/io/text_writer.hpp>
#include <headwise/io/utf8.hpp>

namespace headwise::io {

TextWriter& TextWriter::operator<<(std::string_view piece) {
  text_ += piece;
  return *this;
}

TextWriter& TextWriter::operator<<(std::uint64_t number) {
  text_ += std::to_string(number);
  return *this;
}

TextWriter& TextWriter::list(std::span<const std::uint64_t> numbers, std::string_view separator) {
  std::string_view before;
  for (const std::uint64_t number : numbers) {
    *this << before << number;
    before = separator;
  }
  return *this;
}

TextWriter& TextWriter::json(std::string_view string) {
  text_ += '"';
  for (const char character : string) {
    const std::size_t simple = json_escaped.find(character);
    if (simple != std::string_view::npos && character != '/') {
      text_ += '\\';
      text_ += json_escapes[simple];
    } else if (static_cast<unsigned char>(character) < 0x20) {
      text_ += character < 0x10 ? "\\u000" : "\\u001";
      text_ += hex_digits[static_cast<std::size_t>(character) % 16];
    } else {
      text_ += character;
    }
  }
  text_ += '"';
  return *this;
}

TextWriter& TextWriter::name(std::string_view name) {
  constexpr std::size_t longest = 60;
  std::size_t length = 0;
  while (length < std::min(name.size(), longest)) {
    length += std::max<std::size_t>(utf8_length(name.substr(length)), 1);
  }
  json(name.substr(0, length));
  return length < name.size() ? *this << "…" : *this;
}

}  // namespace headwise::io
