#pragma once

#include <cstddef>
#include <cstdint>
#include <headwise/tensor.hpp>
#include <headwise/tokens.hpp>

namespace headwise {

/// The mean of −log softmax(logits)[target] over all targets that are not −1, for logits (batch,
/// length, vocabulary) and targets (batch, length). 0 if there are no targets, so that
/// such a batch changes nothing; PyTorch returns NaN. Throws `Error` (invalid-shape, invalid-value,
/// out-of-memory). Source: PyTorch, `nn.functional.cross_entropy` with `ignore_index`, whose
/// default is −100 there.
[[nodiscard]] double cross_entropy(const TensorView<3>& logits, const Tokens& targets);

}  // namespace headwise
