#include <algorithm>
#include <array>
#include <cmath>
#include <headwise/kernels/for_each_vector.hpp>
#include <headwise/kernels/gradients.hpp>
#include <headwise/kernels/hyperbolic_tangent.hpp>
#include <headwise/kernels/matrix_multiply.hpp>
#include <headwise/kernels/simd.hpp>

namespace headwise::kernels::HEADWISE_TARGET {

void multiply(float* values, const float* factors, std::size_t count) noexcept {
  for_each_vector(values, factors, count,
                  [](const Batch& value, const Batch& factor) { return value * factor; });
}

void multiply_reference(float* values, const float* factors, std::size_t count) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    values[i] *= factors[i];
  }
}

void add(float* values, const float* others, std::size_t count) noexcept {
  for_each_vector(values, others, count,
                  [](const Batch& value, const Batch& other) { return value + other; });
}

void add_reference(float* values, const float* others, std::size_t count) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    values[i] += others[i];
  }
}

void softmax_gradient(float* gradients, const float* weights, std::size_t count,
                      float mean) noexcept {
  const Batch means(mean);
  for_each_vector(gradients, weights, count, [&](const Batch& gradient, const Batch& weight) {
    return weight * (gradient - means);
  });
}

void softmax_gradient_reference(float* gradients, const float* weights, std::size_t count,
                                float mean) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    gradients[i] = weights[i] * (gradients[i] - mean);
  }
}

void softcap_gradient(float* gradients, const float* capped, std::size_t count,
                      float cap) noexcept {
  const Batch caps(cap);
  for_each_vector(gradients, capped, count, [&](const Batch& gradient, const Batch& score) {
    const Batch tangent = score / caps;
    return gradient * (Batch(1.0F) - tangent * tangent);
  });
}

void softcap_gradient_reference(float* gradients, const float* capped, std::size_t count,
                                float cap) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    const float tangent = capped[i] / cap;
    gradients[i] *= 1.0F - tangent * tangent;
  }
}

void additive_scores_gradient(const float* query, const float* packed_keys, const float* w_v,
                              const float* gradients, std::size_t hiddens, std::size_t count,
                              float* query_gradient, float* packed_key_gradients,
                              float* w_v_gradient) noexcept {
  const Batch zero(0.0F);
  for (std::size_t first = 0; first < count; first += lanes) {
    std::array<float, lanes> here{};
    std::copy_n(gradients + first, std::min(lanes, count - first), here.begin());
    const Batch gradient = Batch::load_unaligned(here.data());
    const auto is_zero = gradient == zero;
    const std::size_t place =
        first / panel_columns * panel_columns * hiddens + first % panel_columns;
    for (std::size_t u = 0; u < hiddens; ++u) {
      const float* keys = packed_keys + place + u * panel_columns;
      float* key_gradients = packed_key_gradients + place + u * panel_columns;
      const Batch tangent = hyperbolic_tangent(Batch(query[u]) + Batch::load_unaligned(keys));
      const Batch of_weight = xsimd::select(is_zero, zero, gradient * tangent);
      const Batch of_sum = xsimd::select(
          is_zero, zero, gradient * Batch(w_v[u]) * (Batch(1.0F) - tangent * tangent));
      (Batch::load_unaligned(key_gradients) + of_sum).store_unaligned(key_gradients);
      query_gradient[u] += xsimd::reduce_add(of_sum);
      w_v_gradient[u] += xsimd::reduce_add(of_weight);
    }
  }
}

void additive_scores_gradient_reference(const float* query, const float* keys, const float* w_v,
                                        const float* gradients, std::size_t hiddens,
                                        std::size_t count, float* query_gradient,
                                        float* key_gradients, float* w_v_gradient) noexcept {
  for (std::size_t j = 0; j < count; ++j) {
    for (std::size_t u = 0; gradients[j] != 0.0F && u < hiddens; ++u) {
      const float tangent = std::tanh(query[u] + keys[j * hiddens + u]);
      const float of_sum = gradients[j] * w_v[u] * (1.0F - tangent * tangent);
      query_gradient[u] += of_sum;
      key_gradients[j * hiddens + u] += of_sum;
      w_v_gradient[u] += gradients[j] * tangent;
    }
  }
}

}  // namespace headwise::kernels::HEADWISE_TARGET
