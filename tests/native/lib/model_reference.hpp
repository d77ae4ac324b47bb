#pragma once

#include <array>
#include <functional>
#include <vector>

#include "attention_reference.hpp"
#include "transformer_call.hpp"

/// A whole transformer in float64, as the formulas have it.
namespace headwise::test::reference {

struct ModelOutput {
  Doubles<3> hidden, logits, encoder_hidden;
  /// Of each layer of each side.
  std::array<std::vector<Doubles<4>>, 3> weights;

  [[nodiscard]] const std::vector<Doubles<4>>& weights_of(Side side) const {
    return weights.at(static_cast<std::size_t>(side));
  }
};

/// Reads or replaces an activation of a pass: (batch, heads, rows, size), where axes that it has
/// not got are of size 1.
using Hook = std::function<void(ActivationName at, Side side, std::size_t layer, Doubles<4>&)>;

/// The call's pass with these parameters. How many heads a layer has follows from their shapes, so
/// that they may be those of a pruned model. Calls the hook, if any, with each activation.
ModelOutput forward(const TransformerCall& call, const StateDict& parameters,
                    const Hook& hook = {});

/// Σ over the targets from 0 on of −log softmax(logits)[target], of one sample.
double sum_of_losses(const Doubles<3>& logits, const Tokens& targets, std::size_t sample);

/// The mean over all targets from 0 on; 0 without any.
double mean_loss(const Doubles<3>& logits, const Tokens& targets);

}  // namespace headwise::test::reference
