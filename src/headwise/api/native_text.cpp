#include <array>
#include <charconv>
#include <cmath>
#include <headwise/api/validation_text.hpp>

namespace headwise::validation {
namespace {

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

}  // namespace

void append_number(std::string& text, double number) { text.append(number_text(number)); }

void append_number(std::string& text, std::int64_t number) { text.append(std::to_string(number)); }

void append_number(std::string& text, std::uint64_t number) { text.append(std::to_string(number)); }

void append_words(std::string& text, std::string_view words) { text.append(words); }

}  // namespace headwise::validation
