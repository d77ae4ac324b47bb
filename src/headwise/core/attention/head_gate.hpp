#pragma once

#include <cstddef>
#include <headwise/tensor.hpp>
#include <variant>

namespace headwise {

/// Factor of each head's pooled output: absent, (heads,) or (batch, heads). Source: Michel et al.
/// 2019, the gates ξ_h.
using HeadGate = std::variant<std::monostate, Tensor<1>, Tensor<2>>;

/// Sizes of heads that lie side by side, (batch, length, heads · size).
struct HeadsSizes {
  std::size_t batch;
  std::size_t num_heads;
  std::size_t length;
  std::size_t size;
};

/// gated = every head times its gate, entry [sample · gate_stride + head]; null is 1.
void gate_heads(const float* heads, const float* head_gate, std::size_t gate_stride,
                const HeadsSizes& sizes, float* gated) noexcept;

}  // namespace headwise
