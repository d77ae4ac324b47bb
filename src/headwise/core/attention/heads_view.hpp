#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>

namespace headwise {

/// A strided view of heads in memory: element e of row i of head h of sample b is data[b ·
/// sample_stride + h · head_stride + i · row_stride + e]. Splitting a projection into heads is such
/// a view and moves nothing; `transpose_qkv` copies it.
template <typename Float>
struct HeadsView {
  Float* data;
  std::size_t sample_stride;
  std::size_t head_stride;
  std::size_t row_stride;

  /// Null for an empty view: an offset from a null pointer would be undefined.
  [[nodiscard]] Float* head(std::size_t sample, std::size_t head) const noexcept {
    return data != nullptr ? data + sample * sample_stride + head * head_stride : nullptr;
  }

  /// A view for reading.
  operator HeadsView<const Float>() const noexcept  // NOLINT(*-explicit-*): as of pointers
    requires(!std::is_const_v<Float>)
  {
    return {.data = data,
            .sample_stride = sample_stride,
            .head_stride = head_stride,
            .row_stride = row_stride};
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

/// The heads of (batch, num_heads, length, head_size), each contiguous.
template <typename Float>
HeadsView<Float> separate_heads_view(Float* data, std::size_t num_heads, std::size_t length,
                                     std::size_t head_size) noexcept {
  return {.data = data,
          .sample_stride = num_heads * length * head_size,
          .head_stride = length * head_size,
          .row_stride = head_size};
}

/// Copies every head from one view to another: (batch, num_heads, length, head_size).
inline void copy_heads(HeadsView<const float> from, HeadsView<float> to, std::size_t batch,
                       std::size_t num_heads, std::size_t length, std::size_t head_size) noexcept {
  if (length * head_size == 0) {
    return;  // however many samples there are
  }
  for (std::size_t sample = 0; sample < batch; ++sample) {
    for (std::size_t head = 0; head < num_heads; ++head) {
      const float* source = from.head(sample, head);
      float* target = to.head(sample, head);
      for (std::size_t row = 0; row < length; ++row) {
        std::copy_n(source + row * from.row_stride, head_size, target + row * to.row_stride);
      }
    }
  }
}

/// Rows of a matrix in memory, `stride` floats apart.
struct Rows {
  const float* data = nullptr;
  std::size_t stride = 0;
};

}  // namespace headwise
