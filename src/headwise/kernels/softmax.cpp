#include <algorithm>
#include <cmath>
#include <headwise/kernels/simd.hpp>
#include <headwise/kernels/softmax.hpp>
#include <limits>

namespace headwise::kernels {
namespace {

/// Scales the row in place and returns its largest scaled score.
float scale_and_maximum(float* row, std::size_t count, float scale) noexcept {
  const std::size_t vectorized = count / lanes * lanes;
  const Batch scales(scale);
  Batch maxima(-std::numeric_limits<float>::infinity());
  for (std::size_t i = 0; i < vectorized; i += lanes) {
    const Batch scaled = Batch::load_unaligned(row + i) * scales;
    scaled.store_unaligned(row + i);
    maxima = xsimd::max(maxima, scaled);
  }
  float maximum = xsimd::reduce_max(maxima);
  for (std::size_t i = vectorized; i < count; ++i) {
    row[i] *= scale;
    maximum = std::max(maximum, row[i]);
  }
  return maximum;
}

/// Replaces every score by exp(score − maximum) and returns the sum.
float exponentiate_and_sum(float* row, std::size_t count, float maximum) noexcept {
  const std::size_t vectorized = count / lanes * lanes;
  const Batch maxima(maximum);
  Batch sums(0.0F);
  for (std::size_t i = 0; i < vectorized; i += lanes) {
    const Batch exponential = xsimd::exp(Batch::load_unaligned(row + i) - maxima);
    exponential.store_unaligned(row + i);
    sums += exponential;
  }
  float sum = xsimd::reduce_add(sums);
  for (std::size_t i = vectorized; i < count; ++i) {
    row[i] = std::exp(row[i] - maximum);
    sum += row[i];
  }
  return sum;
}

void divide(float* row, std::size_t count, float divisor) noexcept {
  const std::size_t vectorized = count / lanes * lanes;
  const Batch divisors(divisor);
  for (std::size_t i = 0; i < vectorized; i += lanes) {
    (Batch::load_unaligned(row + i) / divisors).store_unaligned(row + i);
  }
  for (std::size_t i = vectorized; i < count; ++i) {
    row[i] /= divisor;
  }
}

}  // namespace

void softmax(float* row, std::size_t count, float scale) noexcept {
  const float maximum = scale_and_maximum(row, count, scale);
  const float sum = exponentiate_and_sum(row, count, maximum);
  divide(row, count, sum);
}

void softmax_reference(float* row, std::size_t count, float scale) noexcept {
  float maximum = -std::numeric_limits<float>::infinity();
  for (std::size_t i = 0; i < count; ++i) {
    row[i] *= scale;
    maximum = std::max(maximum, row[i]);
  }
  float sum = 0.0F;
  for (std::size_t i = 0; i < count; ++i) {
    row[i] = std::exp(row[i] - maximum);
    sum += row[i];
  }
  for (std::size_t i = 0; i < count; ++i) {
    row[i] /= sum;
  }
}

}  // namespace headwise::kernels
