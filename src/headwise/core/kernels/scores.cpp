#include <algorithm>
#include <array>
#include <cmath>
#include <headwise/core/kernels/for_each_vector.hpp>
#include <headwise/core/kernels/gemm.hpp>
#include <headwise/core/kernels/hyperbolic_tangent.hpp>
#include <headwise/core/kernels/scores.hpp>
#include <headwise/core/kernels/simd.hpp>

namespace headwise::kernels::HEADWISE_TARGET {

[[gnu::noinline]] Batch hyperbolic_tangent(const Batch& x) noexcept { return xsimd::tanh(x); }

[[gnu::noinline]] void scale(float* scores, std::size_t count, float scale) noexcept {
  const Batch scales(scale);
  for_each_vector(scores, count, [&](const Batch& score) { return score * scales; });
}

void scale_reference(float* scores, std::size_t count, float scale) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    scores[i] *= scale;
  }
}

void softcap(float* scores, std::size_t count, float cap) noexcept {
  const Batch caps(cap);
  for_each_vector(scores, count,
                  [&](const Batch& score) { return caps * hyperbolic_tangent(score / caps); });
}

void softcap_reference(float* scores, std::size_t count, float cap) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    scores[i] = cap * std::tanh(scores[i] / cap);
  }
}

void additive_scores(const float* query, const float* packed_keys, const float* w_v,
                     std::size_t hiddens, std::size_t count, float* scores) noexcept {
  for (std::size_t first = 0; first < count; first += panel_columns) {
    Batch left(0.0F);
    Batch right(0.0F);
    for (std::size_t u = 0; u < hiddens; ++u, packed_keys += panel_columns) {
      const Batch features(query[u]);
      const Batch weight(w_v[u]);
      left = multiply_add(weight, hyperbolic_tangent(features + Batch::load_unaligned(packed_keys)),
                          left);
      right = multiply_add(
          weight, hyperbolic_tangent(features + Batch::load_unaligned(packed_keys + lanes)), right);
    }
    std::array<float, panel_columns> panel;  // NOLINT(*-member-init): written as a whole below
    left.store_unaligned(panel.data());
    right.store_unaligned(panel.data() + lanes);
    std::copy_n(panel.begin(), std::min(panel_columns, count - first), scores + first);
  }
}

void additive_scores_reference(const float* query, const float* keys, const float* w_v,
                               std::size_t hiddens, std::size_t count, float* scores) noexcept {
  for (std::size_t j = 0; j < count; ++j) {
    float sum = 0.0F;
    for (std::size_t u = 0; u < hiddens; ++u) {
      sum += w_v[u] * std::tanh(query[u] + keys[j * hiddens + u]);
    }
    scores[j] = sum;
  }
}

}  // namespace headwise::kernels::HEADWISE_TARGET
