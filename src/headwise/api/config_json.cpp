#include <algorithm>
#include <charconv>
#include <headwise/api/config_json.hpp>
#include <headwise/core/io/json_text.hpp>
#include <headwise/core/io/utf8.hpp>
#include <headwise/error.hpp>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

namespace headwise {
namespace {

class ConfigReader {
 public:
  explicit ConfigReader(std::string_view json)
      : text_(json), cursor_(text_, "a config", message_) {}

  PretrainedConfig read() {
    if (!io::is_utf8(text_)) {
      throw Error(ErrorCode::invalid_option, "config: expected JSON in UTF-8, got other bytes");
    }
    read_fields();
    cursor_.skip_spaces(io::json_spaces);
    if (cursor_.ok() && !cursor_.at_end()) {
      cursor_.fail_here("nothing behind its object");
    }
    if (!cursor_.ok()) {
      // The reader of files says `bytes`.
      const std::string message(message_.text());
      throw Error(ErrorCode::invalid_option, "config" + message.substr(message.find(':')));
    }
    // Of two fields of a name, the last counts, as in JavaScript.
    std::ranges::reverse(fields_);
    return PretrainedConfig(std::move(fields_));
  }

 private:
  static constexpr std::size_t max_depth = 32;

  /// An object or a list that is being read.
  struct Level {
    std::size_t prefix = 0;  ///< how much of the names of its members is its own
    bool is_object = true;
    bool is_kept = true;  ///< whether any family could ask for its members
    std::size_t count = 0;
  };

  bool read_fields() {
    std::string name;
    std::vector<Level> levels(1);
    while (!levels.empty()) {
      Level& level = levels.back();
      name.resize(level.prefix);
      const bool has_item = level.is_object ? io::next_json_item(cursor_, "{", "}", level.count)
                                            : io::next_json_item(cursor_, "[", "]", level.count);
      if (!has_item) {
        levels.pop_back();
        continue;
      }
      if (!read_name(level, name)) {
        return false;
      }
      cursor_.skip_spaces(io::json_spaces);
      const bool is_object = cursor_.stands_at("{");
      const bool is_container = is_object || cursor_.stands_at("[");
      const bool is_kept = level.is_kept && levels.size() <= PretrainedConfig::max_name_parts &&
                           name.size() - level.prefix <= PretrainedConfig::max_name_part;
      PretrainedConfig::Field field{
          .name = is_kept ? name : std::string(),
          .kind = is_object ? PretrainedConfig::Kind::object : PretrainedConfig::Kind::list};
      if (!is_container && !read_scalar(field)) {
        return false;
      }
      if (is_kept) {
        fields_.push_back(std::move(field));
      }
      if (is_container) {
        if (levels.size() > max_depth) {
          return cursor_.fail_here("at most 32 levels");
        }
        name += '.';
        levels.push_back({.prefix = name.size(), .is_object = is_object, .is_kept = is_kept});
      }
    }
    return cursor_.ok();
  }

  /// Appends the name of a level's current item.
  bool read_name(const Level& level, std::string& name) {
    if (!level.is_object) {
      name += std::to_string(level.count - 1);
      return true;
    }
    std::string_view member;
    if (!io::read_json_string(cursor_, member) || !io::need_json(cursor_, ":")) {
      return false;
    }
    name += member;
    return true;
  }

  /// Reads what holds no other values.
  bool read_scalar(PretrainedConfig::Field& field) {
    field.kind = PretrainedConfig::Kind::null;
    if (cursor_.stands_at("\"")) {
      std::string_view text;
      field.kind = PretrainedConfig::Kind::text;
      if (!io::read_json_string(cursor_, text)) {
        return false;
      }
      field.text = text;
    } else if (cursor_.take("true") || cursor_.stands_at("false")) {
      field.kind = PretrainedConfig::Kind::boolean;
      field.number = cursor_.take("false") ? 0 : 1;
    } else if (!cursor_.take("null")) {
      field.kind = PretrainedConfig::Kind::number;
      if (!read_number(field.number)) {
        return false;
      }
    }
    return cursor_.ok();
  }

  bool read_number(double& number) {
    const char* const first = cursor_.here();
    if (!io::skip_json_value(cursor_)) {
      return false;
    }
    return std::from_chars(first, cursor_.here(), number).ec == std::errc() ||
           cursor_.fail_here("a number in the range of float64");
  }

  std::string text_;
  io::Message message_;
  io::TextCursor cursor_;
  std::vector<PretrainedConfig::Field> fields_;
};

}  // namespace

PretrainedConfig read_config(std::string_view json) { return ConfigReader(json).read(); }

std::string with_config_field(std::string_view json, std::string_view name,
                              std::string_view value) {
  struct Part {
    std::size_t begin;
    std::size_t end;
  };
  // Strings are decoded in place, which moves nothing behind them.
  std::string text(json);
  io::Message message;
  io::TextCursor cursor(text, "a config", message);
  const auto place_of = [&](const char* here) {
    return static_cast<std::size_t>(here - text.data());
  };
  std::vector<Part> values;
  std::size_t last_name = 0;
  std::size_t last_end = 0;
  io::read_json_object(cursor, [&](std::string_view member) {
    const bool is_field = member == name;
    last_name = place_of(member.data()) - 1;
    cursor.skip_spaces(io::json_spaces);
    const std::size_t begin = place_of(cursor.here());
    if (!io::skip_json_value(cursor)) {
      return false;
    }
    last_end = place_of(cursor.here());
    if (is_field) {
      values.push_back({.begin = begin, .end = last_end});
    }
    return true;
  });
  std::string result(json);
  if (values.empty()) {
    // Behind the last member, and as far from the comma as that.
    const std::size_t spaces = json.find_last_not_of(io::json_spaces, last_name - 1) + 1;
    std::string added = ",";
    added += json.substr(spaces, last_name - spaces);
    io::append_json_string(added, name);
    added += ": ";
    added += value;
    result.insert(last_end, added);
  }
  // A member that occurs twice is read twice.
  for (const auto& [begin, end] : std::views::reverse(values)) {
    result.replace(begin, end - begin, value);
  }
  return result;
}

}  // namespace headwise
