#pragma once

#include <cstdint>
#include <headwise/core/attention/attention_types.hpp>
#include <headwise/tensor.hpp>
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

/// Where queries and keys stand, for rotary positions: absent ((cached keys) + i), (length,) for
/// all samples, or (batch, length). Integers from 0 to 2^31 − 1.
using RotaryPositions =
    std::variant<std::monostate, xt::xtensor<std::int64_t, 1>, xt::xtensor<std::int64_t, 2>>;

/// Factor of each head's pooled output: absent, (heads,) or (batch, heads). Source: Michel et al.
/// 2019, the gates ξ_h.
using HeadGate = std::variant<std::monostate, Tensor<1>, Tensor<2>>;

}  // namespace headwise
