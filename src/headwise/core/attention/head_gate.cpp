#include <headwise/core/attention/head_gate.hpp>

namespace headwise {

void gate_heads(const float* heads, const float* head_gate, std::size_t gate_stride,
                const HeadsSizes& sizes, float* gated) noexcept {
  for (std::size_t row = 0; row < sizes.batch * sizes.length; ++row) {
    const std::size_t sample = row / sizes.length;
    for (std::size_t head = 0; head < sizes.num_heads; ++head) {
      const float gate = head_gate != nullptr ? head_gate[sample * gate_stride + head] : 1.0F;
      for (std::size_t i = 0; i < sizes.size; ++i) {
        *gated++ = *heads++ * gate;
      }
    }
  }
}

}  // namespace headwise
