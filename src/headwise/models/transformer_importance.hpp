#pragma once

#include <headwise/attention/head_importance.hpp>
#include <headwise/models/attention_only_transformer.hpp>
#include <headwise/tokens.hpp>
#include <optional>
#include <vector>

namespace headwise {

/// What a model's heads are measured on.
struct TransformerBatch {
  Tokens tokens;   ///< (batch, length)
  Tokens targets;  ///< the same, −1 where nothing is asked
};

/// The importance of the heads of every layer of a model, (heads,) for each, in evaluation mode.
/// The loss of a batch is `loss`, a mean over its targets, times its samples. The model stays as it
/// is; a backward that is pending in one of its layers is lost. Throws what the other overloads and
/// `loss` throw.
[[nodiscard]] std::optional<std::vector<Tensor<1>>> measure_head_importance(
    AttentionOnlyTransformer& model, const std::vector<TransformerBatch>& batches,
    const HeadImportanceOptions& options);

}  // namespace headwise
