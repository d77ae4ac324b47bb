#include <algorithm>
#include <headwise/io/json_escapes.hpp>
#include <headwise/io/text_reader.hpp>
#include <headwise/io/utf8.hpp>

namespace headwise::io {
namespace {

constexpr std::uint64_t largest_integer = (std::uint64_t{1} << 53U) - 1;

bool is_digit(char character) noexcept { return character >= '0' && character <= '9'; }

bool is_surrogate(std::uint32_t code, std::uint32_t first) noexcept {
  return code >= first && code < first + 0x400;
}

}  // namespace

void TextReader::skip_white_space() noexcept {
  while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\t' || *at_ == '\r')) {
    ++at_;
  }
}

bool TextReader::take(char character) noexcept {
  skip_white_space();
  if (at_ == end_ || *at_ != character) {
    return false;
  }
  ++at_;
  return true;
}

bool TextReader::take(std::string_view word) noexcept {
  skip_white_space();
  if (!std::string_view(at_, static_cast<std::size_t>(end_ - at_)).starts_with(word)) {
    return false;
  }
  at_ += word.size();
  return true;
}

std::optional<std::uint64_t> TextReader::take_integer() noexcept {
  skip_white_space();
  std::uint64_t number = 0;
  char* at = at_;
  while (at != end_ && is_digit(*at) && number <= largest_integer) {
    number = 10 * number + static_cast<std::uint64_t>(*at++ - '0');
  }
  const bool leading_zero = at - at_ > 1 && *at_ == '0';
  const bool goes_on = at != end_ && (*at == '.' || *at == 'e' || *at == 'E');
  if (at == at_ || leading_zero || goes_on || number > largest_integer) {
    return std::nullopt;
  }
  at_ = at;
  return number;
}

std::optional<std::string_view> TextReader::take_plain_string(char quote) noexcept {
  skip_white_space();
  if (at_ == end_ || *at_ != quote) {
    return std::nullopt;
  }
  char* const first = at_ + 1;
  char* last = first;
  while (last != end_ && *last >= ' ' && *last <= '~' && *last != quote && *last != '\\') {
    ++last;
  }
  if (last == end_ || *last != quote) {
    return std::nullopt;
  }
  at_ = last + 1;
  return std::string_view(first, static_cast<std::size_t>(last - first));
}

std::optional<std::string_view> TextReader::take_json_string() noexcept {
  if (!take('"')) {
    return std::nullopt;
  }
  char* const first = at_;
  char* to = at_;
  while (at_ != end_ && *at_ != '"') {
    if (*at_ == '\\') {
      if (!take_escape(to)) {
        return std::nullopt;
      }
      continue;
    }
    const std::size_t length = utf8_length({at_, static_cast<std::size_t>(end_ - at_)});
    const bool control = static_cast<unsigned char>(*at_) < 0x20;
    if (length == 0 || control) {
      return std::nullopt;
    }
    to = std::copy_n(at_, length, to);
    at_ += length;
  }
  if (at_ == end_) {
    return std::nullopt;
  }
  ++at_;
  return std::string_view(first, static_cast<std::size_t>(to - first));
}

bool TextReader::take_escape(char*& to) noexcept {
  if (end_ - at_ < 2) {
    return false;
  }
  const char kind = at_[1];
  if (const std::size_t simple = json_escapes.find(kind); simple != std::string_view::npos) {
    at_ += 2;
    *to++ = json_escaped[simple];
    return true;
  }
  std::optional<std::uint32_t> code = take_code_unit();
  if (code && is_surrogate(*code, 0xD800)) {
    const std::optional<std::uint32_t> low = take_code_unit();
    if (!low || !is_surrogate(*low, 0xDC00)) {
      return false;
    }
    code = 0x10000 + ((*code - 0xD800) << 10U) + (*low - 0xDC00);
  }
  if (!code || is_surrogate(*code, 0xDC00)) {
    return false;
  }
  to = write_utf8(to, *code);
  return true;
}

std::optional<std::uint32_t> TextReader::take_code_unit() noexcept {
  if (end_ - at_ < 6 || at_[0] != '\\' || at_[1] != 'u') {
    return std::nullopt;
  }
  std::uint32_t code = 0;
  for (std::size_t i = 2; i < 6; ++i) {
    const char lower = at_[i] >= 'A' && at_[i] <= 'F' ? static_cast<char>(at_[i] + 32) : at_[i];
    const std::size_t digit = hex_digits.find(lower);
    if (digit == std::string_view::npos) {
      return std::nullopt;
    }
    code = 16 * code + static_cast<std::uint32_t>(digit);
  }
  at_ += 6;
  return code;
}

bool TextReader::at_end() noexcept {
  skip_white_space();
  return at_ == end_;
}

std::size_t TextReader::position() noexcept {
  skip_white_space();
  return static_cast<std::size_t>(at_ - begin_);
}

TextWriter TextReader::next_text() {
  TextWriter text;
  if (at_end()) {
    return text << "the end";
  }
  if (*at_ > ' ' && *at_ <= '~') {
    return text << "'" << std::string_view(at_, 1) << "'";
  }
  return text << "byte " << static_cast<unsigned char>(*at_);
}

}  // namespace headwise::io
