#pragma once

#include <cstdint>
#include <headwise/core/attention/layer_options.hpp>
#include <headwise/core/models/model_parameters.hpp>
#include <headwise/core/training/optimizer_core.hpp>
#include <optional>
#include <vector>

namespace headwise {

/// How a model knows where a token stands.
enum class Positions {
  sinusoidal,  ///< d2l's `positional_encoding`
  learned,     ///< a parameter, `position.weight`
};

struct AttentionOnlyTransformerOptions {
  /// Symbols that tokens may be, from 0 on. At least 1, as are the other sizes.
  std::int64_t vocabulary_size = 0;
  /// Positions that there are: no input is longer.
  std::int64_t max_length = 0;
  /// Size of the residual stream, and of all heads of a layer together.
  std::int64_t num_hiddens = 0;
  /// Heads of each layer; divides `num_hiddens`.
  std::int64_t num_heads = 0;
  std::int64_t num_layers = 1;
  Positions positions = Positions::sinusoidal;
  /// Whether a position sees only itself and those before it.
  bool causal = true;
  /// Whether each layer reads its input normalized, and the unembedding too. Source: Xiong et al.
  /// 2020, pre-layer normalization.
  bool layer_norm = false;
  /// Whether the layers' projections have a bias.
  bool bias = false;
  /// Probability that an attention weight is dropped in training mode, from 0 to 1.
  double dropout = 0;
  /// Seed of the parameters and of dropout, below 2^53; drawn at random when left out.
  std::optional<std::uint64_t> seed = {};
  /// Of the optimizer that `train_step` makes for itself.
  AdamOptions optimizer = {};
};

/// What a model of these options has beside its layers. Ends as an allocation that fails where no
/// memory can hold the model.
[[nodiscard]] ModelParameters::Sizes sizes_of(const AttentionOnlyTransformerOptions& options);

/// The options of its layers; each draws from a seed of its own.
[[nodiscard]] std::vector<MultiHeadAttentionOptions> layer_options_of(
    const AttentionOnlyTransformerOptions& options, std::uint64_t seed);

}  // namespace headwise
