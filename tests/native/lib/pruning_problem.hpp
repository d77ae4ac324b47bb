#pragma once

#include <string>
#include <vector>

#include "compare.hpp"

/// Layers that heads are removed from, and the same layers built without them.
namespace headwise::test {

struct PruningProblem {
  std::string name;
  MultiHeadAttentionOptions options;
  std::vector<std::int64_t> heads;  ///< to be removed, in ascending order
  InputShape shape;

  [[nodiscard]] MultiHeadAttention layer() const;
  /// The layer that was smaller from the start, with what the whole layer's parameters leave it.
  [[nodiscard]] MultiHeadAttention small_layer() const;
  [[nodiscard]] bool removes(std::size_t head) const;
  /// (heads,), 0 for those to be removed, else 1.
  [[nodiscard]] Tensor<1> gates() const;
  /// What parameters, or their gradients, are without the heads.
  [[nodiscard]] StateDict without_heads(const StateDict& dict) const;
};

/// Every kind of layer that can be pruned, with awkward sizes.
std::vector<PruningProblem> pruning_problems();

/// Every tensor of one is within the tolerance of the other's; 0 is bit for bit.
void check_same(const StateDict& a, const StateDict& b, double tolerance = 0);

}  // namespace headwise::test
