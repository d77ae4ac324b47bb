#include <algorithm>
#include <array>
#include <headwise/io/json_escapes.hpp>
#include <headwise/io/text_writer.hpp>
#include <headwise/io/utf8.hpp>

namespace headwise::io {

TextWriter& TextWriter::operator<<(std::string_view piece) {
  const std::size_t before = text_.size();
  text_.resize(before + piece.size());
  std::copy(piece.begin(), piece.end(), text_.data() + before);
  return *this;
}

TextWriter& TextWriter::operator<<(std::uint64_t number) {
  // A standard function for numbers of all kinds would be larger than what calls it.
  std::array<char, 20> digits{};
  std::size_t first = digits.size();
  do {
    digits[--first] = static_cast<char>('0' + number % 10);
    number /= 10;
  } while (number > 0);
  return *this << std::string_view(digits.data() + first, digits.size() - first);
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
  *this << "\"";
  for (const char& character : string) {
    const std::size_t simple = json_escaped.find(character);
    if (simple != std::string_view::npos && character != '/') {
      *this << "\\" << json_escapes.substr(simple, 1);
    } else if (static_cast<unsigned char>(character) < 0x20) {
      *this << (character < 0x10 ? "\\u000" : "\\u001")
            << hex_digits.substr(static_cast<std::size_t>(character) % 16, 1);
    } else {
      *this << std::string_view(&character, 1);
    }
  }
  return *this << "\"";
}

TextWriter& TextWriter::name(std::string_view name) {
  constexpr std::size_t longest = 60;
  std::size_t length = 0;
  while (length < name.size() && length < longest && utf8_length(name.substr(length)) > 0) {
    length += utf8_length(name.substr(length));
  }
  json(name.substr(0, length));
  return length < name.size() ? *this << "…" : *this;
}

}  // namespace headwise::io
