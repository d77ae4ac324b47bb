#pragma once

#include <headwise/dot_product_attention.hpp>

namespace headwise {

/// Parameters of additive scores: W_q (hiddens, query size), W_k (hiddens, key size), w_v (1,
/// hiddens).
struct AdditiveAttentionParameters {
  Tensor<2> W_q;
  Tensor<2> W_k;
  Tensor<2> w_v;
};

/// The mask options of `DotProductAttentionOptions`; scale and softcap go with dot products only.
struct AdditiveAttentionOptions {
  ValidLens valid_lens = {};
  /// Broadcasts to (batch, queries, keys).
  Mask mask = {};
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
[[nodiscard]] PoolingResult<3> additive_attention(const Tensor<3>& queries, const Tensor<3>& keys,
                                                  const Tensor<3>& values,
                                                  const AdditiveAttentionParameters& parameters,
                                                  const AdditiveAttentionOptions& options = {});

}  // namespace headwise
