#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace headwise::io {

/// Bytes of the character at the start of `text`; 0 if there is none or it is malformed.
[[nodiscard]] std::size_t utf8_length(std::string_view text) noexcept;

[[nodiscard]] bool is_utf8(std::string_view text) noexcept;

/// Writes a character to `to` and returns where it ends.
char* write_utf8(char* to, std::uint32_t code) noexcept;

}  // namespace headwise::io
