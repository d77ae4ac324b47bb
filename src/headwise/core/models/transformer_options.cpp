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

/// Rejects a model larger than the address space before any of it is allocated.
void check_fits(const AttentionOnlyTransformerOptions& options) {
  const auto num_hiddens = static_cast<double>(options.num_hiddens);
  const double of_layer =
      4 * num_hiddens * num_hiddens + static_cast<double>(sizeof(AttentionLayer)) / sizeof(float);
  const double rows =
      2 * static_cast<double>(options.vocabulary_size) + static_cast<double>(options.max_length);
  // `checked_count` limits a tensor to half of the address space.
  static_cast<void>(
      checked_count((rows * num_hiddens + static_cast<double>(options.num_layers) * of_layer) / 2));
}

}  // namespace

ModelParameters::Sizes sizes_of(const AttentionOnlyTransformerOptions& options) {
  check_fits(options);
  return {.vocabulary_size = static_cast<std::size_t>(options.vocabulary_size),
          .max_length = static_cast<std::size_t>(options.max_length),
          .num_hiddens = static_cast<std::size_t>(options.num_hiddens),
          .num_layers = static_cast<std::size_t>(options.num_layers),
          .learned_positions = options.positions == Positions::learned,
          .layer_norm = options.layer_norm};
}

std::vector<MultiHeadAttentionOptions> layer_options_of(
    const AttentionOnlyTransformerOptions& options, std::uint64_t seed) {
  std::vector<MultiHeadAttentionOptions> layers;
  const auto num_layers = static_cast<std::size_t>(options.num_layers);
  layers.reserve(num_layers);
  for (std::size_t layer = 0; layer < num_layers; ++layer) {
    layers.push_back({.num_hiddens = options.num_hiddens,
                      .num_heads = options.num_heads,
                      .dropout = options.dropout,
                      .bias = options.bias,
                      .query_size = options.num_hiddens,
                      .key_size = options.num_hiddens,
                      .value_size = options.num_hiddens,
                      .seed = seed_of_layer(seed, layer)});
  }
  return layers;
}

}  // namespace headwise
