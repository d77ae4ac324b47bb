#include "json.hpp"

#include <cmath>
#include <headwise/core/io/json_text.hpp>
#include <limits>
#include <sstream>
#include <stdexcept>

namespace headwise::test {

std::string json(std::string_view text) {
  std::string quoted;
  io::append_json_string(quoted, text);
  return quoted;
}

std::string json(double number) {
  if (!std::isfinite(number)) {
    throw std::runtime_error("JSON has no number that is not finite");
  }
  std::ostringstream stream;
  stream.precision(std::numeric_limits<double>::max_digits10);
  stream << number;
  return stream.str();
}

}  // namespace headwise::test
