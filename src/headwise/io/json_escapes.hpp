#pragma once

#include <string_view>

namespace headwise::io {

/// What JSON writes after a backslash, and the characters that it stands for.
inline constexpr std::string_view json_escapes = "\"\\/bfnrt";
inline constexpr std::string_view json_escaped = "\"\\/\b\f\n\r\t";

inline constexpr std::string_view hex_digits = "0123456789abcdef";

}  // namespace headwise::io
