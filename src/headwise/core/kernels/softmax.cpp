#include <algorithm>
#include <array>
#include <cmath>
#include <headwise/core/kernels/exponential.hpp>
#include <headwise/core/kernels/scores.hpp>
#include <headwise/core/kernels/simd.hpp>
#include <headwise/core/kernels/softmax.hpp>

namespace headwise::kernels::HEADWISE_TARGET {
namespace {

/// Of at least one vector. The last one may overlap the one before.
float maximum_of(const float* row, std::size_t count) noexcept {
  // Two vectors at a time: each maximum waits for the one before it.
  Batch left = Batch::load_unaligned(row + count - lanes);
  Batch right(minus_infinity);
  std::size_t i = 0;
  for (; i + 2 * lanes <= count; i += 2 * lanes) {
    left = xsimd::max(left, Batch::load_unaligned(row + i));
    right = xsimd::max(right, Batch::load_unaligned(row + i + lanes));
  }
  if (i + lanes <= count) {
    right = xsimd::max(right, Batch::load_unaligned(row + i));
  }
  return xsimd::reduce_max(xsimd::max(left, right));
}

/// Vectors whose exponentials are computed at the same time: each step of one waits for the one
/// before it.
constexpr std::size_t vectors_at_once = 4;

/// `exp_minus_max` of at least one vector.
[[gnu::noinline]] float exponentiate_vectors(float* row, std::size_t count) noexcept {
  const Batch maximum(maximum_of(row, count));
  const Exponential exponential;
  float* last = row + count - lanes;
  const Batch last_scores = Batch::load_unaligned(last);
  Batch sum(0.0F);
  std::size_t i = 0;
  for (; i + vectors_at_once * lanes <= count; i += vectors_at_once * lanes) {
    std::array<Batch, vectors_at_once> numerators;
    for (std::size_t v = 0; v < vectors_at_once; ++v) {
      const Batch scores = Batch::load_unaligned(row + i + v * lanes);
      numerators[v] = exponential.of_nonpositive(scores - maximum);
    }
    for (std::size_t v = 0; v < vectors_at_once; ++v) {
      sum += numerators[v];
      numerators[v].store_unaligned(row + i + v * lanes);
    }
  }
  for (; i < count; i += lanes) {
    const bool is_whole = i + lanes <= count;
    const Batch scores = is_whole ? Batch::load_unaligned(row + i) : last_scores;
    const Batch numerators = exponential.of_nonpositive(scores - maximum);
    // What the last vector shares with the one before is in the sum already.
    sum = multiply_add(numerators, last_lanes(std::min(count - i, lanes)), sum);
    numerators.store_unaligned(is_whole ? row + i : last);
  }
  return xsimd::reduce_add(sum);
}

}  // namespace

float exp_minus_max(float* row, std::size_t count) noexcept {
  if (count >= lanes) {
    return exponentiate_vectors(row, count);
  }
  std::array<float, lanes> padded;
  padded.fill(minus_infinity);
  std::copy_n(row, count, padded.begin());
  const float sum = exponentiate_vectors(padded.data(), lanes);
  std::copy_n(padded.begin(), count, row);
  return sum;
}

void softmax(float* row, std::size_t count) noexcept {
  scale(row, count, 1.0F / exp_minus_max(row, count));
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
