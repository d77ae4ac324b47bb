#include <algorithm>
#include <array>
#include <headwise/io/text_reader.hpp>

namespace headwise::io {
namespace {

constexpr std::uint64_t largest_integer = (std::uint64_t{1} << 53U) - 1;

bool is_digit(char character) noexcept { return character >= '0' && character <= '9'; }

/// What is written after a backslash, and the characters it stands for.
constexpr std::string_view escapes = "\"\\/bfnrt";
constexpr std::string_view escaped = "\"\\/\b\f\n\r\t";

constexpr std::string_view hex_digits = "0123456789abcdef";

bool is_surrogate(std::uint32_t code, std::uint32_t first) noexcept {
  return code >= first && code < first + 0x400;
}

void append_utf8(char*& to, std::uint32_t code) noexcept {
  const auto put = [&to](std::uint32_t byte) { *to++ = static_cast<char>(byte); };
  const auto put_last = [&](std::uint32_t shift) { put(0x80U | ((code >> shift) & 0x3FU)); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0U | (code >> 6U));
    put_last(0);
  } else if (code < 0x10000) {
    put(0xE0U | (code >> 12U));
    put_last(6);
    put_last(0);
  } else {
    put(0xF0U | (code >> 18U));
    put_last(12);
    put_last(6);
    put_last(0);
  }
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
  if (const std::size_t simple = escapes.find(kind); simple != std::string_view::npos) {
    at_ += 2;
    *to++ = escaped[simple];
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
  append_utf8(to, *code);
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

std::string TextReader::next_text() {
  if (at_end()) {
    return "the end";
  }
  if (*at_ > ' ' && *at_ <= '~') {
    return std::string("'") + *at_ + "'";
  }
  return "byte " + std::to_string(static_cast<unsigned char>(*at_));
}

std::size_t utf8_length(std::string_view text) noexcept {
  const auto byte = [text](std::size_t i) -> std::uint32_t {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
  };
  const std::uint32_t first = byte(0);
  if (first < 0x80) {
    return text.empty() ? 0 : 1;
  }
  // 0xC0 and 0xC1 would begin an overlong form of one byte.
  const std::size_t length = first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80) {
      return 0;
    }
  }
  // Overlong forms of two and three bytes, surrogates, and what lies beyond U+10FFFF.
  const std::uint32_t start = first << 8U | byte(1);
  const bool overlong =
      (start >= 0xE000 && start < 0xE0A0) || (start >= 0xF000 && start < 0xF090);
  const bool surrogate = start >= 0xEDA0 && start < 0xEE00;
  return overlong || surrogate || start >= 0xF490 ? 0 : length;
}

bool is_utf8(std::string_view text) noexcept {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) {
      return false;
    }
    text.remove_prefix(length);
  }
  return true;
}

void append_json_string(std::string& json, std::string_view string) {
  json += '"';
  for (const char character : string) {
    const std::size_t simple = escaped.find(character);
    if (simple != std::string_view::npos && character != '/') {
      json += '\\';
      json += escapes[simple];
    } else if (static_cast<unsigned char>(character) < 0x20) {
      json += "\\u00";
      json += character < 0x10 ? '0' : '1';
      json += hex_digits[static_cast<std::size_t>(character) % 16];
    } else {
      json += character;
    }
  }
  json += '"';
}

std::string quote(std::string_view name) {
  constexpr std::size_t longest = 60;
  std::size_t length = 0;
  std::string_view rest = name;
  while (!rest.empty() && length + utf8_length(rest) <= longest) {
    const std::size_t step = std::max<std::size_t>(utf8_length(rest), 1);
    length += step;
    rest.remove_prefix(step);
  }
  std::string text;
  append_json_string(text, name.substr(0, length));
  return rest.empty() ? text : text + "…";
}

}  // namespace headwise::io
