#pragma once

#include <array>
#include <cstddef>
#include <headwise/core/attention/pooling_arguments.hpp>
#include <headwise/core/memory/arena.hpp>

namespace headwise {

/// Gradients of one extra slot's key and value, (batch, key-value heads, size), or null.
struct ExtraSlotGradient {
  float* key;
  float* value;
};

/// The gradient of the pooled results, and the gradients computed from it. The latter are
/// overwritten; each head and sample has its own, so that the caller sums over both.
struct PoolingGradients {
  /// Gradient of the pooled results times the gates.
  HeadsView<const float> pooled{};
  /// The gates, entry [sample · gate_stride + head]; null is 1.
  const float* gates = nullptr;
  std::size_t gate_stride = 0;
  HeadsView<float> queries{};
  /// Zeros for keys that no query reads.
  HeadsView<float> keys{};
  HeadsView<float> values{};
  std::array<ExtraSlotGradient, 2> extra_slots{};
  float* head_gate = nullptr;  ///< (batch, heads), at gate 1 where none was given
  // For the parameters of additive scores, (batch, key-value heads, …): each head's contribution.
  float* W_q = nullptr;
  float* W_k = nullptr;
  float* w_v = nullptr;
};

/// Working memory of `pool_backward`: linear in the number of keys.
struct PoolingBackwardMemory {
  PackedScoring packed;
  ThreadArenas threads;

  static PoolingBackwardMemory lay_out(Arena& arena, const PoolingSizes& sizes,
                                       std::size_t num_threads) noexcept;
};

/// The gradient of `pool`. `arguments` are those of the forward pass, except that its result
/// `pooled` is read and no weights are returned. Scores are recomputed, for a few queries per
/// thread at a time. Masked keys and values affect no gradient, even if they hold NaN or infinity.
void pool_backward(const PoolingArguments& arguments, const Scoring& scoring,
                   const PoolingGradients& gradients, Arena& arena) noexcept;

}  // namespace headwise
