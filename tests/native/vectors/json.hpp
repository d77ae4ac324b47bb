#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <headwise/core/io/json_text.hpp>
#include <limits>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

/// The part of JSON that vectors need.
namespace headwise::test {

/// An object, its members in the order in which they were set.
class JsonObject {
 public:
  template <typename Value>
  JsonObject& set(std::string_view name, const Value& value);

  [[nodiscard]] std::string text() const { return "{" + members_ + "}"; }

 private:
  std::string members_;
};

/// A value that is JSON already.
struct Json {
  std::string text = "null";
};

inline std::string json(std::string_view text) {
  std::string quoted;
  io::append_json_string(quoted, text);
  return quoted;
}
inline std::string json(const char* text) { return json(std::string_view(text)); }
inline std::string json(const std::string& text) { return json(std::string_view(text)); }
inline std::string json(bool truth) { return truth ? "true" : "false"; }
inline std::string json(std::integral auto number) { return std::to_string(number); }
/// Exact. Throws if the number is not finite.
inline std::string json(double number) {
  if (!std::isfinite(number)) {
    throw std::runtime_error("JSON has no number that is not finite");
  }
  std::ostringstream stream;
  stream.precision(std::numeric_limits<double>::max_digits10);
  stream << number;
  return stream.str();
}
inline std::string json(const JsonObject& object) { return object.text(); }
inline std::string json(const Json& value) { return value.text; }

template <typename Value>
std::string json(const std::optional<Value>& value) {
  return value.has_value() ? json(*value) : "null";
}

template <typename Value>
std::string json(const std::vector<Value>& values) {
  std::string items;
  for (const Value& value : values) {
    items += (items.empty() ? "" : ",") + json(value);
  }
  return "[" + items + "]";
}

template <typename Value>
JsonObject& JsonObject::set(std::string_view name, const Value& value) {
  members_ += (members_.empty() ? "" : ",") + json(name) + ":" + json(value);
  return *this;
}

}  // namespace headwise::test
