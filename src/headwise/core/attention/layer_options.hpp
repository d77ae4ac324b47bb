#pragma once

#include <cstddef>
#include <cstdint>
#include <headwise/core/attention/attention_types.hpp>
#include <optional>

namespace headwise {

/// Rotary positions: queries and keys of a head are rotated by angles proportional to their
/// positions, so that scores depend on differences of positions. Source: Su et al. 2021.
struct RotaryOptions {
  /// Element pair i is rotated by position · base^(−2i/size). Above 0.
  double base = 10000;
  /// Number of elements to rotate, from the first of each head; even. Default: the head size.
  std::optional<std::int64_t> size = {};
  /// Whether a pair is two neighbours, as in the paper, or one element of each half, as in
  /// Transformers.
  bool interleaved = false;
};

struct MultiHeadAttentionOptions {
  /// Total size of the heads; each has `num_hiddens` / `num_heads`. At least 1. Source: d2l.
  std::int64_t num_hiddens = 0;
  /// Number of heads; divides `num_hiddens`. Source: d2l.
  std::int64_t num_heads = 0;
  /// Probability that an attention weight is dropped in training mode, from 0 to 1. Source: d2l.
  double dropout = 0;
  /// Whether the projections have a bias. Source: d2l.
  bool bias = false;
  /// Whether W_o has one. Default: `bias`. Source: Bai et al. 2023, Qwen.
  std::optional<bool> output_bias = {};
  /// Sizes of the inputs' last axes. Default: inferred by the first forward or `load_state_dict`.
  /// Source: d2l, where they are inferred; PyTorch, `kdim` and `vdim`.
  std::optional<std::int64_t> query_size = {};
  std::optional<std::int64_t> key_size = {};
  std::optional<std::int64_t> value_size = {};
  /// Size of the output's last axis. Default: `num_hiddens`. Source: Keras, `output_shape`.
  std::optional<std::int64_t> output_size = {};
  /// Whether the output is W_o of the concatenated heads, or these themselves. Default: W_o, unless
  /// `projection` is none.
  std::optional<bool> output_projection = {};
  /// Number of key-value heads, each shared by as many query heads; divides `num_heads`. Default:
  /// `num_heads`. Source: Ainslie et al. 2023, grouped-query attention; ONNX Attention,
  /// `kv_num_heads`.
  std::optional<std::int64_t> num_kv_heads = {};
  /// How each head scores its keys.
  Pooling pooling = Pooling::dot_product;
  /// Hidden units of additive pooling. Default: num_hiddens / num_heads. Source: d2l,
  /// `AdditiveAttention`.
  std::optional<std::int64_t> attention_hiddens = {};
  /// How heads are formed.
  Projection projection = Projection::linear;
  /// Factor of the dot products. Default: 1/√(head size). Source: Vaswani et al. 2017.
  std::optional<double> scale = {};
  /// Cap of the scaled scores: c · tanh(s / c); 0 is off. Source: Gemma 2; ONNX Attention,
  /// `softcap`.
  double softcap = 0;
  /// Rotary positions of queries and keys, after their projection. The extra slots have none.
  /// Default: none. Source: Su et al. 2021.
  std::optional<RotaryOptions> rotary = {};
  /// Whether a learnt key-value pair, `bias_k` and `bias_v`, follows the given ones. Source:
  /// PyTorch, `add_bias_kv`.
  bool bias_kv = false;
  /// Whether a pair of zeros follows the given ones. Source: PyTorch, `add_zero_attn`.
  bool zero_attention = false;
  /// Precision of the weights of W_q, W_k, W_v and W_o. Fewer than 32 bits are faster for few
  /// queries, but cannot be trained. Other parameters stay float32.
  Precision weights = Precision::float32;
  /// Seed of the parameters and of dropout, below 2^53. Default: a random one.
  std::optional<std::uint64_t> seed = {};
};

/// A size of the options, which is positive.
[[nodiscard]] constexpr std::optional<std::size_t> to_size(
    std::optional<std::int64_t> size) noexcept {
  return size.has_value() ? std::optional(static_cast<std::size_t>(*size)) : std::nullopt;
}

/// The rotary options with their defaults.
struct RotarySettings {
  double base;
  std::size_t size;
  bool interleaved;
};

/// A layer's options with their defaults.
struct LayerSettings {
  std::size_t num_hiddens;
  std::size_t num_heads;
  std::size_t num_kv_heads;
  std::size_t head_size;
  std::size_t output_size;
  bool output_projection;
  bool bias;
  bool output_bias;
  Projection projection;
  Pooling pooling;
  std::size_t attention_hiddens;
  float scale;
  float softcap;
  std::optional<RotarySettings> rotary;
  bool bias_kv;
  bool zero_attention;
  Precision weights;
  double dropout;
  std::uint64_t seed;

  /// Floats of one position's queries in all heads, and of its keys or values.
  [[nodiscard]] std::size_t query_width() const noexcept { return num_heads * head_size; }
  [[nodiscard]] std::size_t key_value_width() const noexcept { return num_kv_heads * head_size; }
  [[nodiscard]] std::size_t num_extra_slots() const noexcept {
    return (bias_kv ? 1U : 0U) + (zero_attention ? 1U : 0U);
  }
};

/// The options with their defaults. They are not checked.
[[nodiscard]] LayerSettings settings_of(const MultiHeadAttentionOptions& options);

/// Sizes of the last axes of queries, keys and values.
struct InputSizes {
  std::size_t query_size;
  std::size_t key_size;
  std::size_t value_size;
};

}  // namespace headwise
