#pragma once

#include <cstdint>
#include <headwise/tensor.hpp>
#include <optional>
#include <variant>

namespace headwise {

/// How many keys, counted from the first, may be attended to: absent (all), (batch,) for all
/// queries of a sample, or (batch, queries) for each query. Integers from 0 to the number of keys.
/// Source: d2l, `masked_softmax`.
using ValidLens =
    std::variant<std::monostate, xt::xtensor<std::int64_t, 1>, xt::xtensor<std::int64_t, 2>>;

/// A mask of any shape that broadcasts to (batch, heads, queries, keys): boolean, true where a
/// query may attend, or float, added to the scores; −∞ masks, NaN and +∞ are errors. Source:
/// PyTorch, `scaled_dot_product_attention`; ONNX Attention. (`nn.MultiheadAttention` reads booleans
/// the other way round.)
using Mask = std::variant<std::monostate, xt::xarray<bool>, xt::xarray<float>>;

/// Whether a query sees only keys up to its own position.
enum class Causal {
  none,
  top_left,      ///< query i stands at position (cached keys) + i: PyTorch's and ONNX's alignment
  bottom_right,  ///< the last query stands at the last key: FlashAttention's alignment
};

/// How far from its own position a query sees, in keys before and after it; absent is unlimited.
/// Positions are those of `Causal`, top-left without it. Source: FlashAttention, `window_size`.
struct Window {
  std::optional<std::int64_t> left;
  std::optional<std::int64_t> right;
};

/// What a query gets that may attend to no key at all.
enum class EmptyRows {
  zero,     ///< zero weights and a zero pooled vector, as ONNX Attention (opset 25) and PyTorch's
            ///< fused attention
  uniform,  ///< the same weight for every key, masked ones included: what d2l's fill with −1e6
            ///< gives
};

/// Which state of the attention weights is returned. Source: ONNX Attention,
/// `qk_matmul_output_mode`.
enum class WeightsStage {
  raw,      ///< scaled scores, of every key, masked or not
  softcap,  ///< after the softcap, of every key, masked or not
  masked,   ///< after the masks: −∞ where masked
  softmax,  ///< the weights
};

}  // namespace headwise
