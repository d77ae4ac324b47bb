#pragma once

#include <cstddef>
#include <cstdint>
#include <headwise/core/attention/attention_types.hpp>
#include <headwise/core/attention/head_norm.hpp>
#include <optional>

namespace headwise {

/// Scales rotary positions for inputs that are longer than those a model was first trained on. The
/// frequency f of each pair of elements becomes s · f + (1 − s) · f / `factor`, with s from 0 to 1.
struct RotaryScaling {
  enum class Type : std::uint8_t {
    linear,  ///< s = 0. Source: Chen et al. 2023
    /// s rises from 0 to 1 with the frequency, from `slow_turns` to `fast_turns`. Source:
    /// Llama 3.1.
    llama3,
    /// s rises with the logarithm of the frequency, that is, with the pair's number. Source: Peng
    /// et al. 2023, YaRN.
    yarn,
  };
  Type type = Type::linear;
  /// By how much frequencies are divided. Above 0.
  double factor = 1;
  /// Length of the inputs that the model was first trained on, over which a pair's turns are
  /// counted. Above 0. Not for linear scaling.
  double original_length = 0;
  /// Pairs with at most this many turns get s = 0. Above 0.
  double slow_turns = 1;
  /// Pairs with at least this many turns get s = 1. Above `slow_turns`. Default: 4 for Llama 3, 32
  /// for YaRN.
  std::optional<double> fast_turns = {};
  /// Whether YaRN's bounds are rounded to whole pairs.
  bool truncate = true;
  /// Factor of the rotated queries and keys. Above 0. Default: 0.1 · ln(factor) + 1 for YaRN if
  /// `factor` is above 1; else 1.
  std::optional<double> attention_factor = {};
};

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
  /// For longer inputs than a model was first trained on. Default: none.
  std::optional<RotaryScaling> scaling = {};
};

/// A head is divided by its root mean square and multiplied by a weight (head size,).
struct HeadNormOptions {
  /// Added to the mean square.
  double epsilon = 1e-5;
  /// Not for callers: WebAssembly has these functions only where such options are made.
  HeadNormFunctions functions = {};
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
  /// Whether W_o has a bias. Default: `bias`. Source: Bai et al. 2023, Qwen.
  std::optional<bool> output_bias = {};
  /// Sizes of the inputs' last axes. Default: inferred by the first forward or `load_state_dict`.
  /// Source: d2l, where they are inferred; PyTorch, `kdim` and `vdim`.
  std::optional<std::int64_t> query_size = {};
  std::optional<std::int64_t> key_size = {};
  std::optional<std::int64_t> value_size = {};
  /// Size of the output's last axis. Default: `num_hiddens`. Source: Keras, `output_shape`.
  std::optional<std::int64_t> output_size = {};
  /// Whether W_o projects the concatenated heads; otherwise they are the output. Default: yes,
  /// unless `projection` is none.
  std::optional<bool> output_projection = {};
  /// Number of key-value heads, each shared by the same number of query heads; divides `num_heads`.
  /// Default: `num_heads`. Source: Ainslie et al. 2023, grouped-query attention; ONNX Attention,
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
  /// Rotary positions of queries and keys, after their projection. The extra slots of `bias_kv` and
  /// `zero_attention` have no positions. Default: none. Source: Su et al. 2021.
  std::optional<RotaryOptions> rotary = {};
  /// RMS norms of each head's queries and keys, with the parameters `q_norm.weight` and
  /// `k_norm.weight` (head size,), after their projection and before rotation. They leave the extra
  /// slots as they are. Default: none. Source: Qwen3.
  std::optional<HeadNormOptions> qk_norm = {};
  /// Whether to append an extra slot to the keys and values: a learnt pair, `bias_k` and `bias_v`.
  /// Source: PyTorch, `add_bias_kv`.
  bool bias_kv = false;
  /// Whether to append an extra slot of zeros to the keys and values. Source: PyTorch,
  /// `add_zero_attn`.
  bool zero_attention = false;
  /// Precision of the weights of W_q, W_k, W_v and W_o. Fewer than 32 bits are faster for few
  /// queries, but cannot be trained. Other parameters stay float32.
  Precision weights = Precision::float32;
  /// Seed of the parameters and of dropout, below 2^53. Default: a random one.
  std::optional<std::uint64_t> seed = {};
};

/// What the parameters of a new layer or model are: drawn from the seed, or zeros until they are
/// loaded, which takes less time.
enum class InitialParameters : bool { random, zeros };

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
  /// Null: frequencies are not scaled. A pointer, so that WebAssembly without models does not have
  /// the function.
  double (*scaled_frequency)(const RotarySettings& rotary, std::size_t pair,
                             double unscaled) noexcept = nullptr;
  /// Pair i keeps the share s = ramp_offset + ramp_by_frequency · frequency + ramp_by_pair · i of
  /// its frequency, clamped to [0, 1], and this share of the rest.
  double interpolation = 1;
  double ramp_offset = 0;
  double ramp_by_frequency = 0;
  double ramp_by_pair = 0;
  /// Factor of the rotated elements.
  double attention_factor = 1;
};

/// The settings, without scaling so far, with it.
[[nodiscard]] RotarySettings scale_rotary(const RotaryScaling& scaling,
                                          RotarySettings rotary) noexcept;

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
  std::optional<HeadNormOptions> qk_norm;
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
