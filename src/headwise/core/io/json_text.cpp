#include <array>
#include <cstdint>
#include <headwise/core/io/json_text.hpp>
#include <headwise/core/io/utf8.hpp>

namespace headwise::io {
namespace {

constexpr std::string_view hexadecimal = "0123456789abcdef";

/// Reads four hexadecimal digits.
bool read_unit(TextCursor& cursor, std::uint32_t& unit) noexcept {
  unit = 0;
  for (int i = 0; i < 4; ++i) {
    char byte = 0;
    if (!cursor.next(byte)) {
      return false;
    }
    const char lower = byte >= 'A' && byte <= 'F' ? static_cast<char>(byte - 'A' + 'a') : byte;
    const std::size_t digit = hexadecimal.find(lower);
    if (digit == std::string_view::npos) {
      return cursor.fail_here("four hexadecimal digits");
    }
    unit = unit * 16 + static_cast<std::uint32_t>(digit);
  }
  return true;
}

/// Reads what follows \u: one UTF-16 unit, and the escape of the second one of a surrogate pair.
bool read_code_point(TextCursor& cursor, std::uint32_t& code_point) noexcept {
  if (!read_unit(cursor, code_point)) {
    return false;
  }
  if (code_point < 0xD800 || code_point > 0xDFFF) {
    return true;
  }
  std::uint32_t low = 0;
  const bool is_pair = code_point < 0xDC00 && cursor.take("\\u") && read_unit(cursor, low) &&
                       low >= 0xDC00 && low <= 0xDFFF;
  code_point = 0x10000 + ((code_point - 0xD800) << 10U) + (low - 0xDC00);
  return is_pair || cursor.fail_here("a pair of surrogates");
}

/// Decodes an escape into `to`, which takes fewer bytes than the escape.
bool read_escape(TextCursor& cursor, char*& to) noexcept {
  constexpr std::string_view letters = "\"\\/bfnrt";
  constexpr std::string_view meanings = "\"\\/\b\f\n\r\t";
  char byte = 0;
  if (!cursor.next(byte)) {
    return false;
  }
  if (byte == 'u') {
    std::uint32_t code_point = 0;
    if (!read_code_point(cursor, code_point)) {
      return false;
    }
    to = write_utf8(to, code_point);
    return true;
  }
  const std::size_t which = letters.find(byte);
  if (which == std::string_view::npos) {
    return cursor.fail_here("one of JSON's escapes");
  }
  *to++ = meanings[which];
  return true;
}

bool take_digits(TextCursor& cursor) noexcept {
  constexpr std::string_view digits = "0123456789";
  const auto take_one = [&] {
    for (std::size_t i = 0; i < digits.size(); ++i) {
      if (cursor.take(digits.substr(i, 1))) {
        return true;
      }
    }
    return false;
  };
  const bool has_one = take_one();
  while (take_one()) {
  }
  return has_one;
}

bool skip_number(TextCursor& cursor) noexcept {
  cursor.take("-");
  if (!cursor.take("0") && !take_digits(cursor)) {
    return cursor.fail_here("a value");
  }
  if (cursor.take(".") && !take_digits(cursor)) {
    return cursor.fail_here("a digit");
  }
  if (cursor.take("e") || cursor.take("E")) {
    static_cast<void>(cursor.take("+") || cursor.take("-"));
    return take_digits(cursor) || cursor.fail_here("a digit");
  }
  return cursor.ok();
}

/// Skips what holds no other values.
bool skip_scalar(TextCursor& cursor) noexcept {
  if (cursor.stands_at("\"")) {
    std::string_view text;
    return read_json_string(cursor, text);
  }
  return cursor.take("true") || cursor.take("false") || cursor.take("null") || skip_number(cursor);
}

/// Reads the name of a member, and the colon before its value.
bool skip_name(TextCursor& cursor) noexcept {
  std::string_view name;
  return read_json_string(cursor, name) && need_json(cursor, ":");
}

}  // namespace

bool take_json(TextCursor& cursor, std::string_view word) noexcept {
  cursor.skip_spaces(json_spaces);
  return cursor.take(word);
}

bool need_json(TextCursor& cursor, std::string_view word) noexcept {
  cursor.skip_spaces(json_spaces);
  return cursor.need(word);
}

bool read_json_string(TextCursor& cursor, std::string_view& text) noexcept {
  if (!take_json(cursor, "\"")) {
    return cursor.fail_here("a string");
  }
  char* const first = cursor.here();
  for (char* to = first;;) {
    char byte = 0;
    if (!cursor.next(byte)) {
      return false;
    }
    if (byte == '"') {
      text = {first, static_cast<std::size_t>(to - first)};
      return true;
    }
    if (static_cast<unsigned char>(byte) < ' ') {
      return cursor.fail_here("control characters escaped");
    }
    if (byte != '\\') {
      *to++ = byte;
    } else if (!read_escape(cursor, to)) {
      return false;
    }
  }
}

bool next_json_item(TextCursor& cursor, std::string_view open, std::string_view close,
                    std::size_t& count) noexcept {
  if (count++ == 0) {
    return need_json(cursor, open) && !take_json(cursor, close) && cursor.ok();
  }
  return cursor.ok() && !take_json(cursor, close) && need_json(cursor, ",");
}

bool skip_json_value(TextCursor& cursor) {
  std::string ends;  // of the objects and lists around the value
  do {
    const bool is_object = take_json(cursor, "{");
    if (is_object || take_json(cursor, "[")) {
      if (!take_json(cursor, is_object ? "}" : "]")) {
        ends += is_object ? '}' : ']';
        if (is_object && !skip_name(cursor)) {
          return false;
        }
        continue;
      }
    } else if (!skip_scalar(cursor)) {
      return false;
    }
    while (!ends.empty() && !take_json(cursor, ",")) {
      if (!need_json(cursor, std::string_view(ends).substr(ends.size() - 1))) {
        return false;
      }
      ends.pop_back();
    }
    if (!ends.empty() && ends.back() == '}' && !skip_name(cursor)) {
      return false;
    }
  } while (!ends.empty());
  return cursor.ok();
}

void append_json_string(std::string& json, std::string_view text) {
  json += "\"";
  for (const char byte : text) {
    const auto code = static_cast<unsigned char>(byte);
    if (code < ' ') {
      const std::array<char, 2> digits = {hexadecimal[code / 16], hexadecimal[code % 16]};
      json += "\\u00";
      json.append(digits.data(), digits.size());
    } else {
      json += byte == '"' || byte == '\\' ? "\\" : "";
      json.append(&byte, 1);
    }
  }
  json += "\"";
}

}  // namespace headwise::io
