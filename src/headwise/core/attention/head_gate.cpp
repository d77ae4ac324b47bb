#include <headwise/core/attention/head_gate.hpp>
#include <headwise/core/kernels/dispatch.hpp>

namespace headwise {

void gate_heads(const float* heads, const float* head_gate, std::size_t gate_stride,
                const HeadsSizes& sizes, float* gated) noexcept {
  const std::size_t floats = sizes.length * sizes.num_heads * sizes.size;
  for (std::size_t sample = 0; floats > 0 && sample < sizes.batch; ++sample) {
    const float* gates = head_gate != nullptr ? head_gate + sample * gate_stride : nullptr;
    kernels::scale_heads(heads + sample * floats, gates, sizes.length, sizes.num_heads, sizes.size,
                         gated + sample * floats);
  }
}

}  // namespace headwise
