#pragma once

#include <cstddef>
#include <headwise/core/kernels/target.hpp>

/// Scores of additive attention for one query. Source: d2l, `AdditiveAttention`; Bahdanau et al.
/// 2015.
namespace headwise::kernels::HEADWISE_TARGET {

/// scores[j] = Σ_u w_v[u] · tanh(query[u] + keys[j][u]) for `count` keys, u from 0 to `hiddens`.
/// Keys are packed by `pack_columns` as (hiddens, count). Writes exactly `count` floats.
void additive_scores(const float* query, const float* packed_keys, const float* w_v,
                     std::size_t hiddens, std::size_t count, float* scores) noexcept;

/// The gradients of `additive_scores`. With t = tanh(query[u] + keys[j][u]) and d = gradients[j] ·
/// w_v[u] · (1 − t²), adds d over all j to query_gradient[u], d to packed_key_gradients[j][u],
/// packed as the keys are, and gradients[j] · t over all j to w_v_gradient[u]. Keys whose gradient
/// is 0 contribute nothing, even if they hold NaN or infinity. No array that is written overlaps
/// another.
void additive_scores_gradient(const float* query, const float* packed_keys, const float* w_v,
                              const float* gradients, std::size_t hiddens, std::size_t count,
                              float* query_gradient, float* packed_key_gradients,
                              float* w_v_gradient) noexcept;

}  // namespace headwise::kernels::HEADWISE_TARGET
