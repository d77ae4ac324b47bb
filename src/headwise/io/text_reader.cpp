#include <algorithm>
#include <headwise/io/json_escapes.hpp>
#include <headwise/io/text_reader.hpp>
#include <headwise/io/utf8.hpp>

namespace headwise::io {
namespace {

constexpr std::uint64_t largest_integer = (std::uint64_t{1} << 53U) - 1;

bool is_digit(char character) noexcept { return character >= '0' && character <= '9'; }

/// Whether a code unit is the first (0xD800) or the second (0xDC00) of a surrogate pair.
bool is_surrogate(std::uint32_t code, std::uint32_t half) noexcept {
  return (code & 0xFC00U) == half;
}

}  // namespace

void TextReader::skip_white_space() noexcept {
  while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\t' || *at_ == '\r')) {
    ++at_;
  }
}

bool TextReader::take(std::string_view word) noexcept {
  skip_white_space();
  if (!rest().starts_with(word)) {
    return false;
  }
  at_ += word.size();
  return true;
}

bool TextReader::take_integer(std::uint64_t& number) noexcept {
  skip_white_space();
  char* at = at_;
  number = 0;
  while (at != end_ && is_digit(*at) && number <= largest_integer) {
    number = 10 * number + static_cast<std::uint64_t>(*at++ - '0');
  }
  const bool leading_zero = at - at_ > 1 && *at_ == '0';
  const bool goes_on = at != end_ && (is_digit(*at) || *at == '.' || (*at | 0x20) == 'e');
  if (at == at_ || leading_zero || goes_on || number > largest_integer) {
    return false;
  }
  at_ = at;
  return true;
}

bool TextReader::take_plain_string(char quote, std::string_view& string) noexcept {
  skip_white_space();
  if (at_ == end_ || *at_ != quote) {
    return false;
  }
  const std::string_view text = rest().substr(1);
  const std::size_t length = std::min(text.find(quote), text.size());
  string = text.substr(0, length);
  if (length == text.size() || string.find_first_of("\\\n") != std::string_view::npos) {
    return false;
  }
  at_ += length + 2;
  return true;
}

bool TextReader::take_json_string(std::string_view& string) noexcept {
  if (!take("\"")) {
    return false;
  }
  char* const first = at_;
  char* to = at_;
  while (at_ != end_ && *at_ != '"') {
    if (*at_ == '\\') {
      if (!take_escape(to)) {
        return false;
      }
      continue;
    }
    const std::size_t length = utf8_length(rest());
    const bool control = static_cast<unsigned char>(*at_) < 0x20;
    if (length == 0 || control) {
      return false;
    }
    to = std::copy_n(at_, length, to);
    at_ += length;
  }
  if (at_ == end_) {
    return false;
  }
  ++at_;
  string = {first, static_cast<std::size_t>(to - first)};
  return true;
}

bool TextReader::take_escape(char*& to) noexcept {
  if (end_ - at_ < 2) {
    return false;
  }
  const std::size_t simple = json_escapes.find(at_[1]);
  if (simple != std::string_view::npos) {
    at_ += 2;
    *to++ = json_escaped[simple];
    return true;
  }
  std::uint32_t code = 0;
  if (!take_code_unit(code) || is_surrogate(code, 0xDC00)) {
    return false;
  }
  if (is_surrogate(code, 0xD800)) {
    std::uint32_t low = 0;
    if (!take_code_unit(low) || !is_surrogate(low, 0xDC00)) {
      return false;
    }
    code = 0x10000 + ((code & 0x3FFU) << 10U | (low & 0x3FFU));
  }
  to = write_utf8(to, code);
  return true;
}

bool TextReader::take_code_unit(std::uint32_t& code) noexcept {
  if (end_ - at_ < 6 || at_[0] != '\\' || at_[1] != 'u') {
    return false;
  }
  code = 0;
  for (std::size_t i = 2; i < 6; ++i) {
    const bool upper = at_[i] >= 'A' && at_[i] <= 'F';
    const std::size_t digit = hex_digits.find(static_cast<char>(upper ? at_[i] | 0x20 : at_[i]));
    if (digit == std::string_view::npos) {
      return false;
    }
    code = 16 * code + static_cast<std::uint32_t>(digit);
  }
  at_ += 6;
  return true;
}

std::size_t TextReader::position() noexcept {
  skip_white_space();
  return static_cast<std::size_t>(at_ - begin_);
}

std::string_view TextReader::next() noexcept {
  skip_white_space();
  return rest().substr(0, 1);
}

}  // namespace headwise::io
