#pragma once

#include <cstddef>
#include <headwise/core/kernels/target.hpp>

/// GEMV: products of a single row with a matrix that is read in place, since packing would take
/// longer than the product. Outputs do not overlap inputs.
namespace headwise::kernels::HEADWISE_TARGET {

/// dots[j] = scale · Σ_k x[k] · rows[j][k] for `count` rows of `size` floats, `stride` floats
/// apart.
void gemv(const float* x, const float* rows, std::size_t stride, std::size_t count,
          std::size_t size, float scale, float* dots) noexcept;

/// sum[k] = Σ_j weights[j] · rows[j][k] for `count` rows of `size` floats, `stride` floats apart.
void gemv_transposed(const float* weights, const float* rows, std::size_t stride, std::size_t count,
                     std::size_t size, float* sum) noexcept;

}  // namespace headwise::kernels::HEADWISE_TARGET
