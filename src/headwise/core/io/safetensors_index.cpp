#include <algorithm>
#include <headwise/core/io/json_text.hpp>
#include <headwise/core/io/known_files.hpp>
#include <headwise/core/io/safetensors_index.hpp>
#include <headwise/core/io/utf8.hpp>
#include <utility>

namespace headwise::io {
namespace {

constexpr std::string_view what = "a safetensors index";

bool fail_twice(TextCursor& cursor, std::string_view name) noexcept {
  return cursor.fail({"every name once in ", what}, {"'", name, "' twice"});
}

void check_names(const std::vector<SafetensorsIndexEntry>& entries, TextCursor& cursor) {
  std::vector<std::string_view> names(entries.size());
  std::ranges::transform(entries, names.begin(), &SafetensorsIndexEntry::name);
  std::ranges::sort(names);
  const auto duplicate = std::ranges::adjacent_find(names);
  if (duplicate != names.end()) {
    fail_twice(cursor, *duplicate);
  }
}

}  // namespace

std::vector<SafetensorsIndexEntry> read_safetensors_index(std::span<char> json, Message& message) {
  std::vector<SafetensorsIndexEntry> entries;
  if (!is_utf8({json.data(), json.size()})) {
    message.fail({what, " in UTF-8"}, {"other bytes"});
    return entries;
  }
  if (json.empty() || json.front() != '{') {
    fail_known_file(json, what, message);
  }
  TextCursor cursor(json, what, message);
  bool has_map = false;
  read_json_object(cursor, [&](std::string_view name) {
    if (name != "weight_map") {
      return skip_json_value(cursor);
    }
    if (std::exchange(has_map, true)) {
      return fail_twice(cursor, name);
    }
    return read_json_object(cursor, [&](std::string_view tensor) {
      SafetensorsIndexEntry& entry = entries.emplace_back();
      entry.name = tensor;
      return read_json_string(cursor, entry.file);
    });
  });
  cursor.skip_spaces(json_spaces);
  if (cursor.ok() && !cursor.at_end()) {
    cursor.fail_here("nothing behind its object");
  }
  if (cursor.ok() && !has_map) {
    cursor.fail({what, " with a weight_map"}, {"none"});
  }
  if (cursor.ok()) {
    check_names(entries, cursor);
  }
  return entries;
}

}  // namespace headwise::io
