#include <algorithm>
#include <array>
#include <cmath>
#include <headwise/core/kernels/for_each_vector.hpp>
#include <headwise/core/kernels/gemm.hpp>
#include <headwise/core/kernels/gradients.hpp>
#include <headwise/core/kernels/hyperbolic_tangent.hpp>
#include <headwise/core/kernels/simd.hpp>

namespace headwise::kernels::HEADWISE_TARGET {
namespace {

/// Vectors of products that are added up side by side: each sum waits for its last addition.
constexpr std::size_t sums_at_once = 4;

/// `softmax_gradient` of at least one vector. The last one may overlap the one before.
void softmax_gradient_vectors(float* gradients, float* weights, std::size_t count,
                              float factor) noexcept {
  const Batch factors(factor);
  const std::size_t last = count - lanes;
  const Batch last_gradients = Batch::load_unaligned(gradients + last);
  const Batch last_weights = Batch::load_unaligned(weights + last) * factors;
  std::array<Batch, sums_at_once> sums;
  sums.fill(Batch(0.0F));
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

void softmax_gradient(float* gradients, float* weights, std::size_t count, float factor) noexcept {
  if (count >= lanes) {
    softmax_gradient_vectors(gradients, weights, count, factor);
    return;
  }
  std::array<float, lanes> padded_gradients{};
  std::array<float, lanes> padded_weights{};
  std::copy_n(gradients, count, padded_gradients.begin());
  std::copy_n(weights, count, padded_weights.begin());
  softmax_gradient_vectors(padded_gradients.data(), padded_weights.data(), lanes, factor);
  std::copy_n(padded_gradients.begin(), count, gradients);
  std::copy_n(padded_weights.begin(), count, weights);
}

void softmax_gradient_reference(float* gradients, float* weights, std::size_t count,
                                float factor) noexcept {
  float mean = 0;
  for (std::size_t i = 0; i < count; ++i) {
    weights[i] *= factor;
    mean += weights[i] * gradients[i];
  }
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
