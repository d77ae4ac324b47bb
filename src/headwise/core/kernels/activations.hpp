#pragma once

#include <cstddef>
#include <headwise/core/kernels/target.hpp>

/// Activations f of feed-forward layers, gated or not, and their gradients:
///
///   f:           y[i] = f(x[i]) · up[i]
///   f_gradient:  grad_x[i] = grad[i] · up[i] · f′(x[i]),  grad_up[i] = grad[i] · f(x[i])
///
/// A null `up` is ones, and then nothing is written to `grad_up`. `y` may be `x` or `up`, `grad_x`
/// may be `grad`. Source of gated layers: Dauphin et al. 2017; Shazeer 2020.
///
/// f(NaN) and f′(NaN) are NaN; at −∞ and ∞ both are their limits: 0 and 0, ∞ and 1.
///
/// Errors against float64, in units in the last place (ulp), of every 41st float, with and without
/// fused multiply-add: GELU below 3.7, its approximation by tanh below 2.7, SiLU below 2.6, over
/// the whole range and down to subnormal results. f′ has zeros, where no number of ulp is a bound:
/// its error is below 1.2e-7, and for x ≤ −2, where f′ falls to 0, below 3, 7 and 6 ulp.
namespace headwise::kernels::HEADWISE_TARGET {

/// max(x, 0); the derivative at 0 is 0.
void relu(const float* x, const float* up, std::size_t count, float* y) noexcept;

void relu_gradient(const float* x, const float* up, const float* grad, std::size_t count,
                   float* grad_x, float* grad_up) noexcept;

/// x · Φ(x) with the distribution function Φ of the standard normal distribution. Source: Hendrycks
/// & Gimpel 2016; PyTorch, `nn.GELU`.
void gelu(const float* x, const float* up, std::size_t count, float* y) noexcept;

void gelu_gradient(const float* x, const float* up, const float* grad, std::size_t count,
                   float* grad_x, float* grad_up) noexcept;

/// ½ x (1 + tanh(√(2/π) (x + 0.044715 x³))), which approximates GELU. Source: Hendrycks & Gimpel
/// 2016; PyTorch, `nn.GELU(approximate='tanh')`.
void gelu_tanh(const float* x, const float* up, std::size_t count, float* y) noexcept;

void gelu_tanh_gradient(const float* x, const float* up, const float* grad, std::size_t count,
                        float* grad_x, float* grad_up) noexcept;

/// x / (1 + exp(−x)), also called swish. Source: Elfwing et al. 2018; PyTorch, `nn.SiLU`.
void silu(const float* x, const float* up, std::size_t count, float* y) noexcept;

void silu_gradient(const float* x, const float* up, const float* grad, std::size_t count,
                   float* grad_x, float* grad_up) noexcept;

}  // namespace headwise::kernels::HEADWISE_TARGET
