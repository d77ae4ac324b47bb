#include <charconv>
#include <headwise/api/config_json.hpp>
#include <headwise/core/io/json_text.hpp>
#include <headwise/core/io/utf8.hpp>
#include <headwise/error.hpp>
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
    read_object("", 0);
    cursor_.skip_spaces(io::json_spaces);
    if (cursor_.ok() && !cursor_.at_end()) {
      cursor_.fail_here("nothing behind its object");
    }
    if (!cursor_.ok()) {
      // The reader of files says `bytes`.
      const std::string message(message_.text());
      throw Error(ErrorCode::invalid_option, "config" + message.substr(message.find(':')));
    }
    return PretrainedConfig(std::move(fields_));
  }

 private:
  static constexpr int max_depth = 32;

  bool read_object(const std::string& prefix, int depth) {
    return io::read_json_object(cursor_, [&](std::string_view name) {
      return read_value(prefix + std::string(name), depth);
    });
  }

  bool read_list(const std::string& prefix, int depth) {
    std::size_t count = 0;
    while (io::next_json_item(cursor_, "[", "]", count)) {
      if (!read_value(prefix + std::to_string(count - 1), depth)) {
        return false;
      }
    }
    return cursor_.ok();
  }

  bool read_value(const std::string& name, int depth) {
    cursor_.skip_spaces(io::json_spaces);
    if (cursor_.stands_at("{") || cursor_.stands_at("[")) {
      if (depth == max_depth) {
        return cursor_.fail_here("at most 32 levels");
      }
      return cursor_.stands_at("{") ? read_object(name + ".", depth + 1)
                                    : read_list(name + ".", depth + 1);
    }
    PretrainedConfig::Field field{.name = name};
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
    fields_.push_back(std::move(field));
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

}  // namespace headwise
