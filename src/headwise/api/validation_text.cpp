#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <headwise/api/validation_text.hpp>
#include <vector>

namespace headwise::validation {
namespace {

std::string text_of_axis(std::size_t size) { return std::to_string(size); }
std::string text_of_axis(const Axis& axis) {
  return axis.name != nullptr ? axis.name : std::to_string(axis.size);
}

template <typename Item>
void append_tuple(std::string& text, const Item* items, std::size_t count) {
  text.append("(");
  for (std::size_t i = 0; i < count; ++i) {
    text.append(i > 0 ? ", " : "").append(text_of_axis(items[i]));
  }
  text.append(count == 1 ? ",)" : ")");
}

}  // namespace

Axis axis_of(const std::optional<std::size_t>& size, const char* name) noexcept {
  return size.has_value() ? Axis(*size) : Axis(name);
}

void Part::append_to(std::string& text) const {
  switch (kind_) {
    case Kind::text:
      text.append(static_cast<const char*>(data_), count_);
      break;
    case Kind::integer:
      text.append(std::to_string(integer_));
      break;
    case Kind::natural:
      text.append(std::to_string(static_cast<std::uint64_t>(integer_)));
      break;
    case Kind::number:
      text.append(number_text(number_));
      break;
    case Kind::shape:
      append_tuple(text, static_cast<const std::size_t*>(data_), count_);
      break;
    case Kind::axes:
      append_tuple(text, static_cast<const Axis*>(data_), count_);
      break;
  }
}

std::string text_of(Parts parts) {
  std::string text;
  for (const Part& part : parts) {
    part.append_to(text);
  }
  return text;
}

void fail(ErrorCode code, std::string_view argument, Parts expected, Parts got) {
  throw Error(code, text_of({argument, ": expected ", text_of(expected), ", got ", text_of(got)}));
}

bool fits(std::span<const std::size_t> shape, std::span<const Axis> expected) {
  const auto axis_fits = [](std::size_t size, const Axis& axis) {
    return axis.name != nullptr || axis.size == size;
  };
  return std::equal(shape.begin(), shape.end(), expected.begin(), expected.end(), axis_fits);
}

void check_shape(std::string_view argument, std::span<const std::size_t> shape,
                 std::span<const Axis> expected) {
  if (!fits(shape, expected)) {
    fail(ErrorCode::invalid_shape, argument, {expected}, {shape});
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
