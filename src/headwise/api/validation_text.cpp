#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <headwise/api/validation_text.hpp>
#include <vector>

namespace headwise::validation {
namespace {

std::string tuple_text(std::span<const std::string> parts) {
  std::string text = "(";
  for (std::size_t i = 0; i < parts.size(); ++i) {
    text += (i > 0 ? ", " : "") + parts[i];
  }
  return text + (parts.size() == 1 ? ",)" : ")");
}

}  // namespace

void fail(ErrorCode code, std::string_view argument, std::string_view expected,
          std::string_view got) {
  std::string message(argument);
  message.append(": expected ").append(expected).append(", got ").append(got);
  throw Error(code, message);
}

Axis::Axis(const char* name) : text(name) {}
Axis::Axis(std::size_t exact) : text(std::to_string(exact)), size(exact) {}

Axis axis_of(const std::optional<std::size_t>& size, const char* name) {
  return size.has_value() ? Axis(*size) : Axis(name);
}

std::string shape_text(std::span<const std::size_t> shape) {
  std::vector<std::string> parts;
  for (const std::size_t size : shape) {
    parts.push_back(std::to_string(size));
  }
  return tuple_text(parts);
}

std::string shape_text(std::span<const Axis> axes) {
  std::vector<std::string> parts;
  for (const Axis& axis : axes) {
    parts.push_back(axis.text);
  }
  return tuple_text(parts);
}

bool fits(std::span<const std::size_t> shape, std::span<const Axis> expected) {
  const auto axis_fits = [](std::size_t size, const Axis& axis) {
    return !axis.size.has_value() || *axis.size == size;
  };
  return std::equal(shape.begin(), shape.end(), expected.begin(), expected.end(), axis_fits);
}

void check_shape(std::string_view argument, std::span<const std::size_t> shape,
                 std::span<const Axis> expected) {
  if (!fits(shape, expected)) {
    fail(ErrorCode::invalid_shape, argument, shape_text(expected), shape_text(shape));
  }
}

std::string number_text(double number) {
  if (std::isnan(number)) {
    return "NaN";
  }
  if (std::isinf(number)) {
    return number > 0 ? "Infinity" : "-Infinity";
  }
  const double magnitude = std::abs(number);
  const bool is_fixed = number == 0 || (magnitude >= 1e-6 && magnitude < 1e21);
  std::array<char, 64> buffer{};
  const auto [end, error] =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), number,
                    is_fixed ? std::chars_format::fixed : std::chars_format::scientific);
  std::string text(buffer.data(), static_cast<std::size_t>(end - buffer.data()));
  // C++ writes exponents with two digits at least.
  const std::size_t exponent = text.find('e');
  if (exponent != std::string::npos && text[exponent + 2] == '0') {
    text.erase(exponent + 2, 1);
  }
  return text;
}

}  // namespace headwise::validation
