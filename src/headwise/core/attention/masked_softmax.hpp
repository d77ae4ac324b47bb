#pragma once

#include <cstddef>
#include <headwise/core/attention/attention_mask.hpp>

namespace headwise {

/// The softmax of every row over its valid keys only, as `masked_softmax` has it: `weights`,
/// (batch, queries, keys) of `mask`, holds the scores and receives the weights. `num_threads` may
/// compute.
void masked_softmax_into(const AttentionMask& mask, float* weights,
                         std::size_t num_threads) noexcept;

}  // namespace headwise
