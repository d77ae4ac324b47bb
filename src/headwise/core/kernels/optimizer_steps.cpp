#include <headwise/core/kernels/optimizer_steps.hpp>
#include <headwise/core/kernels/simd.hpp>

namespace headwise::kernels::HEADWISE_TARGET {
namespace {

/// Runs `update` over vectors of all arrays, of which the last may be incomplete.
template <std::size_t Count, typename Function>
void update_vectors(const Array<float*, Count>& arrays, const float* gradients, std::size_t count,
                    Function update) noexcept {
  Array<Batch, Count> vectors;
  for (std::size_t i = 0; i < count; i += lanes) {
    const std::size_t left = count - i;
    for (std::size_t array = 0; array < Count; ++array) {
      vectors[array] = load_at_most(arrays[array] + i, left);
    }
    update(vectors, load_at_most(gradients + i, left));
    for (std::size_t array = 0; array < Count; ++array) {
      store_at_most(vectors[array], left, arrays[array] + i);
    }
  }
}

}  // namespace

void sgd_step(float* HEADWISE_RESTRICT values, const float* HEADWISE_RESTRICT gradients,
              float* HEADWISE_RESTRICT momenta, std::size_t count,
              const SGDFactors& factors) noexcept {
  assert(holds(values, count) && holds(gradients, count) && holds(momenta, count));
  assert(disjoint(values, count, gradients, count) && disjoint(values, count, momenta, count));
  assert(disjoint(momenta, count, gradients, count));
  const Batch rate(factors.learning_rate);
  const Batch momentum(factors.momentum);
  const Batch weight_decay(factors.weight_decay);
  update_vectors<2>(
      {{values, momenta}}, gradients, count, [&](auto& vectors, const Batch& gradient) {
        auto& [value, mean] = vectors.elements;
        mean = multiply_add(momentum, mean, multiply_add(weight_decay, value, gradient));
        value = value - rate * mean;
      });
}

void adam_step(float* HEADWISE_RESTRICT values, const float* HEADWISE_RESTRICT gradients,
               float* HEADWISE_RESTRICT means, float* HEADWISE_RESTRICT squares, std::size_t count,
               const AdamFactors& factors) noexcept {
  assert(holds(values, count) && holds(gradients, count) && holds(means, count) &&
         holds(squares, count));
  assert(disjoint(values, count, gradients, count) && disjoint(values, count, means, count));
  assert(disjoint(values, count, squares, count) && disjoint(means, count, squares, count));
  assert(disjoint(means, count, gradients, count) && disjoint(squares, count, gradients, count));
  const Batch beta_1(factors.beta_1);
  const Batch one_minus_beta_1(factors.one_minus_beta_1);
  const Batch beta_2(factors.beta_2);
  const Batch one_minus_beta_2(factors.one_minus_beta_2);
  const Batch weight_decay_factor(factors.weight_decay_factor);
  const Batch step_size(factors.step_size);
  const Batch sqrt_bias_correction(factors.sqrt_bias_correction);
  const Batch epsilon(factors.epsilon);
  update_vectors<3>({{values, means, squares}}, gradients, count,
                    [&](auto& vectors, const Batch& gradient) {
                      auto& [value, mean, square] = vectors.elements;
                      mean = multiply_add(beta_1, mean, one_minus_beta_1 * gradient);
                      square = multiply_add(beta_2, square, one_minus_beta_2 * gradient * gradient);
                      const Batch root = xsimd::sqrt(square) / sqrt_bias_correction + epsilon;
                      value = weight_decay_factor * value - step_size * mean / root;
                    });
}

}  // namespace headwise::kernels::HEADWISE_TARGET
