#pragma once

#include <cstddef>
#include <headwise/attention/dropout.hpp>
#include <headwise/attention/heads.hpp>
#include <headwise/attention/key_ranges.hpp>
#include <headwise/attention/valid_lens.hpp>
#include <headwise/tensor.hpp>
#include <optional>

namespace headwise {

struct DotProductAttentionOptions {
  /// Which keys each query may attend to. Default: all.
  ValidLens valid_lens = {};
  /// What a query without a valid key gets. Default: zeros.
  EmptyRows empty_rows = EmptyRows::zero;
  /// Whether to return the attention weights. Default: no, and then they are never stored.
  bool return_weights = false;
};

/// Pooled values, and the attention weights if they were asked for.
template <std::size_t Rank>
struct PoolingResult {
  Tensor<Rank> output;
  std::optional<Tensor<Rank>> attention_weights;
};

/// softmax(Q Kᵀ / √d) V for each sample. queries (batch, queries, d), keys (batch, keys, d), values
/// (batch, keys, v) → output (batch, queries, v), weights (batch, queries, keys).
/// Source: d2l, Attention Scoring Functions, `DotProductAttention`. Throws `Error`: invalid-shape,
/// invalid-value.
[[nodiscard]] PoolingResult<3> dot_product_attention(
    const Tensor<3>& queries, const Tensor<3>& keys, const Tensor<3>& values,
    const DotProductAttentionOptions& options = {});

/// The same for heads side by side: queries (batch, heads, queries, d), keys (batch, heads, keys,
/// d), values (batch, heads, keys, v) → output (batch, heads, queries, v), weights (batch, heads,
/// queries, keys). Valid lengths are those of the samples and hold for all heads. Source: PyTorch,
/// `scaled_dot_product_attention`.
[[nodiscard]] PoolingResult<4> scaled_dot_product_attention(
    const Tensor<4>& queries, const Tensor<4>& keys, const Tensor<4>& values,
    const DotProductAttentionOptions& options = {});

/// What `pool_by_dot_product` works on.
struct PoolingArguments {
  const KeyRanges* ranges;
  std::size_t num_heads;
  std::size_t head_size;   ///< of queries and keys
  std::size_t value_size;  ///< of values and of the pooled result
  HeadsView<const float> queries;
  HeadsView<const float> keys;
  HeadsView<const float> values;
  float scale;
  Dropout dropout;
  HeadsView<float> pooled;
  float* attention_weights;  ///< (batch, heads, queries, keys), before dropout; null if nobody asks
};

/// Floats of workspace that pooling needs, at most: linear in the number of keys. In double, which
/// counts exactly and cannot overflow where std::size_t has 32 bits.
[[nodiscard]] double pooling_workspace_size(double num_keys, double head_size,
                                            double value_size) noexcept;

/// Scaled dot-product pooling of every head for callers who own all memory. Scores exist for a few
/// rows at a time.
void pool_by_dot_product(const PoolingArguments& arguments, float* workspace) noexcept;

/// 1 / √d.
[[nodiscard]] float default_scale(std::size_t head_size) noexcept;

}  // namespace headwise
