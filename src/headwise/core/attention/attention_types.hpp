#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace headwise {

/// How each head scores its keys.
enum class Pooling {
  dot_product,  ///< softmax(Q Kᵀ / √d) V
  additive,  ///< d2l's AdditiveAttention (Bahdanau et al. 2014), its parameters shared by the heads
};

/// How heads are formed from the inputs.
enum class Projection {
  linear,       ///< W_q, W_k, W_v as in the chapter
  convolution,  ///< 1×1 convolutions, a group per head: each head projects its slice of the input
  none,         ///< the input is split as it is: no parameters and no output projection
};

/// The precision of stored weights, or of a KV cache.
enum class Precision : std::uint8_t {
  float32,
  /// Weights: rounded to float16 and stored as 15-bit integers with a factor for each output. KV
  /// cache: 15-bit integers with a factor for each position of each head.
  float16,
  /// Integers from −127 to 127 with a factor for each output, or for each position of each head.
  int8,
  /// Weights: integers from −8 to 7 with a factor for each 32 of an output, as GGUF's Q4_0.
  int4,
};

constexpr std::string_view name_of(Precision precision) noexcept {
  constexpr std::array<std::string_view, 4> names = {"float32", "float16", "int8", "int4"};
  return names[static_cast<std::size_t>(precision)];
}

/// Whether weights are held as integers alone, without floats beside them.
constexpr bool holds_integers(Precision precision) noexcept {
  return precision == Precision::int8 || precision == Precision::int4;
}

/// Whether a query attends only to keys up to its own position.
enum class Causal {
  none,
  top_left,      ///< query i stands at position (cached keys) + i: PyTorch's and ONNX's alignment
  bottom_right,  ///< the last query stands at the last key: FlashAttention's alignment
};

/// Sliding window: how many keys before and after its own position a query attends to. Absent:
/// unlimited. Positions are those of `Causal`, or top-left without it. Source: FlashAttention,
/// `window_size`.
struct Window {
  std::optional<std::int64_t> left;
  std::optional<std::int64_t> right;
};

/// The result of a query that may attend to no key.
enum class EmptyRows {
  zero,     ///< zero weights and a zero pooled vector, as ONNX Attention (opset 25) and PyTorch's
            ///< fused attention
  uniform,  ///< the same weight for every key, masked or not, as filling with −1e6 gives in d2l
};

/// Which stage of the attention weights to return. Source: ONNX Attention,
/// `qk_matmul_output_mode`.
enum class WeightsStage {
  raw,      ///< scaled scores, of every key, masked or not
  softcap,  ///< after the softcap, of every key, masked or not
  masked,   ///< after the masks: −∞ where masked
  softmax,  ///< the weights
};

}  // namespace headwise
