#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <headwise/core/kernels/dispatch.hpp>

#include "floats.hpp"

namespace headwise::test {
namespace {

void sgd_step_reference(float* values, const float* gradients, float* momenta, std::size_t count,
                        const kernels::SGDFactors& factors) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    const float gradient = gradients[i] + factors.weight_decay * values[i];
    momenta[i] = factors.momentum * momenta[i] + gradient;
    values[i] -= factors.learning_rate * momenta[i];
  }
}

void adam_step_reference(float* values, const float* gradients, float* means, float* squares,
                         std::size_t count, const kernels::AdamFactors& factors) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    means[i] = factors.beta_1 * means[i] + factors.one_minus_beta_1 * gradients[i];
    squares[i] =
        factors.beta_2 * squares[i] + factors.one_minus_beta_2 * gradients[i] * gradients[i];
    const float root = std::sqrt(squares[i]) / factors.sqrt_bias_correction + factors.epsilon;
    values[i] = factors.weight_decay_factor * values[i] - factors.step_size * means[i] / root;
  }
}

TEST_CASE("sgd_step and adam_step agree with their references, wherever a number lies") {
  for (const std::size_t count : {1, 3, 7, 33, 129}) {
    CAPTURE(count);
    const Floats gradients = random_floats(count, 1);
    Floats values = random_floats(count + 1, 2);
    Floats means = random_floats(count + 1, 3);
    Floats squares = random_floats(count + 1, 4);
    for (float& square : squares) {
      square *= square;
    }
    values.back() = means.back() = squares.back() = guard;
    Floats other_values = values;
    Floats other_means = means;
    Floats other_squares = squares;
    const kernels::AdamFactors adam{0.9F, 0.1F, 0.99F, 0.01F, 0.999F, 0.02F, 0.3F, 1e-8F};
    kernels::adam_step(values.data(), gradients.data(), means.data(), squares.data(), count, adam);
    adam_step_reference(other_values.data(), gradients.data(), other_means.data(),
                        other_squares.data(), count, adam);
    const kernels::SGDFactors sgd{0.1F, 0.9F, 0.01F};
    kernels::sgd_step(values.data(), gradients.data(), means.data(), count, sgd);
    sgd_step_reference(other_values.data(), gradients.data(), other_means.data(), count, sgd);
    CHECK(max_difference(values, other_values) <= 1e-5);
    CHECK(max_difference(means, other_means) <= 1e-6);
    CHECK(max_difference(squares, other_squares) <= 1e-6);
  }
}

}  // namespace
}  // namespace headwise::test
