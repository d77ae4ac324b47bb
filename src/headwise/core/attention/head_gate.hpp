#pragma once

#include <cstddef>

namespace headwise {

/// Sizes of heads that lie side by side, (batch, length, heads · size).
struct HeadsSizes {
  std::size_t batch;
  std::size_t num_heads;
  std::size_t length;
  std::size_t size;
};

/// gated = each head times its gate, entry [sample · gate_stride + head]; null is 1.
void gate_heads(const float* heads, const float* head_gate, std::size_t gate_stride,
                const HeadsSizes& sizes, float* gated) noexcept;

}  // namespace headwise
