#pragma once

#include <cstddef>
#include <headwise/core/attention/linear.hpp>

namespace headwise {

/// One projection y = x Wᵀ + b and the gradient of y, and where the other gradients go.
struct LinearBackward {
  const float* inputs = nullptr;    ///< (rows, in)
  const float* gradient = nullptr;  ///< (rows, out)
  std::size_t rows = 0;
  float* input_gradient = nullptr;   ///< (rows, in), written
  float* weight_gradient = nullptr;  ///< (out, in / groups), added to
  float* bias_gradient = nullptr;    ///< (out,), added to; null without bias
  float* workspace = nullptr;  ///< `num_threads` times what `linear_backward_workspace_size` says
  std::size_t num_threads = 1;
};

/// dX = dY W, dW += dYᵀ X, db += the sum of dY's rows. A row whose gradient is 0 adds nothing,
/// whatever its input holds: what no query reads reaches no gradient, NaN and infinity included.
void linear_backward(const Linear& linear, const LinearBackward& backward) noexcept;

/// Floats of workspace that each thread needs, at most.
[[nodiscard]] double linear_backward_workspace_size(double out) noexcept;

}  // namespace headwise
