#include <algorithm>
#include <array>
#include <cmath>
#include <headwise/kernels/exponential.hpp>
#include <headwise/kernels/scores.hpp>
#include <headwise/kernels/simd.hpp>
#include <headwise/kernels/softmax.hpp>

namespace headwise::kernels::HEADWISE_TARGET {
namespace {

// Two vectors at a time: each step of either waits for the one before it.
constexpr std::size_t stride = 2 * lanes;

float maximum_of(const float* row, std::size_t count) noexcept {
  Batch left(minus_infinity);
  Batch right(minus_infinity);
  std::size_t i = 0;
  for (; i + stride <= count; i += stride) {
    left = xsimd::max(left, Batch::load_unaligned(row + i));
    right = xsimd::max(right, Batch::load_unaligned(row + i + lanes));
  }
  float maximum = xsimd::reduce_max(xsimd::max(left, right));
  for (; i < count; ++i) {
    maximum = std::max(maximum, row[i]);
  }
  return maximum;
}

}  // namespace

[[gnu::noinline]] float exponentiate(float* row, std::size_t count) noexcept {
  const Batch maximum(maximum_of(row, count));
  const Exponential exponential;
  Batch left(0.0F);
  Batch right(0.0F);
  std::array<float, stride> last;
  for (std::size_t i = 0; i < count; i += stride) {
    const std::size_t left_over = count - i;
    float* values = row + i;
    if (left_over < stride) {
      last.fill(minus_infinity);
      std::copy_n(row + i, left_over, last.begin());
      values = last.data();
    }
    const Batch first = exponential.of_nonpositive(Batch::load_unaligned(values) - maximum);
    const Batch second =
        exponential.of_nonpositive(Batch::load_unaligned(values + lanes) - maximum);
    left += first;
    right += second;
    first.store_unaligned(values);
    second.store_unaligned(values + lanes);
    if (left_over < stride) {
      std::copy_n(last.begin(), left_over, row + i);
    }
  }
  return xsimd::reduce_add(left + right);
}

void softmax(float* row, std::size_t count) noexcept {
  scale(row, count, 1.0F / exponentiate(row, count));
}

void softmax_reference(float* row, std::size_t count) noexcept {
  const float maximum = *std::max_element(row, row + count);
  float sum = 0.0F;
  for (std::size_t i = 0; i < count; ++i) {
    row[i] = std::exp(row[i] - maximum);
    sum += row[i];
  }
  for (std::size_t i = 0; i < count; ++i) {
    row[i] /= sum;
  }
}

}  // namespace headwise::kernels::HEADWISE_TARGET
