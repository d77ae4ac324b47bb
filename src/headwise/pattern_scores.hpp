#pragma once

#include <cstddef>
#include <headwise/core/analysis/pattern_scores.hpp>
#include <headwise/tensor.hpp>
#include <headwise/tokens.hpp>
#include <vector>

namespace headwise {

/// The scores of each head of self-attention weights (batch, heads, length, length). With causal
/// weights, only keys up to each query's position count. Throws `Error` (invalid-shape) unless the
/// last two axes are equal.
[[nodiscard]] std::vector<PatternScores> pattern_scores(const TensorView<4>& attention_weights,
                                                        bool causal);

/// For each head, the mean weight on the successors of earlier copies of the query's token, over
/// the queries that have any: prefix matching. `tokens` are (batch, length), the weights (batch,
/// heads, length, length). Throws `Error` (invalid-shape, invalid-value). Source: Olsson et al.
/// 2022.
[[nodiscard]] std::vector<double> induction_scores(const TensorView<4>& attention_weights,
                                                   const Tokens& tokens);

/// For each head, the mean weight on the correct key, `keys` (batch, queries) as in `TaskBatch`,
/// over the queries that have one. Weights are (batch, heads, queries, keys). Throws `Error`
/// (invalid-shape, invalid-value).
[[nodiscard]] std::vector<double> key_scores(const TensorView<4>& attention_weights,
                                             const Tokens& keys);

}  // namespace headwise
