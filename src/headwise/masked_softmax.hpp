#pragma once

#include <headwise/masks.hpp>
#include <headwise/tensor.hpp>

namespace headwise {

struct MaskedSoftmaxOptions {
  /// Result of a row without a valid key. Default: zeros.
  EmptyRows empty_rows = EmptyRows::zero;
};

/// Softmax over the last axis of `scores` (batch, queries, keys), each row over its valid keys
/// only. Masked keys get weight exactly 0, and their scores are never read, so they may be NaN or
/// infinite. Returns the same shape. Source: d2l, Attention Scoring Functions, `masked_softmax`,
/// with exact masks in place of its −1e6. Throws `Error`: invalid-shape and invalid-value for
/// `valid_lens`.
[[nodiscard]] Tensor<3> masked_softmax(const TensorView<3>& scores,
                                       const ValidLens& valid_lens = {},
                                       const MaskedSoftmaxOptions& options = {});

}  // namespace headwise
