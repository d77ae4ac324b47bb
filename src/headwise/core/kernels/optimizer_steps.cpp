#include <algorithm>
#include <array>
#include <cmath>
#include <headwise/core/kernels/optimizer_steps.hpp>
#include <headwise/core/kernels/simd.hpp>

namespace headwise::kernels::HEADWISE_TARGET {
namespace {

/// Runs `update` over vectors of all arrays; what is left over, by way of buffers.
template <std::size_t Count, typename Function>
void update_vectors(const std::array<float*, Count>& arrays, const float* gradients,
                    std::size_t count, Function update) noexcept {
  std::array<Batch, Count> vectors;
  std::array<float, lanes> buffer{};
  for (std::size_t i = 0; i < count; i += lanes) {
    const std::size_t width = std::min(lanes, count - i);
    const auto load = [&](const float* from) {
      if (width == lanes) {
        return Batch::load_unaligned(from);
      }
      std::copy_n(from, width, buffer.begin());
      return Batch::load_unaligned(buffer.data());
    };
    for (std::size_t array = 0; array < Count; ++array) {
      vectors[array] = load(arrays[array] + i);
    }
    update(vectors, load(gradients + i));
    for (std::size_t array = 0; array < Count; ++array) {
      if (width == lanes) {
        vectors[array].store_unaligned(arrays[array] + i);
      } else {
        vectors[array].store_unaligned(buffer.data());
        std::copy_n(buffer.begin(), width, arrays[array] + i);
      }
    }
  }
}

}  // namespace

void sgd_step(float* values, const float* gradients, float* momenta, std::size_t count,
              const SGDFactors& factors) noexcept {
  const Batch rate(factors.learning_rate);
  const Batch momentum(factors.momentum);
  const Batch weight_decay(factors.weight_decay);
  update_vectors<2>({values, momenta}, gradients, count, [&](auto& vectors, const Batch& gradient) {
    auto& [value, mean] = vectors;
    mean = multiply_add(momentum, mean, multiply_add(weight_decay, value, gradient));
    value = value - rate * mean;
  });
}

void sgd_step_reference(float* values, const float* gradients, float* momenta, std::size_t count,
                        const SGDFactors& factors) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    const float gradient = gradients[i] + factors.weight_decay * values[i];
    momenta[i] = factors.momentum * momenta[i] + gradient;
    values[i] -= factors.learning_rate * momenta[i];
  }
}

void adam_step(float* values, const float* gradients, float* means, float* squares,
               std::size_t count, const AdamFactors& factors) noexcept {
  const Batch beta_1(factors.beta_1);
  const Batch rest_1(factors.rest_1);
  const Batch beta_2(factors.beta_2);
  const Batch rest_2(factors.rest_2);
  const Batch decay(factors.decay);
  const Batch step_size(factors.step_size);
  const Batch root_correction(factors.root_correction);
  const Batch epsilon(factors.epsilon);
  update_vectors<3>({values, means, squares}, gradients, count,
                    [&](auto& vectors, const Batch& gradient) {
                      auto& [value, mean, square] = vectors;
                      mean = multiply_add(beta_1, mean, rest_1 * gradient);
                      square = multiply_add(beta_2, square, rest_2 * gradient * gradient);
                      const Batch root = xsimd::sqrt(square) / root_correction + epsilon;
                      value = decay * value - step_size * mean / root;
                    });
}

void adam_step_reference(float* values, const float* gradients, float* means, float* squares,
                         std::size_t count, const AdamFactors& factors) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    means[i] = factors.beta_1 * means[i] + factors.rest_1 * gradients[i];
    squares[i] = factors.beta_2 * squares[i] + factors.rest_2 * gradients[i] * gradients[i];
    const float root = std::sqrt(squares[i]) / factors.root_correction + factors.epsilon;
    values[i] = factors.decay * values[i] - factors.step_size * means[i] / root;
  }
}

}  // namespace headwise::kernels::HEADWISE_TARGET
