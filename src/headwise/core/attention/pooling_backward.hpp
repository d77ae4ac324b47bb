#pragma once

#include <array>
#include <cstddef>
#include <headwise/core/attention/pooling.hpp>
#include <headwise/heads.hpp>

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
  /// Of the pooled results as the gate leaves them.
  HeadsView<const float> pooled{};
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

/// Floats of workspace that each thread needs for the gradient of pooling, at most; as
/// `pooling_workspace_size`.
[[nodiscard]] double pooling_backward_workspace_size(double num_keys, double query_size,
                                                     double key_size, double value_size,
                                                     double attention_hiddens) noexcept;

/// The gradient of `pool`. `arguments` are those of the forward pass, but `pooled` is what it would
/// give without a gate, which is read, and weights are not handed out. Scores are computed again,
/// for a few queries of a thread at a time. What a query may not attend to reaches no gradient, NaN
/// and infinity included. `workspace` is `num_threads` times what `pooling_backward_workspace_size`
/// says.
void pool_backward(const PoolingArguments& arguments, const DotProductScoring& scoring,
                   const PoolingGradients& gradients, float* workspace) noexcept;
void pool_backward(const PoolingArguments& arguments, const AdditiveScoring& scoring,
                   const PoolingGradients& gradients, float* workspace) noexcept;

}  // namespace headwise
