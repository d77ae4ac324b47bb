#include <headwise/api/validation_options.hpp>
#include <headwise/api/validation_text.hpp>
#include <limits>

namespace headwise::validation {
namespace {

using namespace std::string_view_literals;

constexpr std::int64_t max_size = std::numeric_limits<std::int32_t>::max();

// Options are passed by value: WebAssembly without models has no code for those that it never sets.

void check_optional_size(std::string_view argument, std::optional<std::int64_t> size) {
  if (size.has_value()) {
    check_size(argument, *size);
  }
}

/// Fails unless an option goes with the others.
void check_fits(bool fits, std::string_view text) {
  if (!fits) {
    fail_option(text, {});
  }
}

void check_projection(const MultiHeadAttentionOptions& options) {
  const bool none = options.projection == Projection::none;
  const bool has_output_projection = options.output_projection.value_or(!none);
  if (options.projection != Projection::linear &&
      options.num_kv_heads.value_or(options.num_heads) != options.num_heads) {
    fail_option("num_kv_heads: expected projection 'linear' beside it, got #",
                {none ? "'none'"sv : "'convolution'"sv});
  }
  if (none) {
    check_fits(!options.bias,
               "bias: expected projection 'linear' or 'convolution' beside it, got 'none'");
    if (options.qk_norm.has_value()) {
      fail_option("qk_norm: expected projection 'linear' or 'convolution' beside it, got 'none'",
                  {});
    }
    check_fits(!options.bias_kv,
               "bias_kv: expected projection 'linear' or 'convolution' beside it, got 'none'");
    check_fits(
        !has_output_projection,
        "output_projection: expected projection 'linear' or 'convolution' beside it, got 'none'");
  }
  if (!has_output_projection) {
    check_fits(!options.output_bias.value_or(false),
               "output_bias: expected an output projection beside it, got none");
    const std::int64_t output_size = options.output_size.value_or(options.num_hiddens);
    if (output_size != options.num_hiddens) {
      fail_option("output_size: expected num_hiddens (#) without an output projection, got #",
                  {options.num_hiddens, output_size});
    }
  }
}

void check_input_size(std::string_view argument, std::optional<std::int64_t> size,
                      Projection projection, std::int64_t num_hiddens, std::int64_t num_heads) {
  check_optional_size(argument, size);
  if (!size.has_value()) {
    return;
  }
  if (projection == Projection::none && *size != num_hiddens) {
    fail_option("#: expected num_hiddens (#) with projection 'none', got #",
                {argument, num_hiddens, *size});
  }
  if (projection == Projection::convolution && *size % num_heads != 0) {
    fail_option("#: expected a multiple of num_heads (#), got #", {argument, num_heads, *size});
  }
}

void check_pooling(const MultiHeadAttentionOptions& options) {
  if (options.pooling == Pooling::additive) {
    check_fits(!options.scale.has_value(),
               "scale: expected pooling 'dot-product' beside it, got 'additive'");
    check_fits(options.softcap == 0,
               "softcap: expected pooling 'dot-product' beside it, got 'additive'");
  } else {
    check_fits(!options.attention_hiddens.has_value(),
               "attention_hiddens: expected pooling 'additive' beside it, got 'dot-product'");
  }
}

/// Not NaN, and finite as a float.
bool fits_float(double number) {
  constexpr double max = std::numeric_limits<float>::max();
  return number >= -max && number <= max;
}

/// A finite number above the least.
void check_above(std::string_view argument, double number, std::int64_t least) {
  if (!(number > static_cast<double>(least) && is_finite(number))) {
    fail_option("#: expected a finite number above #, got #", {argument, least, number});
  }
}

void check_scaling(const RotaryScaling& scaling, double base) {
  check_above("rotary.scaling.factor", scaling.factor, 0);
  check_above("rotary.scaling.attention_factor", scaling.attention_factor.value_or(1), 0);
  if (scaling.type == RotaryScaling::Type::linear) {
    return;
  }
  check_above("rotary.scaling.original_length", scaling.original_length, 0);
  check_above("rotary.scaling.slow_turns", scaling.slow_turns, 0);
  const double fast = scaling.fast_turns.value_or(scaling.slow_turns + 1);
  if (!(fast > scaling.slow_turns && is_finite(fast))) {
    fail_option("rotary.scaling.fast_turns: expected a finite number above slow_turns, got #",
                {fast});
  }
  if (scaling.type == RotaryScaling::Type::yarn) {
    check_above("rotary.base", base, 1);
  }
}

void check_rotary(const RotaryOptions& rotary, std::int64_t head_size) {
  check_above("rotary.base", rotary.base, 0);
  const std::int64_t size = rotary.size.value_or(head_size);
  if (size < 2 || size > head_size || size % 2 != 0) {
    fail_option("rotary.size: expected an even integer from 2 to the head size (#), got #",
                {head_size, size});
  }
  if (rotary.scaling.has_value()) {
    check_scaling(*rotary.scaling, rotary.base);
  }
}

}  // namespace

bool is_finite(double number) { return number - number == 0; }

void check_size(std::string_view argument, std::int64_t size) {
  if (size < 1 || size > max_size) {
    fail_option("#: expected an integer from 1 to 2147483647, got #", {argument, size});
  }
}

void check_from_0(std::string_view argument, std::int64_t number) {
  if (number < 0 || number > max_size) {
    fail_option("#: expected an integer from 0 to 2147483647, got #", {argument, number});
  }
}

void check_scale(std::optional<double> scale, std::string_view argument) {
  if (scale.has_value() && !fits_float(*scale)) {
    fail_option("#: expected a finite number, got #", {argument, *scale});
  }
}

void check_softcap(double softcap) { check_at_least_0("softcap", softcap); }

void check_at_least_0(std::string_view argument, double number) {
  if (!(number >= 0 && fits_float(number))) {
    fail_option("#: expected a finite number from 0 on, got #", {argument, number});
  }
}

void check_window(const std::optional<Window>& window, std::string_view argument) {
  const Window given = window.value_or(Window{});
  for (const std::optional<std::int64_t> side : {given.left, given.right}) {
    const std::int64_t size = side.value_or(0);
    if (size < 0) {
      fail_option("#: expected two integers from 0 on or Infinity, got #", {argument, size});
    }
  }
}

void check_divides(std::int64_t num_heads, std::string_view what, std::uint64_t size) {
  if (num_heads < 1 || size % static_cast<std::uint64_t>(num_heads) != 0) {
    fail_option("num_heads: expected a divisor of # (#), got #", {what, size, num_heads});
  }
}

void check_layer_options(const MultiHeadAttentionOptions& options) {
  const std::int64_t num_hiddens = options.num_hiddens;
  const std::int64_t num_heads = options.num_heads;
  check_size("num_hiddens", num_hiddens);
  check_size("num_heads", num_heads);
  check_divides(num_heads, "num_hiddens", static_cast<std::uint64_t>(num_hiddens));
  if (!(options.dropout >= 0 && options.dropout <= 1)) {
    fail_option("dropout: expected a number from 0 to 1, got #", {options.dropout});
  }
  const Projection projection = options.projection;
  check_input_size("query_size", options.query_size, projection, num_hiddens, num_heads);
  check_input_size("key_size", options.key_size, projection, num_hiddens, num_heads);
  check_input_size("value_size", options.value_size, projection, num_hiddens, num_heads);
  check_optional_size("output_size", options.output_size);
  check_optional_size("num_kv_heads", options.num_kv_heads);
  if (num_heads % options.num_kv_heads.value_or(1) != 0) {
    fail_option("num_kv_heads: expected a divisor of num_heads (#), got #",
                {num_heads, *options.num_kv_heads});
  }
  check_optional_size("attention_hiddens", options.attention_hiddens);
  check_scale(options.scale);
  check_softcap(options.softcap);
  if (options.rotary.has_value()) {
    check_rotary(*options.rotary, num_hiddens / num_heads);
  }
  if (options.qk_norm.has_value()) {
    check_at_least_0("qk_norm.epsilon", options.qk_norm->epsilon);
  }
  constexpr std::uint64_t seed_limit = std::uint64_t{1} << 53U;
  if (options.seed.has_value() && *options.seed >= seed_limit) {
    fail_option("seed: expected an integer from 0 to 9007199254740991, got #", {*options.seed});
  }
  check_projection(options);
  check_pooling(options);
}

void check_cache_sizes(std::int64_t batch_size, std::int64_t max_length) {
  check_size("batch_size", batch_size);
  check_size("max_length", max_length);
}

void check_cache_precision(Precision precision) {
  check_fits(precision != Precision::int4,
             "precision: expected 'float32', 'float16' or 'int8', got \"int4\"");
}

void check_truncate(std::int64_t length, std::size_t held) {
  if (length < 0 || static_cast<std::uint64_t>(length) > held) {
    fail_text(ErrorCode::invalid_value, "length: expected an integer from 0 to #, got #",
              {held, length});
  }
}

void check_positional_encoding(std::int64_t length, std::int64_t num_hiddens) {
  check_from_0("length", length);
  check_size("num_hiddens", num_hiddens);
}

}  // namespace headwise::validation
