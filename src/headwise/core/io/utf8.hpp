#pragma once

#include <cstdint>
#include <string_view>

namespace headwise::io {

/// Whether the bytes are well-formed UTF-8: no overlong forms, no surrogates, nothing beyond
/// U+10FFFF. Source: The Unicode Standard, table 3-7.
[[nodiscard]] bool is_utf8(std::string_view bytes) noexcept;

/// Writes a character as UTF-8, up to four bytes. `code_point` is no surrogate. Returns the end.
char* write_utf8(char* to, std::uint32_t code_point) noexcept;

}  // namespace headwise::io
