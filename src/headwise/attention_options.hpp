#pragma once

#include <cstdint>
#include <headwise/core/attention/mask_rules.hpp>
#include <headwise/masks.hpp>
#include <optional>
#include <utility>
#include <vector>

/// The options of calls that have masks.
namespace headwise {

class KeyValueCache;

/// Which attention weights a forward returns: none or all (converted from a bool), or only those of
/// some heads and queries, which cost no more than their own rows.
struct ReturnedWeights {
  ReturnedWeights(bool all_rows = false) noexcept : all(all_rows) {}  // NOLINT(*-explicit-*)
  /// Only these heads and queries. Absent: all of them.
  ReturnedWeights(std::optional<std::vector<std::int64_t>> of_heads,
                  std::optional<std::vector<std::int64_t>> of_queries) noexcept
      : all(true), heads(std::move(of_heads)), queries(std::move(of_queries)) {}
  /// Only the last query.
  [[nodiscard]] static ReturnedWeights last_query(
      std::optional<std::vector<std::int64_t>> of_heads = {}) noexcept {
    ReturnedWeights weights(std::move(of_heads), std::nullopt);
    weights.last_query_only = true;
    return weights;
  }

  explicit operator bool() const noexcept { return all; }

  bool all;
  /// Indices without duplicates; the result has this order.
  std::optional<std::vector<std::int64_t>> heads = {};
  std::optional<std::vector<std::int64_t>> queries = {};
  bool last_query_only = false;
};

/// Intermediate results that a forward returns.
struct Capture {
  bool queries = false;          ///< after projection and rotation
  bool keys = false;             ///< likewise, cached ones included
  bool values = false;           ///< likewise
  bool scores = false;           ///< scaled, capped and masked: −∞ where masked
  bool pooled = false;           ///< each head's result before its gate
  bool dropped_weights = false;  ///< the weights after dropout

  [[nodiscard]] bool any() const noexcept {
    return queries || keys || values || scores || pooled || dropped_weights;
  }
};

struct ForwardOptions {
  /// Which keys each query may attend to: absent, (batch,) or (batch, queries). Source: d2l.
  ValidLens valid_lens = {};
  /// Boolean: which keys each query may attend to. Float: added to its scores.
  Mask mask = {};
  /// A tokenizer's `attention_mask`, (batch, keys): which keys may be attended to.
  Mask key_mask = {};
  /// Whether a query attends only to keys up to its own position.
  Causal causal = Causal::none;
  /// Sliding window around each query's position.
  std::optional<Window> window = {};
  /// Multiplies each head's pooled output before W_o.
  HeadGate head_gate = {};
  /// KV cache of earlier positions; the given keys and values are appended. "Keys" in `valid_lens`,
  /// `mask`, `key_mask` and `window` then means the cached and the given ones. Null: no cache.
  KeyValueCache* cache = nullptr;
  /// Positions of query i and given key i in a layer with rotary positions. Default:
  /// (cached keys) + i. Masks ignore them.
  RotaryPositions positions = {};
  /// Result of a query without a key. Default: zeros.
  EmptyRows empty_rows = EmptyRows::zero;
  /// Whether to return the attention weights, or which of them. Default: no, which avoids storing
  /// them.
  ReturnedWeights return_weights = false;
  /// Which stage of the weights to return. Default: the final weights.
  WeightsStage weights_stage = WeightsStage::softmax;
  /// Whether to return each head's weight on each key, summed over the queries. Does not store the
  /// weights. Default: no.
  bool key_mass = false;
  /// Which intermediate results to return. Default: none.
  Capture capture = {};
  /// Whether to save activations for `backward`: copies of inputs and masks, but not the scores.
  /// Not with a cache. Source: PyTorch, `requires_grad`.
  bool requires_grad = false;
};

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

/// The mask options other than tensors. Internal.
template <typename Options>
[[nodiscard]] MaskRules rules_of(const Options& options) noexcept {
  MaskRules rules{.causal = options.causal, .empty_rows = options.empty_rows};
  rules.set_window(options.window);
  return rules;
}

}  // namespace headwise
