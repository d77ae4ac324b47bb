#pragma once

#include <cstddef>
#include <cstdint>
#include <headwise/masks.hpp>
#include <headwise/tensor.hpp>
#include <optional>

namespace headwise {

struct DotProductAttentionOptions {
  /// Which keys each query may attend to, (batch,) or (batch, queries). Default: all. Source: d2l.
  ValidLens valid_lens = {};
  /// Boolean: which keys each query may attend to. Float: added to its scores. Broadcasts to
  /// (batch, heads, queries, keys).
  Mask mask = {};
  /// Which keys of each sample may be attended to, (batch, keys): a tokenizer's `attention_mask`.
  Mask key_mask = {};
  /// Whether a query attends only to keys up to its own position.
  Causal causal = Causal::none;
  /// Sliding window around each query's position.
  std::optional<Window> window = {};
  /// Position of the first query among the keys, from 0 on. Source: ONNX Attention, the past's
  /// length.
  std::int64_t query_offset = 0;
  /// Factor of the dot products. Default: 1/√d. Source: PyTorch.
  std::optional<double> scale = {};
  /// Cap of the scaled scores, c · tanh(s / c); 0 is off. Source: ONNX Attention.
  double softcap = 0;
  /// Result of a query without a key. Default: zeros.
  EmptyRows empty_rows = EmptyRows::zero;
  /// Whether to return the attention weights. Default: no, and then they are never stored.
  bool return_weights = false;
  /// Which stage of the weights to return. Default: the final weights.
  WeightsStage weights_stage = WeightsStage::softmax;
};

/// Pooled values, and the attention weights if requested.
template <std::size_t Rank>
struct PoolingResult {
  Tensor<Rank> output;
  std::optional<Tensor<Rank>> attention_weights;
};

/// softmax(Q Kᵀ / √d) V for each sample. queries (batch, queries, d), keys (batch, keys, d), values
/// (batch, keys, v) → output (batch, queries, v), weights (batch, queries, keys); masks broadcast
/// to the weights' shape. Source: d2l, Attention Scoring Functions, `DotProductAttention`. Throws
/// `Error`: invalid-shape, invalid-value, invalid-option.
[[nodiscard]] PoolingResult<3> dot_product_attention(
    const TensorView<3>& queries, const TensorView<3>& keys, const TensorView<3>& values,
    const DotProductAttentionOptions& options = {});

/// The same for several heads: queries (batch, heads, queries, d), keys (batch, key-value heads,
/// keys, d), values (batch, key-value heads, keys, v) → output (batch, heads, queries, v), weights
/// (batch, heads, queries, keys). Heads are a multiple of key-value heads; query head h reads
/// key-value head h / (heads / key-value heads). Source: PyTorch, `scaled_dot_product_attention`;
/// ONNX Attention.
[[nodiscard]] PoolingResult<4> scaled_dot_product_attention(
    const TensorView<4>& queries, const TensorView<4>& keys, const TensorView<4>& values,
    const DotProductAttentionOptions& options = {});

/// Parameters of additive scores: W_q (hiddens, query size), W_k (hiddens, key size), w_v (1,
/// hiddens).
struct AdditiveAttentionParameters {
  Tensor<2> W_q;
  Tensor<2> W_k;
  Tensor<2> w_v;
};

/// The mask options of `DotProductAttentionOptions`; scale and softcap apply to dot products only.
struct AdditiveAttentionOptions {
  ValidLens valid_lens = {};
  /// Broadcasts to (batch, queries, keys).
  Mask mask = {};
  Mask key_mask = {};
  Causal causal = Causal::none;
  std::optional<Window> window = {};
  std::int64_t query_offset = 0;
  EmptyRows empty_rows = EmptyRows::zero;
  bool return_weights = false;
  WeightsStage weights_stage = WeightsStage::softmax;
};

/// Bahdanau pooling: softmax over keys of w_v · tanh(W_q q + W_k k), then the weighted sum of
/// values. queries (batch, queries, q), keys (batch, keys, k), values (batch, keys, v) → output
/// (batch, queries, v), weights (batch, queries, keys). Source: Bahdanau et al. 2014; d2l,
/// Attention Scoring Functions, `AdditiveAttention`. Throws `Error`: invalid-shape, invalid-value,
/// invalid-option.
[[nodiscard]] PoolingResult<3> additive_attention(const TensorView<3>& queries,
                                                  const TensorView<3>& keys,
                                                  const TensorView<3>& values,
                                                  const AdditiveAttentionParameters& parameters,
                                                  const AdditiveAttentionOptions& options = {});

}  // namespace headwise
