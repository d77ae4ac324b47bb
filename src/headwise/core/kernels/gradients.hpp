#pragma once

#include <cstddef>
#include <headwise/core/kernels/target.hpp>

/// Gradients of what happens to a row of scores between the product and the weighted sum.
namespace headwise::kernels::HEADWISE_TARGET {

/// values[i] *= factors[i]
void multiply(float* values, const float* factors, std::size_t count) noexcept;
void multiply_reference(float* values, const float* factors, std::size_t count) noexcept;

/// values[i] += others[i]
void add(float* values, const float* others, std::size_t count) noexcept;
void add_reference(float* values, const float* others, std::size_t count) noexcept;

/// The softmax's, of weights that still lack `factor`: weights[i] *= factor, then
/// gradients[i] = weights[i] · (gradients[i] − Σ_j weights[j] · gradients[j]). Where one weight is
/// 1 and the others 0, the sum is that weight's gradient to the bit, and the difference 0: from
/// another sum, however exact, rounding errors would be left, which scores multiply.
void softmax_gradient(float* gradients, float* weights, std::size_t count, float factor) noexcept;
void softmax_gradient_reference(float* gradients, float* weights, std::size_t count,
                                float factor) noexcept;

/// The softcap's: gradients[i] *= 1 − (capped[i] / cap)², the derivative of cap · tanh(s / cap)
/// where it is `capped`.
void softcap_gradient(float* gradients, const float* capped, std::size_t count, float cap) noexcept;
void softcap_gradient_reference(float* gradients, const float* capped, std::size_t count,
                                float cap) noexcept;

/// Those of `additive_scores`. With t = tanh(query[u] + keys[j][u]) and
/// d = gradients[j] · w_v[u] · (1 − t²), adds d over all j to query_gradient[u], d to
/// packed_key_gradients[j][u], which lies as the keys do, and gradients[j] · t over all j to
/// w_v_gradient[u]. Keys whose gradient is 0 add nothing, whatever they hold.
void additive_scores_gradient(const float* query, const float* packed_keys, const float* w_v,
                              const float* gradients, std::size_t hiddens, std::size_t count,
                              float* query_gradient, float* packed_key_gradients,
                              float* w_v_gradient) noexcept;

/// The same with keys and their gradients unpacked, (count, hiddens).
void additive_scores_gradient_reference(const float* query, const float* keys, const float* w_v,
                                        const float* gradients, std::size_t hiddens,
                                        std::size_t count, float* query_gradient,
                                        float* key_gradients, float* w_v_gradient) noexcept;

}  // namespace headwise::kernels::HEADWISE_TARGET
