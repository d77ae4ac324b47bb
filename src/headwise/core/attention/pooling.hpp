#pragma once

#include <array>
#include <cstddef>
#include <headwise/core/attention/attention_mask.hpp>
#include <headwise/core/attention/dropout.hpp>
#include <headwise/heads.hpp>

/// Attention pooling of heads for callers who own all memory: what `scaled_dot_product_attention`,
/// `additive_attention` and the layer share.
namespace headwise {

/// Key-value pairs after the given ones, the same for every sample.
struct ExtraSlot {
  const float* key;    ///< (key-value heads, key size); null is zeros
  const float* value;  ///< (key-value heads, value size); null is zeros
};

/// What is pooled, and where it goes.
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
  /// `mask->num_extra_slots` of them count.
  std::array<ExtraSlot, 2> extra_slots{};
  Dropout dropout{};
  /// Factor of each head's pooled result, entry [sample · gate_stride + head]; null is 1.
  const float* head_gate = nullptr;
  std::size_t gate_stride = 0;
  HeadsView<float> pooled{};
  /// (batch, heads, queries, keys + extra slots), before dropout; null if nobody asks.
  float* attention_weights = nullptr;
  WeightsStage weights_stage = WeightsStage::softmax;
  /// At most so many threads pool; each needs workspace of its own.
  std::size_t num_threads = 1;
};

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

/// 1 / √d.
[[nodiscard]] float default_scale(std::size_t head_size) noexcept;

/// Floats of workspace that each thread needs for pooling, at most: linear in the number of keys,
/// which counts extra slots. In double, which counts exactly and cannot overflow where std::size_t
/// has 32 bits. `attention_hiddens` is 0 for dot products.
[[nodiscard]] double pooling_workspace_size(double num_keys, double query_size, double key_size,
                                            double value_size, double attention_hiddens) noexcept;

/// What a function such as `pooling_workspace_size` says for these arguments.
template <typename Size>
[[nodiscard]] std::size_t workspace_of_thread(const PoolingArguments& arguments,
                                              std::size_t attention_hiddens, Size size) noexcept {
  return static_cast<std::size_t>(
      size(static_cast<double>(arguments.mask->num_keys + arguments.mask->num_extra_slots),
           static_cast<double>(arguments.query_size), static_cast<double>(arguments.key_size),
           static_cast<double>(arguments.value_size), static_cast<double>(attention_hiddens)));
}

/// Pools every head. Scores exist for a few queries of a thread at a time. `workspace` is
/// `num_threads` times what `pooling_workspace_size` says.
void pool(const PoolingArguments& arguments, const DotProductScoring& scoring,
          float* workspace) noexcept;
void pool(const PoolingArguments& arguments, const AdditiveScoring& scoring,
          float* workspace) noexcept;

}  // namespace headwise
