#pragma once

#include <array>
#include <vector>

#include "attention_reference.hpp"
#include "transformer_call.hpp"

/// A whole transformer in float64, as the formulas have it.
namespace headwise::test::reference {

struct ModelOutput {
  Doubles<3> hidden, logits, encoder_hidden;
  /// Of each layer of each side.
  std::array<std::vector<Doubles<4>>, 3> weights;
  std::array<std::vector<Inside>, 3> inside;

  [[nodiscard]] const std::vector<Doubles<4>>& weights_of(Side side) const {
    return weights.at(static_cast<std::size_t>(side));
  }
};

/// The call's pass with these parameters. How many heads a layer has follows from their shapes, so
/// that they may be those of a pruned model. `with_inside` also computes what can be captured.
ModelOutput forward(const TransformerCall& call, const StateDict& parameters,
                    bool with_inside = false);

/// Σ over the targets from 0 on of −log softmax(logits)[target], of one sample.
double sum_of_losses(const Doubles<3>& logits, const Tokens& targets, std::size_t sample);

/// The mean over all targets from 0 on; 0 without any.
double mean_loss(const Doubles<3>& logits, const Tokens& targets);

}  // namespace headwise::test::reference
