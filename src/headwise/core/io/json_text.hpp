#pragma once

#include <headwise/core/io/text_cursor.hpp>
#include <string>
#include <string_view>

/// The part of JSON that headers are made of: objects, lists, strings and whole numbers. No call
/// recurses, so that no nesting in a file can exhaust the stack.
namespace headwise::io {

inline constexpr std::string_view json_spaces = " \t\n\r";

/// Takes `word` and the spaces before it if it stands there.
bool take_json(TextCursor& cursor, std::string_view word) noexcept;

/// Takes `word` and the spaces before it, or fails.
bool need_json(TextCursor& cursor, std::string_view word) noexcept;

/// A string, written over itself with its escapes resolved; UTF-8 if the text is.
bool read_json_string(TextCursor& cursor, std::string_view& text) noexcept;

/// The beginning of an object's or a list's next item, or its end: true while there are items.
/// `count` counts them.
bool next_json_item(TextCursor& cursor, std::string_view open, std::string_view close,
                    std::size_t& count) noexcept;

/// An object; `read_member` reads the value of a member whose name it is given. Both may fail.
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

/// Appends a string in quotes, escaped where JSON wants it.
void append_json_string(std::string& json, std::string_view text);

}  // namespace headwise::io
