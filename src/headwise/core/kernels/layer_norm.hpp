#pragma once

#include <cstddef>
#include <headwise/core/kernels/target.hpp>

/// Layer normalization of one row and its gradient. Source: Ba et al. 2016; PyTorch,
/// `nn.LayerNorm`, with its default epsilon.
namespace headwise::kernels::HEADWISE_TARGET {

inline constexpr float layer_norm_epsilon = 1e-5F;

/// normalized[i] = (row[i] − mean) / √(variance + epsilon) · weight[i] + bias[i], with the mean and
/// variance of the row's `count` ≥ 1 floats. `normalized` may be the row itself.
void layer_norm(const float* row, const float* weight, const float* bias, std::size_t count,
                float* normalized) noexcept;

/// Given the gradient of `normalized`, adds to those of row, weight and bias.
void layer_norm_gradient(const float* row, const float* weight, const float* gradient,
                         std::size_t count, float* row_gradient, float* weight_gradient,
                         float* bias_gradient) noexcept;

}  // namespace headwise::kernels::HEADWISE_TARGET
