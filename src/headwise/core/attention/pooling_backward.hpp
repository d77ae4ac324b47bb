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

/// The gradient that pooling is given, and where those go that it makes of it. All of them are
/// written, whatever they held; those of different heads and samples lie apart, so that sums over
/// both are the caller's.
struct PoolingGradients {
  /// Of the pooled results times the gates.
  HeadsView<const float> pooled{};
  /// What the results were multiplied by, entry [sample · gate_stride + head]; null is 1.
  const float* gates = nullptr;
  std::size_t gate_stride = 0;
  HeadsView<float> queries{};
  /// Zeros for keys that no query reads.
  HeadsView<float> keys{};
  HeadsView<float> values{};
  std::array<ExtraSlotGradient, 2> extra_slots{};
  float* head_gate = nullptr;  ///< (batch, heads), where no gate was given at gate 1
  // Of the parameters of additive scores, (batch, key-value heads, …): what each head adds to them.
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

/// The gradient of `pool`. `arguments` are those of the forward pass, but `pooled`, what it gave,
/// is read, and weights are not returned. Scores are computed again, for a few queries of a thread
/// at a time. What a query may not attend to reaches no gradient, NaN and infinity included.
void pool_backward(const PoolingArguments& arguments, const Scoring& scoring,
                   const PoolingGradients& gradients, Arena& arena) noexcept;

}  // namespace headwise
