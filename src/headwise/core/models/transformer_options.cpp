#include <algorithm>
#include <array>
#include <cmath>
#include <headwise/core/attention/attention_layer.hpp>
#include <headwise/core/kernels/philox.hpp>
#include <headwise/core/memory/checked_sizes.hpp>
#include <headwise/core/models/transformer_options.hpp>
#include <headwise/core/random.hpp>

namespace headwise {
namespace {

/// Layers with the same seed would be initialized to the same parameters.
std::uint64_t seed_of_layer(std::uint64_t seed, std::size_t layer) noexcept {
  const kernels::PhiloxCounter random =
      kernels::philox({static_cast<std::uint32_t>(layer), 0, random_stream::layer_seeds, 0},
                      kernels::philox_key(seed));
  constexpr unsigned bits_above_53 = 11;
  return (std::uint64_t{random[0]} << 32U | random[1]) >> bits_above_53;
}

std::int64_t ffn_hiddens_of(const TransformerOptions& options) noexcept {
  return options.ffn_hiddens.value_or(4 * options.num_hiddens);
}

/// The least that a number of these weights takes, as a share of a float.
double share_of_float(Precision weights) noexcept {
  constexpr std::array<double, 4> shares = {1, 0.5, 0.25, 0.125};
  return shares[static_cast<std::size_t>(weights)];
}

/// Rejects a model larger than the address space before any of it is allocated.
void check_fits(const TransformerOptions& options) {
  const auto num_hiddens = static_cast<double>(options.num_hiddens);
  // Numbers of the model's own parameters.
  double own = static_cast<double>(options.vocabulary_size) *
               (options.head && !options.tied_embeddings ? 2 : 1);
  own += static_cast<double>(options.segments);
  if (options.positions != Positions::rotary && options.positions != Positions::none) {
    own += static_cast<double>(options.max_length) + static_cast<double>(options.position_offset);
  }
  own *= num_hiddens;
  // Of the layers' queries and outputs; grouped keys and values may be few.
  double of_layers = 0;
  double layers = 0;
  const auto add = [&](Side side, std::int64_t num_layers, std::int64_t ffn_hiddens) {
    const auto count = static_cast<double>(num_layers);
    const auto width = static_cast<double>(layer_options_of(options, side).num_hiddens);
    of_layers += count * 2 * num_hiddens * width;
    own += count * (options.gated ? 3 : 2) * num_hiddens * static_cast<double>(ffn_hiddens);
    layers += count * static_cast<double>(sizeof(AttentionLayer)) / sizeof(float);
  };
  add(Side::self, options.num_layers, ffn_hiddens_of(options));
  if (options.encoder) {
    add(Side::encoder, options.encoder->num_layers,
        options.encoder->ffn_hiddens.value_or(ffn_hiddens_of(options)));
  }
  if (options.patches) {
    const auto size = static_cast<double>(options.patches->image_size);
    own += size * size * (static_cast<double>(options.patches->channels) + num_hiddens);
  }
  // `checked_count` limits a block to half of the address space: the model's own, and the sum.
  const double share = share_of_float(options.weights);
  static_cast<void>(checked_count(share * own));
  static_cast<void>(checked_count((share * (own + of_layers) + layers) / 2));
}

std::vector<MaskRules> rules_of(std::int64_t num_layers, bool causal,
                                const std::optional<Window>& window) {
  MaskRules rules{.causal = causal ? Causal::top_left : Causal::none};
  rules.set_window(window);
  return std::vector<MaskRules>(static_cast<std::size_t>(num_layers), rules);
}

}  // namespace

TransformerOptions transformer_options_of(const AttentionOnlyTransformerOptions& options) {
  TransformerOptions result;
  result.vocabulary_size = options.vocabulary_size;
  result.max_length = options.max_length;
  result.num_hiddens = options.num_hiddens;
  result.num_heads = options.num_heads;
  result.num_layers = options.num_layers;
  result.ffn_hiddens = 0;
  result.norm = options.layer_norm ? Norm::layer : Norm::none;
  result.positions = options.positions;
  result.bias = options.bias;
  result.tied_embeddings = false;
  result.causal = options.causal;
  result.dropout = options.dropout;
  result.weights = options.weights;
  result.seed = options.seed;
  result.optimizer = options.optimizer;
  return result;
}

TransformerSettings settings_of(const TransformerOptions& options) {
  check_fits(options);
  return unchecked_settings_of(options);
}

TransformerSettings unchecked_settings_of(const TransformerOptions& options) {
  const PatchOptions patches = options.patches.value_or(PatchOptions{});
  TransformerSettings settings{
      .vocabulary_size = static_cast<std::size_t>(options.vocabulary_size),
      .max_length = static_cast<std::size_t>(options.max_length),
      .num_hiddens = static_cast<std::size_t>(options.num_hiddens),
      .activation = options.activation,
      .gated = options.gated,
      .norm = options.norm,
      .norm_first = options.norm_first,
      .parallel_residual = options.parallel_residual && options.ffn_hiddens != 0,
      .post_norms = options.post_norms && options.norm != Norm::none,
      .norm_epsilon = static_cast<float>(options.norm_epsilon),
      .norm_bias = options.norm_bias && options.norm == Norm::layer,
      .final_norm = options.final_norm.value_or(options.norm_first) && options.norm != Norm::none,
      .embedding_norm = options.embedding_norm && options.norm != Norm::none,
      .positions = options.positions,
      .position_offset = static_cast<std::size_t>(options.position_offset),
      .padding_token = options.padding_token,
      .embedding_scale = static_cast<float>(options.embedding_scale),
      .ffn_bias = options.ffn_bias.value_or(options.bias),
      .tied_embeddings = options.tied_embeddings,
      .logits_bias = options.logits_bias,
      .logits_softcap = static_cast<float>(options.logits_softcap),
      .head = options.head && !options.patches.has_value(),
      .segments = static_cast<std::size_t>(options.segments),
      .decoder = {.num_layers = static_cast<std::size_t>(options.num_layers),
                  .ffn_hiddens = static_cast<std::size_t>(ffn_hiddens_of(options)),
                  .causal = options.causal,
                  .has_cross_attention = options.encoder.has_value(),
                  .rules = rules_of(options.num_layers, options.causal, options.window)},
      .encoder = {},
      .image_size = static_cast<std::size_t>(patches.image_size),
      .patch_size = static_cast<std::size_t>(patches.patch_size),
      .channels = static_cast<std::size_t>(patches.channels),
      .class_token = patches.class_token,
      .weights = options.weights,
      .seed = options.seed.has_value() ? *options.seed : random_seed()};
  for (std::size_t layer = 0;
       layer < std::min(options.windows.size(), settings.decoder.rules.size()); ++layer) {
    settings.decoder.rules[layer].set_window(options.windows[layer]);
  }
  if (options.encoder) {
    settings.encoder = {.num_layers = static_cast<std::size_t>(options.encoder->num_layers),
                        .ffn_hiddens = static_cast<std::size_t>(
                            options.encoder->ffn_hiddens.value_or(ffn_hiddens_of(options))),
                        .causal = false,
                        .has_cross_attention = false,
                        .rules = rules_of(options.encoder->num_layers, false, options.window)};
  }
  if (settings.has_patches()) {
    settings.max_length = settings.num_patches() + (settings.class_token ? 1 : 0);
  }
  return settings;
}

MultiHeadAttentionOptions layer_options_of(const TransformerOptions& options, Side side) {
  const bool has_own_heads =
      side == Side::encoder && options.encoder && options.encoder->num_heads.has_value();
  const std::int64_t num_heads = has_own_heads ? *options.encoder->num_heads : options.num_heads;
  MultiHeadAttentionOptions layer;
  layer.num_hiddens =
      options.head_size.has_value() ? num_heads * *options.head_size : options.num_hiddens;
  layer.num_heads = num_heads;
  layer.num_kv_heads = has_own_heads ? std::nullopt : options.num_kv_heads;
  layer.dropout = options.dropout;
  layer.bias = options.qkv_bias.value_or(options.bias);
  layer.output_bias = options.bias;
  layer.query_size = layer.key_size = layer.value_size = options.num_hiddens;
  layer.output_size = options.num_hiddens;
  layer.scale = options.scale;
  layer.softcap = options.softcap;
  if (options.qk_norm) {
    layer.qk_norm = HeadNormOptions{.epsilon = options.norm_epsilon};
  }
  layer.weights = options.weights;
  if (options.positions == Positions::rotary && side != Side::cross) {
    layer.rotary = options.rotary;
  }
  layer.seed = options.seed;
  return layer;
}

std::size_t num_layers_of(const TransformerOptions& options, Side side) noexcept {
  if (side != Side::self && !options.encoder) {
    return 0;
  }
  return static_cast<std::size_t>(side == Side::encoder ? options.encoder->num_layers
                                                        : options.num_layers);
}

std::vector<MultiHeadAttentionOptions> layer_options_of(const TransformerOptions& options,
                                                        Side side, std::uint64_t seed) {
  std::vector<MultiHeadAttentionOptions> layers(num_layers_of(options, side),
                                                layer_options_of(options, side));
  const std::size_t first =
      static_cast<std::size_t>(side) * static_cast<std::size_t>(options.num_layers);
  for (std::size_t i = 0; i < layers.size(); ++i) {
    MultiHeadAttentionOptions& layer = layers[i];
    layer.seed = seed_of_layer(seed, first + i);
    if (options.scale_by_layer) {
      const std::int64_t head_size = layer.num_hiddens / layer.num_heads;
      const double scale = layer.scale.value_or(1 / std::sqrt(static_cast<double>(head_size)));
      layer.scale = scale / static_cast<double>(i + 1);
    }
  }
  return layers;
}

}  // namespace headwise
