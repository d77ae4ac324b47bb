#pragma once

#include <headwise/attention_only_transformer.hpp>
#include <headwise/head_importance.hpp>
#include <headwise/tokens.hpp>
#include <optional>
#include <vector>

namespace headwise {

/// A batch that a model's heads are measured on.
struct ModelMeasureBatch {
  Tokens tokens;  ///< (batch, length)
  /// (batch, length), as `AttentionOnlyTransformer::loss` takes them. Confidence and entropy need
  /// none.
  Tokens targets = {};
};

/// `measure_head_importance` of every layer of a model, (heads,) each, in evaluation mode. Means of
/// gradients and ablation are over targets: a sample's loss is the sum over its own, so that
/// importance is on the scale of `loss` and does not depend on how samples are batched. The model
/// is unchanged. Throws what `loss` throws, and invalid-option for `normalize` with another measure
/// than gradient.
[[nodiscard]] std::optional<std::vector<Tensor<1>>> measure_head_importance(
    const AttentionOnlyTransformer& model, const std::vector<ModelMeasureBatch>& batches,
    const HeadImportanceOptions& options);

}  // namespace headwise
