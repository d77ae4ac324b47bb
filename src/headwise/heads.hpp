#pragma once

#include <cstddef>
#include <cstdint>
#include <headwise/tensor.hpp>

namespace headwise {

/// Splits the last axis into heads and moves them beside the batch: (batch, length, num_heads · p)
/// → (batch · num_heads, length, p). Source: d2l, Multi-Head Attention, `transpose_qkv`. Throws
/// `Error` (invalid-option) when `num_heads` does not divide the last axis.
[[nodiscard]] Tensor<3> transpose_qkv(const Tensor<3>& X, std::int64_t num_heads);

/// Puts the heads back beside each other: (batch · num_heads, length, p) → (batch, length,
/// num_heads · p). The inverse of `transpose_qkv`. Source: d2l, Multi-Head Attention,
/// `transpose_output`. Throws `Error` (invalid-option) when `num_heads` does not divide the first
/// axis.
[[nodiscard]] Tensor<3> transpose_output(const Tensor<3>& X, std::int64_t num_heads);

/// The direct split: (batch, length, num_hiddens) → (batch, num_heads, length, num_hiddens /
/// num_heads), without parameters. Throws `Error` (invalid-option) when `num_heads` does not divide
/// the last axis.
[[nodiscard]] Tensor<4> split_heads(const Tensor<3>& X, std::int64_t num_heads);

/// Heads as they lie in memory: element e of row i of head h of sample b is
/// data[b · sample_stride + h · head_stride + i · row_stride + e]. Splitting a projection into
/// heads is such a view and moves nothing; `transpose_qkv` is the same view written out.
template <typename Float>
struct HeadsView {
  Float* data;
  std::size_t sample_stride;
  std::size_t head_stride;
  std::size_t row_stride;

  /// Null where there is nothing to view: strides go on, but no place is so far from a null
  /// pointer.
  [[nodiscard]] Float* head(std::size_t sample, std::size_t head) const noexcept {
    return data != nullptr ? data + sample * sample_stride + head * head_stride : nullptr;
  }
};

/// The heads of (batch, length, num_heads · head_size), side by side in each row.
template <typename Float>
HeadsView<Float> split_heads_view(Float* data, std::size_t length, std::size_t num_heads,
                                  std::size_t head_size) noexcept {
  return {.data = data,
          .sample_stride = length * num_heads * head_size,
          .head_stride = head_size,
          .row_stride = num_heads * head_size};
}

/// The heads of (batch, num_heads, length, head_size), each in one piece.
template <typename Float>
HeadsView<Float> separate_heads_view(Float* data, std::size_t num_heads, std::size_t length,
                                     std::size_t head_size) noexcept {
  return {.data = data,
          .sample_stride = num_heads * length * head_size,
          .head_stride = length * head_size,
          .row_stride = head_size};
}

/// Copies every head from one view to another: (batch, num_heads, length, head_size).
void copy_heads(HeadsView<const float> from, HeadsView<float> to, std::size_t batch,
                std::size_t num_heads, std::size_t length, std::size_t head_size) noexcept;

}  // namespace headwise
