#pragma once

#include <headwise/attention/key_ranges.hpp>
#include <headwise/attention/valid_lens.hpp>
#include <headwise/tensor.hpp>

namespace headwise {

struct MaskedSoftmaxOptions {
  /// What a row without a valid key gets. Default: zeros.
  EmptyRows empty_rows = EmptyRows::zero;
};

/// Softmax over the last axis of `scores` (batch, queries, keys), each row over its valid keys
/// only; masked keys get weight exactly 0 and what their scores hold (NaN and infinity included) is
/// never read. Returns the same shape. Source: d2l, Attention Scoring Functions, `masked_softmax`,
/// with exact masks in place of its −1e6. Throws `Error`: invalid-shape and invalid-value for
/// `valid_lens` that do not fit.
[[nodiscard]] Tensor<3> masked_softmax(const Tensor<3>& scores, const ValidLens& valid_lens = {},
                                       const MaskedSoftmaxOptions& options = {});

/// Turns one row of scores into weights, in place: the softmax of `scale` · score over the keys
/// that `row` reads, 0 elsewhere. `scores` holds those of the keys [covered.begin, covered.end),
/// which include all that `row` reads.
void softmax_over_row(float* scores, KeyRange covered, const QueryRow& row, float scale) noexcept;

/// `masked_softmax` for callers who own all memory: `weights`, (batch, queries, keys) of `ranges`,
/// holds the scores and receives the weights.
void masked_softmax_into(const KeyRanges& ranges, float* weights) noexcept;

}  // namespace headwise
