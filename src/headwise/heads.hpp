#pragma once

#include <cstddef>
#include <cstdint>
#include <headwise/tensor.hpp>

namespace headwise {

/// Splits the last axis into heads and merges them with the batch axis:
/// (batch, length, num_heads · p) → (batch · num_heads, length, p). Source: d2l, Multi-Head
/// Attention, `transpose_qkv`. Throws `Error` (invalid-option) when `num_heads` does not divide the
/// last axis.
[[nodiscard]] Tensor<3> transpose_qkv(const TensorView<3>& X, std::int64_t num_heads);

/// Concatenates the heads: (batch · num_heads, length, p) → (batch, length, num_heads · p). The
/// inverse of `transpose_qkv`. Source: d2l, Multi-Head Attention, `transpose_output`. Throws
/// `Error` (invalid-option) when `num_heads` does not divide the first axis.
[[nodiscard]] Tensor<3> transpose_output(const TensorView<3>& X, std::int64_t num_heads);

/// Splits the last axis into heads: (batch, length, num_hiddens) → (batch, num_heads, length,
/// num_hiddens / num_heads), without parameters. Throws `Error` (invalid-option) when `num_heads`
/// does not divide the last axis.
[[nodiscard]] Tensor<4> split_heads(const TensorView<3>& X, std::int64_t num_heads);

}  // namespace headwise
