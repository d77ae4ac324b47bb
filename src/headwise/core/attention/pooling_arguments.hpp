#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <headwise/core/attention/attention_mask.hpp>
#include <headwise/core/attention/dropout.hpp>
#include <headwise/core/attention/heads_view.hpp>
#include <headwise/core/attention/quantized_heads.hpp>
#include <headwise/core/memory/arena.hpp>

/// Arguments of attention pooling, forward and backward, for `scaled_dot_product_attention`,
/// `additive_attention` and the layer.
namespace headwise {

/// Key-value pairs after the given ones, the same for every sample.
struct ExtraSlot {
  const float* key;    ///< (key-value heads, key size); null is zeros
  const float* value;  ///< (key-value heads, value size); null is zeros
};

/// Which rows of the attention weights are returned: of each head, and of each query, its place
/// among those returned, −1 if it is not. Null is all of them, in order.
struct WeightRows {
  const std::int32_t* head_places = nullptr;   ///< (heads,)
  const std::int32_t* query_places = nullptr;  ///< (queries,)
  std::size_t num_heads = 0;                   ///< returned, unless `head_places` is null
  std::size_t num_queries = 0;                 ///< returned, unless `query_places` is null
};

/// Weights that pooling writes, at one stage.
struct WeightsOutput {
  /// (batch, heads, queries, keys + extra slots), or the rows of `rows`; null for none.
  float* to = nullptr;
  WeightRows rows{};
  WeightsStage stage = WeightsStage::softmax;
};

/// Inputs and outputs of pooling.
struct PoolingArguments {
  const AttentionMask* mask = nullptr;
  std::size_t num_heads = 1;
  /// Query head h reads key-value head h / (num_heads / num_kv_heads).
  std::size_t num_kv_heads = 1;
  std::size_t query_size = 0;  ///< floats of one query of one head
  std::size_t key_size = 0;
  std::size_t value_size = 0;  ///< of one value and of the pooled result
  HeadsView<const float> queries{};
  HeadsView<const float> keys{};
  HeadsView<const float> values{};
  /// Keys and values of another precision, in place of those; null for none.
  const QuantizedHeads* quantized = nullptr;
  /// `mask->num_extra_slots` of them are used.
  std::array<ExtraSlot, 2> extra_slots{};
  Dropout dropout{};
  HeadsView<float> pooled{};
  /// Weights before dropout: those that the caller asked for, and captured ones.
  std::array<WeightsOutput, 3> weights{};
  WeightsOutput dropped_weights{};  ///< after dropout
  /// (batch, heads, keys + extra slots): each head's weights on a key, before dropout, summed over
  /// the queries; null if not returned.
  float* key_mass = nullptr;
  /// A measure of each row of weights before dropout, (batch, heads, queries), which `measure`
  /// computes from the weights times `factor`; null if not returned.
  float* row_measures = nullptr;
  float (*measure)(const float* weights, std::size_t count, float factor) noexcept = nullptr;
  /// Threads that may compute, the calling one included.
  std::size_t num_threads = 1;
};

/// Where an output has a query's row; null if it has none.
[[nodiscard]] float* row_of(const PoolingArguments& arguments, const WeightsOutput& output,
                            std::size_t sample, std::size_t head, std::size_t query) noexcept;

/// How dot products become scores: scale · q·k, then cap · tanh(s / cap) if cap > 0.
struct DotProductScoring {
  float scale = 1.0F;
  float softcap = 0.0F;
};

/// Parameters of additive scores: w_v · tanh(W_q q + W_k k). W_q (hiddens, query size), W_k
/// (hiddens, key size), w_v (hiddens,).
struct AdditiveScoring {
  const float* W_q = nullptr;
  const float* W_k = nullptr;
  const float* w_v = nullptr;
  std::size_t hiddens = 0;
};

/// The scoring function: additive if its parameters are given, else dot products.
struct Scoring {
  DotProductScoring dot_product{};
  AdditiveScoring additive{};

  [[nodiscard]] bool is_additive() const noexcept { return additive.hiddens > 0; }
};

/// The sizes that determine the working memory of pooling.
struct PoolingSizes {
  std::size_t columns = 0;  ///< keys and extra slots
  std::size_t num_extra_slots = 0;
  std::size_t query_size = 0;
  std::size_t key_size = 0;
  std::size_t value_size = 0;
  std::size_t attention_hiddens = 0;  ///< 0 for dot products
  /// Number of heads, of all samples, whose weights on each key are summed over `summed_queries`; 0
  /// for none.
  std::size_t summed_heads = 0;
  std::size_t summed_queries = 0;
  bool quantized = false;  ///< whether keys and values are integers
};

/// Sizes for all keys; the visible ones may be fewer columns.
[[nodiscard]] inline PoolingSizes sizes_of(const PoolingArguments& arguments,
                                           const Scoring& scoring) noexcept {
  const AttentionMask& mask = *arguments.mask;
  return {.columns = mask.num_keys + mask.num_extra_slots,
          .num_extra_slots = mask.num_extra_slots,
          .query_size = arguments.query_size,
          .key_size = arguments.key_size,
          .value_size = arguments.value_size,
          .attention_hiddens = scoring.additive.hiddens,
          .summed_heads = arguments.key_mass != nullptr ? mask.batch * arguments.num_heads : 0,
          .summed_queries = mask.num_queries,
          .quantized = arguments.quantized != nullptr};
}

/// W_q and W_k of additive scores packed as columns; null for dot products.
struct PackedScoring {
  float* W_q = nullptr;
  float* W_k = nullptr;

  static PackedScoring lay_out(Arena& arena, const PoolingSizes& sizes) noexcept;
  void pack(const Scoring& scoring, const PoolingSizes& sizes) const noexcept;
};

}  // namespace headwise
