#pragma once

#include <cstddef>
#include <headwise/core/kernels/target.hpp>

/// What happens to a row of scores between the product and the softmax.
namespace headwise::kernels::HEADWISE_TARGET {

/// scores[i] = scale · scores[i]
void scale(float* scores, std::size_t count, float scale) noexcept;
void scale_reference(float* scores, std::size_t count, float scale) noexcept;

/// scores[i] = cap · tanh(scores[i] / cap), with cap > 0: scores stay within ±cap.
void softcap(float* scores, std::size_t count, float cap) noexcept;
void softcap_reference(float* scores, std::size_t count, float cap) noexcept;

/// scores[j] = Σ_u w_v[u] · tanh(query[u] + keys[j][u]) for `count` keys, u from 0 to `hiddens`.
/// Keys lie packed by `pack_columns`, as (hiddens, count). Writes exactly `count` floats. Source:
/// d2l, `AdditiveAttention`.
void additive_scores(const float* query, const float* packed_keys, const float* w_v,
                     std::size_t hiddens, std::size_t count, float* scores) noexcept;

/// The same with the keys unpacked, (count, hiddens).
void additive_scores_reference(const float* query, const float* keys, const float* w_v,
                               std::size_t hiddens, std::size_t count, float* scores) noexcept;

}  // namespace headwise::kernels::HEADWISE_TARGET
