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

/// What a step of Adam multiplies by. Beside β₁ and β₂ stand 1 − β₁ and 1 − β₂, rounded once.
struct AdamFactors {
  float beta_1;
  float rest_1;
  float beta_2;
  float rest_2;
  float decay;
  float step_size;
  float root_correction;
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
///   values[i] = decay · values[i] − step_size · means[i] / (√squares[i] / root_correction + ε).
void adam_step(float* values, const float* gradients, float* means, float* squares,
               std::size_t count, const AdamFactors& factors) noexcept;

}  // namespace headwise::kernels::HEADWISE_TARGET
