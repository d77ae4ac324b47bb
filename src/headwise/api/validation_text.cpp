#include <algorithm>
#include <headwise/api/validation_text.hpp>
#include <headwise/core/io/message.hpp>

namespace headwise::validation {

Axis axis_of(const std::optional<std::size_t>& size, const char* name) noexcept {
  return size.has_value() ? Axis(*size) : Axis(name);
}

void Part::append_own_words(std::string& text, const Part& part) {
  append_words(text, part.as_words);
}

void Part::append_verbatim(std::string& text, const Part& part) { text.append(part.as_words); }

void Part::append_integer(std::string& text, const Part& part) {
  append_number(text, part.as_integer);
}

void Part::append_natural(std::string& text, const Part& part) {
  append_number(text, static_cast<std::uint64_t>(part.as_integer));
}

void Part::append_double(std::string& text, const Part& part) {
  append_number(text, part.as_number);
}

void Part::append_shape(std::string& text, const Part& part) {
  io::append_shape(text, part.as_shape);
}

void Part::append_axes(std::string& text, const Part& part) {
  text.append("(");
  for (const Axis& axis : part.as_axes) {
    text.append(&axis != part.as_axes.data() ? ", " : "");
    if (axis.name != nullptr) {
      append_words(text, axis.name);
    } else {
      append_number(text, std::uint64_t{axis.size});
    }
  }
  text.append(part.as_axes.size() == 1 ? ",)" : ")");
}

std::string text_of(Parts parts) {
  std::string text;
  for (const Part& part : parts) {
    part.append_to(text);
  }
  return text;
}

void fail_option(std::string_view text, Parts values) {
  fail_text(ErrorCode::invalid_option, text, values);
}

void fail_text(ErrorCode code, std::string_view text, Parts values) {
  std::string whole;
  for (const auto* value = values.begin();; ++value) {
    const std::size_t mark = text.find('#');
    Part(text.substr(0, mark)).append_to(whole);
    if (mark == std::string_view::npos) {
      throw Error(code, whole);
    }
    value->append_to(whole);
    text.remove_prefix(mark + 1);
  }
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
    fail_text(ErrorCode::invalid_shape, "#: expected #, got #", {argument, expected, shape});
  }
}

}  // namespace headwise::validation
