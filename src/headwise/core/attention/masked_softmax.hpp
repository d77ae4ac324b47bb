#pragma once

#include <cstddef>
#include <headwise/core/attention/attention_mask.hpp>

namespace headwise {

/// The softmax of every row over its valid keys only, as in `masked_softmax`: `weights`, (batch,
/// queries, keys) of `mask`, holds the scores and receives the weights.
void masked_softmax_into(const AttentionMask& mask, float* weights,
                         std::size_t num_threads) noexcept;

}  // namespace headwise
