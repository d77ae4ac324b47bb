#include <cstddef>
#include <headwise/core/io/utf8.hpp>

namespace headwise::io {
namespace {

/// Bytes of the character that begins with `lead`, 0 if none does.
std::size_t length_of(std::uint8_t lead) noexcept {
  if (lead < 0x80) {
    return 1;
  }
  if (lead < 0xC2 || lead > 0xF4) {
    return 0;
  }
  if (lead < 0xE0) {
    return 2;
  }
  return lead < 0xF0 ? 3 : 4;
}

bool is_continuation(std::uint8_t byte) noexcept { return (byte & 0xC0U) == 0x80; }

/// Whether the second byte excludes overlong forms, surrogates and code points beyond U+10FFFF.
bool fits_lead(std::uint8_t lead, std::uint8_t second) noexcept {
  switch (lead) {
    case 0xE0:
      return second >= 0xA0;
    case 0xED:
      return second <= 0x9F;
    case 0xF0:
      return second >= 0x90;
    case 0xF4:
      return second <= 0x8F;
    default:
      return true;
  }
}

}  // namespace

bool is_utf8(std::string_view bytes) noexcept {
  const auto at = [&](std::size_t i) { return static_cast<std::uint8_t>(bytes[i]); };
  for (std::size_t i = 0; i < bytes.size();) {
    const std::size_t length = length_of(at(i));
    if (length == 0 || length > bytes.size() - i) {
      return false;
    }
    for (std::size_t k = 1; k < length; ++k) {
      if (!is_continuation(at(i + k))) {
        return false;
      }
    }
    if (length > 1 && !fits_lead(at(i), at(i + 1))) {
      return false;
    }
    i += length;
  }
  return true;
}

char* write_utf8(char* to, std::uint32_t code_point) noexcept {
  if (code_point < 0x80) {
    *to++ = static_cast<char>(code_point);
    return to;
  }
  const unsigned rest = code_point < 0x800 ? 1 : code_point < 0x10000 ? 2 : 3;
  // The lead byte begins with one bit per byte of the character, and a zero.
  const std::uint32_t lead = (0xFF00U >> (rest + 1)) & 0xFFU;
  *to++ = static_cast<char>(lead | (code_point >> (6 * rest)));
  for (unsigned left = rest; left-- > 0;) {
    *to++ = static_cast<char>(0x80U | ((code_point >> (6 * left)) & 0x3FU));
  }
  return to;
}

}  // namespace headwise::io
