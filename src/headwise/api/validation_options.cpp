#include <cmath>
#include <headwise/api/validation.hpp>
#include <headwise/api/validation_text.hpp>
#include <headwise/api/validation_training.hpp>
#include <headwise/multi_head_attention.hpp>
#include <limits>

namespace headwise::validation {
namespace {

constexpr std::int64_t max_size = std::numeric_limits<std::int32_t>::max();

void check_optional_size(std::string_view argument, const std::optional<std::int64_t>& size) {
  if (size.has_value()) {
    check_size(argument, *size);
  }
}

std::string_view name_of(Projection projection) {
  return projection == Projection::linear        ? "'linear'"
         : projection == Projection::convolution ? "'convolution'"
                                                 : "'none'";
}

/// Fails when an option is given that requires another value of a second option.
void check_goes_with(bool given, std::string_view argument, std::string_view needed, bool fits_it,
                     std::string_view got) {
  if (given && !fits_it) {
    fail(ErrorCode::invalid_option, argument, {needed, " beside it"}, {got});
  }
}

void check_projection(const MultiHeadAttentionOptions& options) {
  const bool linear = options.projection == Projection::linear;
  const bool none = options.projection == Projection::none;
  const std::string_view got = name_of(options.projection);
  const std::string_view with_parameters = "projection 'linear' or 'convolution'";
  check_goes_with(options.num_kv_heads.value_or(options.num_heads) != options.num_heads,
                  "num_kv_heads", "projection 'linear'", linear, got);
  check_goes_with(options.bias, "bias", with_parameters, !none, got);
  check_goes_with(options.qk_norm.has_value(), "qk_norm", with_parameters, !none, got);
  check_goes_with(options.bias_kv, "bias_kv", with_parameters, !none, got);
  check_goes_with(options.output_projection.value_or(false), "output_projection", with_parameters,
                  !none, got);
  const bool has_output_projection = options.output_projection.value_or(!none);
  if (!has_output_projection &&
      options.output_size.value_or(options.num_hiddens) != options.num_hiddens) {
    fail(ErrorCode::invalid_option, "output_size",
         {"num_hiddens (", options.num_hiddens, ") without an output projection"},
         {*options.output_size});
  }
}

void check_input_size(std::string_view argument, const std::optional<std::int64_t>& size,
                      const MultiHeadAttentionOptions& options) {
  check_optional_size(argument, size);
  if (!size.has_value()) {
    return;
  }
  if (options.projection == Projection::none && *size != options.num_hiddens) {
    fail(ErrorCode::invalid_option, argument,
         {"num_hiddens (", options.num_hiddens, ") with projection 'none'"}, {*size});
  }
  if (options.projection == Projection::convolution && *size % options.num_heads != 0) {
    fail(ErrorCode::invalid_option, argument, {"a multiple of num_heads (", options.num_heads, ")"},
         {*size});
  }
}

void check_pooling(const MultiHeadAttentionOptions& options) {
  const bool additive = options.pooling == Pooling::additive;
  check_goes_with(options.attention_hiddens.has_value(), "attention_hiddens", "pooling 'additive'",
                  additive, "'dot-product'");
  check_goes_with(options.scale.has_value(), "scale", "pooling 'dot-product'", !additive,
                  "'additive'");
  check_goes_with(options.softcap != 0, "softcap", "pooling 'dot-product'", !additive,
                  "'additive'");
}

/// A finite number above the least, which is 0 or 1.
void check_above(std::string_view argument, double number, int least) {
  if (!(number > least && std::isfinite(number))) {
    fail(ErrorCode::invalid_option, argument,
         {least == 0 ? "a finite number above 0" : "a finite number above 1"}, {number});
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
  if (!(fast > scaling.slow_turns && std::isfinite(fast))) {
    fail(ErrorCode::invalid_option, "rotary.scaling.fast_turns",
         {"a finite number above slow_turns"}, {fast});
  }
  if (scaling.type == RotaryScaling::Type::yarn) {
    check_above("rotary.base", base, 1);
  }
}

void check_rotary(const MultiHeadAttentionOptions& options) {
  if (!options.rotary.has_value()) {
    return;
  }
  const auto& [base, given_size, interleaved, scaling] = *options.rotary;
  check_above("rotary.base", base, 0);
  const std::int64_t head_size = options.num_hiddens / options.num_heads;
  const std::int64_t size = given_size.value_or(head_size);
  if (size < 2 || size > head_size || size % 2 != 0) {
    fail(ErrorCode::invalid_option, "rotary.size",
         {"an even integer from 2 to the head size (", head_size, ")"}, {size});
  }
  if (scaling.has_value()) {
    check_scaling(*scaling, base);
  }
}

}  // namespace

void check_size(std::string_view argument, std::int64_t size) {
  if (size < 1 || size > max_size) {
    fail(ErrorCode::invalid_option, argument, {"an integer from 1 to 2147483647"}, {size});
  }
}

void check_scale(const std::optional<double>& scale) {
  if (scale.has_value() && !std::isfinite(*scale)) {
    fail(ErrorCode::invalid_option, "scale", {"a finite number"}, {*scale});
  }
}

void check_softcap(double softcap) {
  if (!(softcap >= 0 && std::isfinite(softcap))) {
    fail(ErrorCode::invalid_option, "softcap", {"a finite number from 0 on"}, {softcap});
  }
}

void check_divides(std::int64_t num_heads, std::string_view what, std::size_t size) {
  if (num_heads < 1 || size % static_cast<std::size_t>(num_heads) != 0) {
    fail(ErrorCode::invalid_option, "num_heads", {"a divisor of ", what, " (", size, ")"},
         {num_heads});
  }
}

void check_layer_options(const MultiHeadAttentionOptions& options) {
  check_size("num_hiddens", options.num_hiddens);
  check_size("num_heads", options.num_heads);
  check_divides(options.num_heads, "num_hiddens", static_cast<std::size_t>(options.num_hiddens));
  if (!(options.dropout >= 0 && options.dropout <= 1)) {
    fail(ErrorCode::invalid_option, "dropout", {"a number from 0 to 1"}, {options.dropout});
  }
  check_input_size("query_size", options.query_size, options);
  check_input_size("key_size", options.key_size, options);
  check_input_size("value_size", options.value_size, options);
  check_optional_size("output_size", options.output_size);
  check_optional_size("num_kv_heads", options.num_kv_heads);
  if (options.num_kv_heads.has_value() && options.num_heads % *options.num_kv_heads != 0) {
    fail(ErrorCode::invalid_option, "num_kv_heads",
         {"a divisor of num_heads (", options.num_heads, ")"}, {*options.num_kv_heads});
  }
  check_optional_size("attention_hiddens", options.attention_hiddens);
  check_scale(options.scale);
  check_softcap(options.softcap);
  check_rotary(options);
  check_at_least_0("qk_norm.epsilon", options.qk_norm.value_or(HeadNormOptions{}).epsilon);
  constexpr std::uint64_t seed_limit = std::uint64_t{1} << 53U;
  if (options.seed.has_value() && *options.seed >= seed_limit) {
    fail(ErrorCode::invalid_option, "seed", {"an integer from 0 to 9007199254740991"},
         {*options.seed});
  }
  check_projection(options);
  check_pooling(options);
}

void check_cache_options(const MultiHeadAttention& layer, const CacheOptions& options) {
  check_sizes_known(layer, "create_cache");
  check_size("batch_size", options.batch_size);
  check_size("max_length", options.max_length);
  check_cache_precision(options.precision);
}

void check_cache_precision(Precision precision) {
  if (precision != Precision::float32 && precision != Precision::float16) {
    fail(ErrorCode::invalid_option, "precision", {"'float32' or 'float16'"},
         {precision == Precision::int8 ? "\"int8\"" : "\"int4\""});
  }
}

void check_truncate(std::int64_t length, std::size_t held) {
  if (length < 0 || static_cast<std::uint64_t>(length) > held) {
    fail(ErrorCode::invalid_value, "length", {"an integer from 0 to ", held}, {length});
  }
}

void check_positional_encoding(std::int64_t length, std::int64_t num_hiddens) {
  if (length < 0 || length > max_size) {
    fail(ErrorCode::invalid_option, "length", {"an integer from 0 to 2147483647"}, {length});
  }
  check_size("num_hiddens", num_hiddens);
}

void check_in_use(bool in_use, std::string_view what) {
  if (!in_use) {
    fail(ErrorCode::disposed, what, {"one in use"}, {"one that was moved from"});
  }
}

void check_sizes_known(const MultiHeadAttention& layer, std::string_view what) {
  check_in_use(layer.in_use(), "layer");
  if (!layer.query_size() || !layer.key_size() || !layer.value_size()) {
    fail(ErrorCode::sizes_unknown, what, {"known sizes"},
         {"none yet; give query_size, key_size and value_size, or call forward or load_state_dict "
          "first"});
  }
}

}  // namespace headwise::validation
