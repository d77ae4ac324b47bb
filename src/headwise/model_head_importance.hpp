#pragma once

#include <cstddef>
#include <headwise/head_importance.hpp>
#include <headwise/masks.hpp>
#include <headwise/tokens.hpp>
#include <headwise/transformer.hpp>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace headwise {

/// A batch that a model's heads are measured on. What is not said of a field is as in
/// `TransformerForwardOptions`.
struct ModelMeasureBatch {
  Tokens tokens;  ///< (batch, length)
  /// (batch, length), as `Transformer::loss` takes them. Confidence and entropy need none, nor does
  /// a loss of the hidden states.
  Tokens targets = {};
  /// In place of tokens, (batch, channels, height, width), of a model that reads images.
  Tensor<4> pixels = {};
  /// Queries beyond a sample's length are padding, which means over queries leave out, as they do
  /// those that `key_mask` masks.
  ValidLens valid_lens = {};
  Mask key_mask = {};
  std::optional<Tokens> segments = {};
  std::optional<Tokens> source = {};
  ValidLens source_valid_lens = {};
  Mask source_key_mask = {};

  /// For `const auto [tokens, targets] = batch`.
  template <std::size_t Index>
  [[nodiscard]] auto&& get() && noexcept {
    return std::get<Index>(std::forward_as_tuple(std::move(tokens), std::move(targets)));
  }
  template <std::size_t Index>
  [[nodiscard]] const Tokens& get() const& noexcept {
    return std::get<Index>(std::tie(tokens, targets));
  }
};

/// `measure_head_importance` of every layer of a side of a model, (heads,) each, in evaluation
/// mode. Means of gradients and ablation are over targets: a sample's loss is the sum over its own,
/// so that importance is on the scale of `Transformer::loss` and does not depend on how samples are
/// batched. With `loss`, a loss of `hidden` after the final norm, summed over the batch's samples,
/// they are over samples, and no targets are needed; a model without logits needs one. The model
/// is unchanged. Throws what `Transformer::forward` and `loss` throw, and invalid-option for
/// `normalize` with another measure than gradient, for a side that the model does not have, and for
/// a `loss` without what the measure needs of it.
[[nodiscard]] std::optional<std::vector<Tensor<1>>> measure_head_importance(
    const Transformer& model, const std::vector<ModelMeasureBatch>& batches,
    const HeadImportanceOptions& options, Side side = Side::self, const OutputLoss& loss = {});

}  // namespace headwise

template <>
struct std::tuple_size<headwise::ModelMeasureBatch> : std::integral_constant<std::size_t, 2> {};
template <std::size_t Index>
struct std::tuple_element<Index, headwise::ModelMeasureBatch> {
  using type = headwise::Tokens;  // NOLINT(*-identifier-naming): the standard's
};
