#include <headwise/core/kernels/elementwise.hpp>
#include <headwise/core/kernels/exponential.hpp>
#include <headwise/core/kernels/simd.hpp>
#include <headwise/core/kernels/softmax.hpp>

namespace headwise::kernels::HEADWISE_TARGET {
namespace {

/// The maximum of at least one vector of floats; the last vector may overlap the one before.
float maximum_of(const float* row, std::size_t count) noexcept {
  // Two independent maxima, to hide latency.
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

/// `exp_minus_max` of at least one vector.
[[gnu::noinline]] float exp_minus_max_vectors(float* row, std::size_t count) noexcept {
  const Batch maximum(maximum_of(row, count));
  const Exponential<true> exponential;
  float* last = row + count - lanes;
  const Batch last_scores = Batch::load_unaligned(last);
  Batch sum(0.0F);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const Batch numerators = exponential.of_nonpositive(Batch::load_unaligned(row + i) - maximum);
    sum += numerators;
    numerators.store_unaligned(row + i);
  }
  if (i < count) {
    const Batch numerators = exponential.of_nonpositive(last_scores - maximum);
    // Lanes shared with the vector before are in the sum already.
    sum = multiply_add(numerators, last_lanes(count - i), sum);
    numerators.store_unaligned(last);
  }
  return xsimd::reduce_add(sum);
}

/// Independent partial sums, to hide the latency of the addition.
constexpr std::size_t sums_at_once = 4;

/// `softmax_gradient` of at least one vector. The last one may overlap the one before.
void softmax_gradient_vectors(float* HEADWISE_RESTRICT gradients, float* HEADWISE_RESTRICT weights,
                              std::size_t count, float factor) noexcept {
  const Batch factors(factor);
  const std::size_t last = count - lanes;
  const Batch last_gradients = Batch::load_unaligned(gradients + last);
  const Batch last_weights = Batch::load_unaligned(weights + last) * factors;
  Array<Batch, sums_at_once> sums;
  fill(sums, Batch(0.0F));
  const auto add_vector = [&](std::size_t i, Batch& sum) {
    const Batch weight = Batch::load_unaligned(weights + i) * factors;
    sum = multiply_add(weight, Batch::load_unaligned(gradients + i), sum);
    weight.store_unaligned(weights + i);
  };
  std::size_t i = 0;
  for (; i + sums_at_once * lanes <= count; i += sums_at_once * lanes) {
    for (std::size_t v = 0; v < sums_at_once; ++v) {
      add_vector(i + v * lanes, sums[v]);
    }
  }
  for (; i + lanes <= count; i += lanes) {
    add_vector(i, sums[0]);
  }
  sums[1] = multiply_add(last_weights * last_lanes(count - i), last_gradients, sums[1]);
  last_weights.store_unaligned(weights + last);

  const Batch means(xsimd::reduce_add((sums[0] + sums[1]) + (sums[2] + sums[3])));
  const auto differentiate = [&](const Batch& gradient, const Batch& weight) {
    return weight * (gradient - means);
  };
  for (i = 0; i < last; i += lanes) {
    differentiate(Batch::load_unaligned(gradients + i), Batch::load_unaligned(weights + i))
        .store_unaligned(gradients + i);
  }
  differentiate(last_gradients, last_weights).store_unaligned(gradients + last);
}

}  // namespace

void exponential(float* values, std::size_t count) noexcept {
  assert(holds(values, count));
  for_each_vector(values, count, Exponential());
}

float exp_minus_max(float* row, std::size_t count) noexcept {
  assert(row != nullptr && count >= 1);
  if (count >= lanes) {
    return exp_minus_max_vectors(row, count);
  }
  Array<float, lanes> padded;
  fill(padded, minus_infinity);
  copy(row, count, padded.data());
  const float sum = exp_minus_max_vectors(padded.data(), lanes);
  copy(padded.data(), count, row);
  return sum;
}

void softmax(float* row, std::size_t count) noexcept {
  scale(row, count, 1.0F / exp_minus_max(row, count));
}

void softmax_gradient(float* HEADWISE_RESTRICT gradients, float* HEADWISE_RESTRICT weights,
                      std::size_t count, float factor) noexcept {
  assert(holds(gradients, count) && holds(weights, count));
  assert(disjoint(gradients, count, weights, count));
  if (count >= lanes) {
    softmax_gradient_vectors(gradients, weights, count, factor);
    return;
  }
  Array<float, lanes> padded_gradients{};
  Array<float, lanes> padded_weights{};
  copy(gradients, count, padded_gradients.data());
  copy(weights, count, padded_weights.data());
  softmax_gradient_vectors(padded_gradients.data(), padded_weights.data(), lanes, factor);
  copy(padded_gradients.data(), count, gradients);
  copy(padded_weights.data(), count, weights);
}

}  // namespace headwise::kernels::HEADWISE_TARGET
