#pragma once

#include <map>
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
  std::map<std::int64_t, std::vector<std::int64_t>> pruned = {};  ///< heads by layer
};

/// Every option at least once, sizes of 1, and heads gone. The last one has learned positions and
/// layer norms.
std::vector<TransformerProblem> transformer_problems();

/// The problem's model. Its norms are drawn at random: new ones are all alike, so that none would
/// be missed.
AttentionOnlyTransformer model_of(const TransformerProblem& problem);

reference::Transformer reference_of(const TransformerProblem& problem,
                                    const AttentionOnlyTransformer& model);
reference::Gates gates_of(const TransformerProblem& problem, const reference::Transformer& model);

}  // namespace headwise::test
