#pragma once

#include <cstddef>
#include <headwise/kernels/target.hpp>
#include <headwise/kernels/update_factors.hpp>

/// How optimizers change parameters.
namespace headwise::kernels::HEADWISE_TARGET {

/// With g = gradients[i] + weight_decay · values[i]:
///   momenta[i] = momentum · momenta[i] + g,  values[i] −= learning_rate · momenta[i].
void sgd_update(float* values, const float* gradients, float* momenta, std::size_t count,
                const SGDFactors& factors) noexcept;
void sgd_update_reference(float* values, const float* gradients, float* momenta, std::size_t count,
                          const SGDFactors& factors) noexcept;

/// With g = gradients[i]:
///   means[i] = β₁ · means[i] + (1 − β₁) · g,  squares[i] = β₂ · squares[i] + (1 − β₂) · g²,
///   values[i] = decay · values[i] − step_size · means[i] / (√squares[i] / root_correction + ε).
void adam_update(float* values, const float* gradients, float* means, float* squares,
                 std::size_t count, const AdamFactors& factors) noexcept;
void adam_update_reference(float* values, const float* gradients, float* means, float* squares,
                           std::size_t count, const AdamFactors& factors) noexcept;

}  // namespace headwise::kernels::HEADWISE_TARGET
