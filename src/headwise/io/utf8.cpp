#include <headwise/io/utf8.hpp>

namespace headwise::io {

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
  const bool overlong = (start >= 0xE000 && start < 0xE0A0) || (start >= 0xF000 && start < 0xF090);
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

char* write_utf8(char* to, std::uint32_t code) noexcept {
  std::uint32_t shift = code < 0x80 ? 0 : code < 0x800 ? 6 : code < 0x10000 ? 12 : 18;
  // The first byte of 1, 2, 3 and 4.
  const std::uint32_t first = shift == 0 ? 0 : shift == 6 ? 0xC0 : shift == 12 ? 0xE0 : 0xF0;
  *to++ = static_cast<char>(first | code >> shift);
  while (shift > 0) {
    shift -= 6;
    *to++ = static_cast<char>(0x80U | ((code >> shift) & 0x3FU));
  }
  return to;
}

}  // namespace headwise::io
