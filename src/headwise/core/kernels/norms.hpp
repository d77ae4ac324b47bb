#pragma once

#include <cstddef>
#include <headwise/core/kernels/target.hpp>

/// Norms of one row of `count` ≥ 1 floats and their gradients. `epsilon` ≥ 0 is added to the
/// variance or mean square, so that a row of zeros has a norm.
namespace headwise::kernels::HEADWISE_TARGET {

/// normalized[i] = (row[i] − mean) / √(variance + epsilon) · weight[i] + bias[i], with the row's
/// mean and variance; a null `bias` is zeros. `normalized` may be the row itself. Source: Ba et al.
/// 2016; PyTorch, `nn.LayerNorm`.
void layer_norm(const float* row, const float* weight, const float* bias, std::size_t count,
                float epsilon, float* normalized) noexcept;

/// Given the gradient of `normalized`, adds to those of row, weight and, unless it is null, bias.
void layer_norm_gradient(const float* row, const float* weight, const float* gradient,
                         std::size_t count, float epsilon, float* row_gradient,
                         float* weight_gradient, float* bias_gradient) noexcept;

/// normalized[i] = row[i] / √(mean of squares + epsilon) · weight[i]. `normalized` may be the row
/// itself. Source: Zhang & Sennrich 2019; PyTorch, `nn.RMSNorm`.
void rms_norm(const float* row, const float* weight, std::size_t count, float epsilon,
              float* normalized) noexcept;

/// Given the gradient of `normalized`, adds to those of row and weight.
void rms_norm_gradient(const float* row, const float* weight, const float* gradient,
                       std::size_t count, float epsilon, float* row_gradient,
                       float* weight_gradient) noexcept;

}  // namespace headwise::kernels::HEADWISE_TARGET
