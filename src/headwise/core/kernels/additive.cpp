#include <headwise/core/kernels/additive.hpp>
#include <headwise/core/kernels/simd.hpp>

namespace headwise::kernels::HEADWISE_TARGET {

void additive_scores(const float* HEADWISE_RESTRICT query,
                     const float* HEADWISE_RESTRICT packed_keys, const float* HEADWISE_RESTRICT w_v,
                     std::size_t hiddens, std::size_t count,
                     float* HEADWISE_RESTRICT scores) noexcept {
  assert(holds(query, hiddens) && holds(w_v, hiddens));
  assert(holds(packed_keys, hiddens * count) && holds(scores, count));
  assert(disjoint(scores, count, packed_keys, hiddens * count));
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
    Array<float, panel_columns> panel;  // NOLINT(*-member-init): written as a whole below
    left.store_unaligned(panel.data());
    right.store_unaligned(panel.data() + lanes);
    copy(panel.data(), min(panel_columns, count - first), scores + first);
  }
}

void additive_scores_gradient(const float* HEADWISE_RESTRICT query,
                              const float* HEADWISE_RESTRICT packed_keys,
                              const float* HEADWISE_RESTRICT w_v,
                              const float* HEADWISE_RESTRICT gradients, std::size_t hiddens,
                              std::size_t count, float* HEADWISE_RESTRICT query_gradient,
                              float* HEADWISE_RESTRICT packed_key_gradients,
                              float* HEADWISE_RESTRICT w_v_gradient) noexcept {
  assert(holds(query, hiddens) && holds(w_v, hiddens) && holds(gradients, count));
  assert(holds(query_gradient, hiddens) && holds(w_v_gradient, hiddens));
  assert(holds(packed_keys, hiddens * count) && holds(packed_key_gradients, hiddens * count));
  assert(disjoint(packed_key_gradients, hiddens * count, packed_keys, hiddens * count));
  assert(disjoint(query_gradient, hiddens, query, hiddens));
  assert(disjoint(w_v_gradient, hiddens, w_v, hiddens));
  assert(disjoint(query_gradient, hiddens, w_v_gradient, hiddens));
  const Batch zero(0.0F);
  for (std::size_t first = 0; first < count; first += lanes) {
    Array<float, lanes> padded{};
    copy(gradients + first, min(lanes, count - first), padded.data());
    const Batch gradient = Batch::load_unaligned(padded.data());
    const auto is_zero = gradient == zero;
    const std::size_t offset =
        first / panel_columns * panel_columns * hiddens + first % panel_columns;
    for (std::size_t u = 0; u < hiddens; ++u) {
      const float* keys = packed_keys + offset + u * panel_columns;
      float* key_gradients = packed_key_gradients + offset + u * panel_columns;
      const Batch tangent = hyperbolic_tangent(Batch(query[u]) + Batch::load_unaligned(keys));
      const Batch weight_gradient = xsimd::select(is_zero, zero, gradient * tangent);
      const Batch sum_gradient = xsimd::select(
          is_zero, zero, gradient * Batch(w_v[u]) * (Batch(1.0F) - tangent * tangent));
      (Batch::load_unaligned(key_gradients) + sum_gradient).store_unaligned(key_gradients);
      query_gradient[u] += xsimd::reduce_add(sum_gradient);
      w_v_gradient[u] += xsimd::reduce_add(weight_gradient);
    }
  }
}

}  // namespace headwise::kernels::HEADWISE_TARGET
