#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <headwise/attention/multi_head_attention.hpp>
#include <headwise/attention/validation.hpp>
#include <limits>
#include <map>
#include <type_traits>
#include <vector>

namespace headwise::validation {
namespace {

[[noreturn]] void fail(ErrorCode code, std::string_view argument, std::string_view expected,
                       std::string_view got) {
  std::string message(argument);
  message.append(": expected ").append(expected).append(", got ").append(got);
  throw Error(code, message);
}

/// One axis of an expected shape: a size, or a word where any size will do.
struct Axis {
  std::string text;
  std::optional<std::size_t> size;

  // Implicit, so that an expected shape reads like one: {"batch", "queries", 100}.
  Axis(const char* name) : text(name) {}                                 // NOLINT(*-explicit-*)
  Axis(std::size_t exact) : text(std::to_string(exact)), size(exact) {}  // NOLINT(*-explicit-*)
};

std::string tuple_text(std::span<const std::string> parts) {
  std::string text = "(";
  for (std::size_t i = 0; i < parts.size(); ++i) {
    text += (i > 0 ? ", " : "") + parts[i];
  }
  return text + (parts.size() == 1 ? ",)" : ")");
}

std::string shape_text(Shape shape) {
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

bool fits(Shape shape, std::span<const Axis> expected) {
  const auto axis_fits = [](std::size_t size, const Axis& axis) {
    return !axis.size.has_value() || *axis.size == size;
  };
  return std::equal(shape.begin(), shape.end(), expected.begin(), expected.end(), axis_fits);
}

template <std::size_t Rank>
void check_shape(std::string_view argument, Shape shape, const std::array<Axis, Rank>& expected) {
  if (!fits(shape, expected)) {
    fail(ErrorCode::invalid_shape, argument, shape_text(std::span<const Axis>(expected)),
         shape_text(shape));
  }
}

/// A number as JavaScript prints it, so that texts are the same in both languages.
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

void check_size(std::string_view argument, std::int64_t size) {
  constexpr std::int64_t largest = std::numeric_limits<std::int32_t>::max();
  if (size < 1 || size > largest) {
    fail(ErrorCode::invalid_option, argument, "an integer from 1 to 2147483647",
         std::to_string(size));
  }
}

void check_optional_size(std::string_view argument, const std::optional<std::int64_t>& size) {
  if (size.has_value()) {
    check_size(argument, *size);
  }
}

void check_divides(std::int64_t num_heads, std::string_view what, std::size_t size) {
  if (num_heads < 1 || size % static_cast<std::size_t>(num_heads) != 0) {
    fail(ErrorCode::invalid_option, "num_heads",
         "a divisor of " + std::string(what) + " (" + std::to_string(size) + ")",
         std::to_string(num_heads));
  }
}

/// The last axis of an input: a known size, or one that is about to be inferred and must not be 0.
void check_input_size(std::string_view argument, Shape shape, std::string_view name) {
  if (shape.back() == 0) {
    fail(ErrorCode::invalid_shape, argument, std::string(name) + " of at least 1",
         shape_text(shape));
  }
}

Axis input_axis(const std::optional<std::size_t>& size, const char* name) {
  return size.has_value() ? Axis(*size) : Axis(name);
}

/// Names and shapes of the layer's parameters.
std::map<std::string, std::vector<Axis>> expected_parameters(const MultiHeadAttention& layer) {
  const Axis hiddens(layer.num_hiddens());
  const std::array<std::pair<std::string, Axis>, 4> projections = {{
      {"W_q", input_axis(layer.query_size(), "query_size")},
      {"W_k", input_axis(layer.key_size(), "key_size")},
      {"W_v", input_axis(layer.value_size(), "value_size")},
      {"W_o", hiddens},
  }};
  std::map<std::string, std::vector<Axis>> parameters;
  for (const auto& [name, in] : projections) {
    parameters[name + ".weight"] = {hiddens, in};
    if (layer.has_bias()) {
      parameters[name + ".bias"] = {hiddens};
    }
  }
  return parameters;
}

void append(std::string& list, std::string_view separator, const std::string& item) {
  if (!item.empty()) {
    list += (list.empty() ? "" : std::string(separator)) + item;
  }
}

}  // namespace

void check_layer_options(const MultiHeadAttentionOptions& options) {
  check_size("num_hiddens", options.num_hiddens);
  check_size("num_heads", options.num_heads);
  check_divides(options.num_heads, "num_hiddens", static_cast<std::size_t>(options.num_hiddens));
  if (!(options.dropout >= 0 && options.dropout <= 1)) {
    fail(ErrorCode::invalid_option, "dropout", "a number from 0 to 1",
         number_text(options.dropout));
  }
  check_optional_size("query_size", options.query_size);
  check_optional_size("key_size", options.key_size);
  check_optional_size("value_size", options.value_size);
  constexpr std::uint64_t seed_limit = std::uint64_t{1} << 53U;
  if (options.seed.has_value() && *options.seed >= seed_limit) {
    fail(ErrorCode::invalid_option, "seed", "an integer from 0 to 9007199254740991",
         std::to_string(*options.seed));
  }
}

void check_forward(const MultiHeadAttention& layer, Shape queries, Shape keys, Shape values,
                   const ForwardOptions& options) {
  check_shape(
      "queries", queries,
      std::array<Axis, 3>{"batch", "queries", input_axis(layer.query_size(), "query_size")});
  check_shape("keys", keys,
              std::array<Axis, 3>{queries[0], "keys", input_axis(layer.key_size(), "key_size")});
  check_shape(
      "values", values,
      std::array<Axis, 3>{queries[0], keys[1], input_axis(layer.value_size(), "value_size")});
  check_input_size("queries", queries, "query_size");
  check_input_size("keys", keys, "key_size");
  check_input_size("values", values, "value_size");
  check_valid_lens(options.valid_lens, queries[0], queries[1], keys[1]);
}

void check_valid_lens(const ValidLens& valid_lens, std::size_t batch, std::size_t num_queries,
                      std::size_t num_keys) {
  const auto check = [&](const auto& lens) {
    if constexpr (!std::is_same_v<std::decay_t<decltype(lens)>, std::monostate>) {
      const std::array<std::size_t, 2> by_query = {batch, num_queries};
      const Shape expected = Shape(by_query).first(lens.dimension());
      const Shape shape = lens.shape();
      if (!std::equal(shape.begin(), shape.end(), expected.begin(), expected.end())) {
        fail(ErrorCode::invalid_shape, "valid_lens",
             shape_text(Shape(by_query).first(1)) + " or " + shape_text(by_query),
             shape_text(shape));
      }
      for (const std::int64_t length : lens) {
        if (length < 0 || static_cast<std::uint64_t>(length) > num_keys) {
          fail(ErrorCode::invalid_value, "valid_lens",
               "integers from 0 to " + std::to_string(num_keys), std::to_string(length));
        }
      }
    }
  };
  std::visit(check, valid_lens);
}

void check_dot_product_attention(Shape queries, Shape keys, Shape values) {
  check_input_size("queries", queries, "a head size");
  check_shape("keys", keys, std::array<Axis, 3>{queries[0], "keys", queries[2]});
  check_shape("values", values, std::array<Axis, 3>{queries[0], keys[1], "value_size"});
}

void check_scaled_dot_product_attention(Shape queries, Shape keys, Shape values) {
  check_input_size("queries", queries, "a head size");
  check_shape("keys", keys, std::array<Axis, 4>{queries[0], queries[1], "keys", queries[3]});
  check_shape("values", values, std::array<Axis, 4>{queries[0], queries[1], keys[2], "value_size"});
}

void check_transpose_qkv(Shape X, std::int64_t num_heads) {
  check_divides(num_heads, "the last axis of X", X[2]);
}

void check_transpose_output(Shape X, std::int64_t num_heads) {
  check_divides(num_heads, "the first axis of X", X[0]);
}

void check_sizes_known(const MultiHeadAttention& layer, std::string_view what) {
  if (!layer.query_size() || !layer.key_size() || !layer.value_size()) {
    throw Error(ErrorCode::sizes_unknown,
                std::string(what) +
                    ": expected known sizes, got none yet; give query_size, key_size and "
                    "value_size, or call forward or load_state_dict first");
  }
}

InputSizes check_state_dict(const MultiHeadAttention& layer, const StateDict& state_dict) {
  const auto parameters = expected_parameters(layer);
  std::string missing;
  std::string unexpected;
  std::string wrong;
  for (const auto& [name, axes] : parameters) {
    const auto found = state_dict.find(name);
    if (found == state_dict.end()) {
      append(missing, ", ", name);
      continue;
    }
    const auto& tensor = found->second;
    const Shape shape(tensor.shape().data(), tensor.dimension());
    if (!fits(shape, axes) || tensor.size() == 0) {
      append(wrong, "; ",
             name + ": expected " + shape_text(std::span<const Axis>(axes)) + ", got " +
                 shape_text(shape));
    }
  }
  for (const auto& [name, tensor] : state_dict) {
    if (!parameters.contains(name)) {
      append(unexpected, ", ", name);
    }
  }
  std::string message;
  append(message, "; ", missing.empty() ? "" : "missing " + missing);
  append(message, "; ", unexpected.empty() ? "" : "unexpected " + unexpected);
  append(message, "; ", wrong);
  if (!message.empty()) {
    throw Error(ErrorCode::invalid_state_dict, "state_dict: " + message);
  }
  const auto in = [&state_dict](const std::string& name) {
    return state_dict.at(name + ".weight").shape(1);
  };
  return {.query_size = in("W_q"), .key_size = in("W_k"), .value_size = in("W_v")};
}

}  // namespace headwise::validation
