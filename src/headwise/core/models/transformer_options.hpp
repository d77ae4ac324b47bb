#pragma once

#include <cstdint>
#include <headwise/core/attention/layer_options.hpp>
#include <headwise/core/models/model_parameters.hpp>
#include <headwise/core/training/optimizer_core.hpp>
#include <optional>
#include <vector>

namespace headwise {

/// How a model encodes positions.
enum class Positions {
  sinusoidal,  ///< d2l's `positional_encoding`
  learned,     ///< a parameter, `position.weight`
};

struct AttentionOnlyTransformerOptions {
  /// Size of the vocabulary: tokens are numbers from 0 to below it. At least 1, as are the other
  /// sizes.
  std::int64_t vocabulary_size = 0;
  /// Maximum length of an input.
  std::int64_t max_length = 0;
  /// Size of the residual stream, and of all heads of a layer together.
  std::int64_t num_hiddens = 0;
  /// Heads of each layer; divides `num_hiddens`.
  std::int64_t num_heads = 0;
  std::int64_t num_layers = 1;
  Positions positions = Positions::sinusoidal;
  /// Whether a position attends only to itself and those before it.
  bool causal = true;
  /// Whether layer norms precede each layer and the unembedding. Source: Xiong et al. 2020,
  /// pre-layer normalization.
  bool layer_norm = false;
  /// Whether the layers' projections have a bias.
  bool bias = false;
  /// Probability that an attention weight is dropped in training mode, from 0 to 1.
  double dropout = 0;
  /// Seed of the parameters and of dropout, below 2^53; drawn at random when left out.
  std::optional<std::uint64_t> seed = {};
  /// Options of the model's own optimizer.
  AdamOptions optimizer = {};
};

/// Sizes of the model's parameters outside its layers. Fails as an allocation does if the model
/// exceeds the address space.
[[nodiscard]] ModelParameters::Sizes sizes_of(const AttentionOnlyTransformerOptions& options);

/// The options of the model's layers, each with a seed of its own.
[[nodiscard]] std::vector<MultiHeadAttentionOptions> layer_options_of(
    const AttentionOnlyTransformerOptions& options, std::uint64_t seed);

}  // namespace headwise
