#pragma once

#include <cstddef>
#include <headwise/attention_options.hpp>
#include <headwise/tensor.hpp>
#include <optional>

namespace headwise {

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
