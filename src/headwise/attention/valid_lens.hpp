#pragma once

#include <cstdint>
#include <headwise/tensor.hpp>
#include <variant>

namespace headwise {

/// How many keys, counted from the first, may be attended to: absent (all), (batch,) for all
/// queries of a sample, or (batch, queries) for each query. Integers from 0 to the number of keys.
/// Source: d2l, `masked_softmax`.
using ValidLens =
    std::variant<std::monostate, xt::xtensor<std::int64_t, 1>, xt::xtensor<std::int64_t, 2>>;

/// What a query gets that may attend to no key at all.
enum class EmptyRows {
  zero,     ///< zero weights and a zero pooled vector, as ONNX Attention (opset 25) and PyTorch's
            ///< fused attention
  uniform,  ///< the same weight for every key, masked ones included: what d2l's fill with −1e6
            ///< gives
};

}  // namespace headwise
