#include <cmath>
#include <headwise/core/kernels/finite.hpp>
#include <headwise/core/kernels/simd.hpp>

namespace headwise::kernels::HEADWISE_TARGET {

bool all_finite(const float* matrix, std::size_t row_stride, std::size_t rows,
                std::size_t columns) noexcept {
  const std::size_t vectorized = columns / lanes * lanes;
  // x · 0 is 0 for finite x and NaN for the rest, and a NaN never leaves a sum.
  Batch sums(0.0F);
  float sum = 0.0F;
  for (std::size_t row = 0; row < rows; ++row) {
    const float* values = matrix + row * row_stride;
    for (std::size_t i = 0; i < vectorized; i += lanes) {
      sums += Batch::load_unaligned(values + i) * Batch(0.0F);
    }
    for (std::size_t i = vectorized; i < columns; ++i) {
      sum += values[i] * 0.0F;
    }
  }
  return xsimd::reduce_add(sums) + sum == 0.0F;
}

bool all_finite_reference(const float* matrix, std::size_t row_stride, std::size_t rows,
                          std::size_t columns) noexcept {
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t i = 0; i < columns; ++i) {
      if (!std::isfinite(matrix[row * row_stride + i])) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace headwise::kernels::HEADWISE_TARGET
