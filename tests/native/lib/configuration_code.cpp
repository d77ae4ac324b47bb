#include <sstream>
#include <string_view>
#include <type_traits>

#include "configuration.hpp"

namespace headwise::test {
namespace {

template <typename Value>
void print(std::ostream& stream, std::string_view type, const Value& value) {
  if constexpr (std::is_enum_v<Value>) {
    stream << type << "{" << static_cast<int>(value) << "}";
  } else if constexpr (requires { value.has_value(); }) {
    value.has_value() ? print(stream, type, *value) : print(stream, type, "std::nullopt");
  } else {
    stream << std::boolalpha << value;
  }
}

}  // namespace

std::string to_code(const Configuration& configuration) {
  const Configuration smallest;
  std::ostringstream code;
#define HEADWISE_PRINT(type, name, value)                     \
  if (configuration.name != smallest.name) {                  \
    code << (code.tellp() == 0 ? "." : ", .") << #name " = "; \
    print(code, #type, configuration.name);                   \
  }
  HEADWISE_CONFIGURATION_FIELDS(HEADWISE_PRINT)
#undef HEADWISE_PRINT
  return "Configuration{" + code.str() + "}";
}

std::vector<Configuration> smaller_configurations(const Configuration& configuration) {
  std::vector<Configuration> candidates;
  const auto shrink = [&](auto member) {
    const auto value = configuration.*member;
    const auto add = [&](const auto& smaller) {
      Configuration candidate = configuration;
      candidate.*member = smaller;
      candidate = settled(candidate);
      if (candidate != configuration) {
        candidates.push_back(candidate);
      }
    };
    add(Configuration().*member);
    using Value = std::decay_t<decltype(value)>;
    if constexpr (std::is_same_v<Value, std::size_t> || std::is_same_v<Value, std::int64_t>) {
      for (const Value smaller : {Value{2}, value / 2, value - 1}) {
        if (smaller > 0 && smaller < value) {
          add(smaller);
        }
      }
    }
  };
#define HEADWISE_SHRINK(type, name, value)                                         \
  if (std::string_view(#name) != "call" && std::string_view(#name) != "numbers") { \
    shrink(&Configuration::name);                                                  \
  }
  HEADWISE_CONFIGURATION_FIELDS(HEADWISE_SHRINK)
#undef HEADWISE_SHRINK
  return candidates;
}

}  // namespace headwise::test
