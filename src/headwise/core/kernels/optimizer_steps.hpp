#pragma once

#include <cstddef>
#include <headwise/core/kernels/target.hpp>
#include <headwise/core/kernels/update_factors.hpp>

/// How optimizers change parameters.
namespace headwise::kernels::HEADWISE_TARGET {

/// With g = gradients[i] + weight_decay · values[i]:
///   momenta[i] = momentum · momenta[i] + g,  values[i] −= learning_rate · momenta[i].
void sgd_step(float* values, const float* gradients, float* momenta, std::size_t count,
              const SGDFactors& factors) noexcept;
void sgd_step_reference(float* values, const float* gradients, float* momenta, std::size_t count,
                        const SGDFactors& factors) noexcept;

/// With g = gradients[i]:
///   means[i] = β₁ · means[i] + (1 − β₁) · g,  squares[i] = β₂ · squares[i] + (1 − β₂) · g²,
///   values[i] = decay · values[i] − step_size · means[i] / (√squares[i] / root_correction + ε).
void adam_step(float* values, const float* gradients, float* means, float* squares,
               std::size_t count, const AdamFactors& factors) noexcept;
void adam_step_reference(float* values, const float* gradients, float* means, float* squares,
                         std::size_t count, const AdamFactors& factors) noexcept;

}  // namespace headwise::kernels::HEADWISE_TARGET
