#pragma once

#include <headwise/core/io/text_cursor.hpp>
#include <string>
#include <string_view>

/// The part of JSON that headers are made of: objects, lists, strings and whole numbers; other
/// values are skipped. No call recurses, so that no nesting in a file can exhaust the stack.
namespace headwise::io {

inline constexpr std::string_view json_spaces = " \t\n\r";

/// Skips spaces, and consumes `word` if it follows.
bool take_json(TextCursor& cursor, std::string_view word) noexcept;

/// Skips spaces and consumes `word`, or fails.
bool need_json(TextCursor& cursor, std::string_view word) noexcept;

/// Reads a string and decodes its escapes in place; the result is UTF-8 if the text is.
bool read_json_string(TextCursor& cursor, std::string_view& text) noexcept;

/// Advances to the next item of an object or a list; false at its end, and on failure. `count`
/// counts the items.
bool next_json_item(TextCursor& cursor, std::string_view open, std::string_view close,
                    std::size_t& count) noexcept;

/// Reads an object; `read_member(name)` reads the value of each member. Both may fail.
template <typename ReadMember>
bool read_json_object(TextCursor& cursor, ReadMember read_member) {
  std::size_t count = 0;
  while (next_json_item(cursor, "{", "}", count)) {
    std::string_view name;
    if (!read_json_string(cursor, name) || !need_json(cursor, ":") || !read_member(name)) {
      return false;
    }
  }
  return cursor.ok();
}

/// Skips a value of any kind, or fails.
bool skip_json_value(TextCursor& cursor);

/// Appends a string in quotes, escaped where JSON requires it.
void append_json_string(std::string& json, std::string_view text);

}  // namespace headwise::io
