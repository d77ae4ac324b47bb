#pragma once

#include <cstddef>
#include <headwise/core/kernels/target.hpp>

/// exp, softmax of one row in three stages (maximum; exponentials and their sum; division), and its
/// gradient.
namespace headwise::kernels::HEADWISE_TARGET {

/// values[i] = exp(values[i])
void exponential(float* values, std::size_t count) noexcept;

/// row[i] = exp(row[i] − m) for `count` floats in place, with m the largest score, so that no
/// exponential overflows. Returns their sum, NaN if a score is NaN. `count` is at least 1.
float exp_minus_max(float* row, std::size_t count) noexcept;

/// row[i] = exp(row[i] − m) / Σ exp(row[j] − m), `count` at least 1. A NaN among the scores makes
/// the row NaN, as in PyTorch.
void softmax(float* row, std::size_t count) noexcept;

/// The gradient of the softmax, from weights that are not multiplied by `factor` yet: weights[i] *=
/// factor, then gradients[i] = weights[i] · (gradients[i] − Σ_j weights[j] · gradients[j]). Where
/// one weight is 1 and the others 0, the sum equals that weight's gradient to the bit, and the
/// difference is exactly 0; computing the sum in another way would leave rounding errors.
void softmax_gradient(float* gradients, float* weights, std::size_t count, float factor) noexcept;

}  // namespace headwise::kernels::HEADWISE_TARGET
