#pragma once

#include <cstdint>
#include <headwise/core/models/activations.hpp>
#include <headwise/tensor.hpp>
#include <optional>
#include <variant>
#include <vector>

namespace headwise {

/// Replaces an activation during a forward pass. `backward` treats the new value as a constant.
/// Source: activation patching, as in TransformerLens.
struct Patch {
  /// Any except `scores`, `dropped_weights`, `key_mass` and `row_entropy`. Rows of a replaced
  /// pattern need not sum to 1, and dropout leaves them as they are. `dropped_weights`, `key_mass`
  /// and `row_entropy` are computed from the replaced pattern. `pattern` cannot be replaced in a
  /// pass with a cache.
  ActivationName at{};
  std::int64_t layer = -1;  ///< required, except for `embeddings` and `final_norm_scale`
  Side side = Side::self;
  /// Which heads to replace, if the activation has heads. Default: all.
  std::optional<std::vector<std::int64_t>> heads = {};
  /// Which positions of the call. Default: all.
  std::optional<std::vector<std::int64_t>> positions = {};
  /// The new value: numbers of the activation's shape, or only those of the chosen heads and
  /// positions, in their order; zeros; or the activation's own mean over batch and positions.
  std::variant<PatchKind, xt::xarray<float>> value = PatchKind::zero;
};

/// The captured activations of one side of a model: a tensor for each captured layer.
struct ModelCaptures {
  std::vector<Tensor<4>> queries;          ///< (batch, heads, queries, head size)
  std::vector<Tensor<4>> keys;             ///< (batch, key-value heads, keys, head size)
  std::vector<Tensor<4>> values;           ///< (batch, key-value heads, keys, head size)
  std::vector<Tensor<4>> scores;           ///< (batch, heads, queries, keys)
  std::vector<Tensor<4>> pattern;          ///< (batch, heads, queries, keys)
  std::vector<Tensor<4>> dropped_weights;  ///< (batch, heads, queries, keys)
  std::vector<Tensor<4>> z;                ///< (batch, heads, queries, head size)
  std::vector<Tensor<4>> head_out;         ///< (batch, heads, queries, num_hiddens)
  std::vector<Tensor<3>> key_mass;         ///< (batch, heads, keys)
  std::vector<Tensor<3>> row_entropy;      ///< (batch, heads, queries)
  // (batch, length, num_hiddens)
  std::vector<Tensor<3>> resid_pre;
  std::vector<Tensor<3>> attn_out;
  std::vector<Tensor<3>> resid_mid;
  std::vector<Tensor<3>> mlp_out;
  std::vector<Tensor<3>> resid_post;
  std::optional<Tensor<3>> embeddings = {};
  std::optional<Tensor<2>> final_norm_scale = {};  ///< (batch, length)
};

}  // namespace headwise
