#include <headwise/core/attention/layer_options.hpp>
#include <headwise/core/random.hpp>

namespace headwise {
namespace {

std::optional<RotarySettings> rotary_of(const std::optional<RotaryOptions>& options,
                                        std::size_t head_size) {
  if (!options.has_value()) {
    return std::nullopt;
  }
  const RotarySettings rotary{.base = options->base,
                              .size = to_size(options->size).value_or(head_size),
                              .interleaved = options->interleaved};
  if (options->scaling) {
    // A copy: options that are nowhere else in memory cost less code.
    const RotaryScaling scaling = *options->scaling;
    return scale_rotary(scaling, rotary);
  }
  return rotary;
}

}  // namespace

LayerSettings settings_of(const MultiHeadAttentionOptions& options) {
  const auto num_hiddens = static_cast<std::size_t>(options.num_hiddens);
  const auto num_heads = static_cast<std::size_t>(options.num_heads);
  const std::size_t head_size = num_hiddens / num_heads;
  return {.num_hiddens = num_hiddens,
          .num_heads = num_heads,
          .num_kv_heads = to_size(options.num_kv_heads).value_or(num_heads),
          .head_size = head_size,
          .output_size = to_size(options.output_size).value_or(num_hiddens),
          .output_projection =
              options.output_projection.value_or(options.projection != Projection::none),
          .bias = options.bias,
          .output_bias = options.output_bias.value_or(options.bias),
          .projection = options.projection,
          .pooling = options.pooling,
          .attention_hiddens = to_size(options.attention_hiddens).value_or(head_size),
          .scale = options.scale.has_value() ? static_cast<float>(*options.scale)
                                             : inverse_root(head_size),
          .softcap = static_cast<float>(options.softcap),
          .rotary = rotary_of(options.rotary, head_size),
          .qk_norm = options.qk_norm,
          .bias_kv = options.bias_kv,
          .zero_attention = options.zero_attention,
          .weights = options.weights,
          .dropout = options.dropout,
          .seed = options.seed.has_value() ? *options.seed : random_seed()};
}

}  // namespace headwise
