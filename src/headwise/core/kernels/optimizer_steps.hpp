#pragma once

#include <cstddef>
#include <headwise/core/kernels/target.hpp>

namespace headwise::kernels {

/// Coefficients of one step of stochastic gradient descent.
struct SGDFactors {
  float learning_rate;
  float momentum;
  float weight_decay;
};

/// Coefficients of step t of Adam. 1 − β₁ and 1 − β₂ are rounded once, not computed from rounded
/// numbers.
struct AdamFactors {
  float beta_1;
  float one_minus_beta_1;
  float beta_2;
  float one_minus_beta_2;
  float weight_decay_factor;   ///< 1 − learning rate · weight decay
  float step_size;             ///< learning rate / (1 − β₁ᵗ)
  float sqrt_bias_correction;  ///< √(1 − β₂ᵗ)
  float epsilon;
};

}  // namespace headwise::kernels

/// Optimizer steps. No two arrays overlap.
namespace headwise::kernels::HEADWISE_TARGET {

/// With g = gradients[i] + weight_decay · values[i]:
///   momenta[i] = momentum · momenta[i] + g,  values[i] −= learning_rate · momenta[i].
void sgd_step(float* values, const float* gradients, float* momenta, std::size_t count,
              const SGDFactors& factors) noexcept;

/// With g = gradients[i]:
///   means[i] = β₁ · means[i] + (1 − β₁) · g,  squares[i] = β₂ · squares[i] + (1 − β₂) · g²,
///   values[i] = weight_decay_factor · values[i]
///               − step_size · means[i] / (√squares[i] / sqrt_bias_correction + ε).
void adam_step(float* values, const float* gradients, float* means, float* squares,
               std::size_t count, const AdamFactors& factors) noexcept;

}  // namespace headwise::kernels::HEADWISE_TARGET
