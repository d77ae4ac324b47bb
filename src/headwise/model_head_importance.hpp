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

/// A batch to measure a model's heads on. Fields are as in `TransformerForwardOptions`.
struct ModelMeasureBatch {
  Tokens tokens;  ///< (batch, length)
  /// (batch, length), as for `Transformer::loss`. Not needed for confidence, entropy, or a loss of
  /// the hidden states.
  Tokens targets = {};
  /// (batch, channels, height, width), in place of tokens for models that read images.
  Tensor<4> pixels = {};
  /// Means over queries skip padding: queries beyond a sample's length, or masked by `key_mask`.
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

/// The importance of the heads of every layer on one side of a model, (heads,) for each layer, in
/// evaluation mode. The model is unchanged.
///
/// Gradients and ablation average over targets, so importance is on the scale of
/// `Transformer::loss` and does not depend on how samples are batched. A model without logits needs
/// `loss`: a loss of `hidden` after the final norm, summed over the samples of the batch. The
/// average is then over samples, and no targets are needed.
///
/// Throws what `Transformer::forward` and `loss` throw; also invalid-option without batches,
/// `normalize` with a measure other than gradient, a side that the model does not have, or a `loss`
/// without the function that the measure needs.
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
