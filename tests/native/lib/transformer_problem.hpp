#pragma once

#include <string>
#include <vector>

#include "transformer_reference.hpp"

namespace headwise::test {

/// A model and what it is asked.
struct TransformerProblem {
  std::string name;
  AttentionOnlyTransformerOptions options;
  Tokens tokens;
  Tokens targets;
  std::vector<HeadGate> gates;
};

/// Every option at least once, and sizes of 1. The last one has learned positions and layer norms.
std::vector<TransformerProblem> transformer_problems();

/// The problem's model. Its norms are drawn at random: new ones are all alike, so that none would
/// be missed.
AttentionOnlyTransformer model_of(const TransformerProblem& problem);

reference::Transformer reference_of(const TransformerProblem& problem,
                                    const AttentionOnlyTransformer& model);
reference::Gates gates_of(const TransformerProblem& problem);

}  // namespace headwise::test
