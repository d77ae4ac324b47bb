#pragma once

#include <headwise/headwise.hpp>
#include <string>
#include <vector>

#include "compare.hpp"
#include "fingerprint.hpp"

/// Objects whose calls run out of memory, and all that can be seen of them.
namespace headwise::test {

MultiHeadAttentionOptions with_sizes(MultiHeadAttentionOptions options, const InputShape& shape);

struct LayerCase {
  std::string name;
  MultiHeadAttentionOptions options;
  InputShape shape;

  /// The same with the sizes left to be inferred.
  [[nodiscard]] LayerCase unknown() const;
};

/// One of each projection and pooling, with everything else that makes parameters.
std::vector<LayerCase> layer_cases();

/// A layer and what it is given. One whose sizes are known has gradients, dropout behind it, and a
/// pending backward of other sizes than those of the inputs.
struct LayerWorld {
  explicit LayerWorld(const LayerCase& layer_case, ForwardOptions forward_options = {});

  MultiHeadAttention layer;
  InputShape earlier;  ///< of the pending backward
  Inputs inputs;
  Tensor<3> grad_output;  ///< of the pending backward
  ForwardOptions options;
};

InputShape shape_of(const Inputs& inputs);

/// Adds all that can be seen of a layer that was given inputs of these shapes, or will be.
void probe(Fingerprint& print, MultiHeadAttention& layer, const std::vector<InputShape>& shapes);
void probe(LayerWorld& world, Fingerprint& print);

void describe(Fingerprint& print, const std::string& name, const MultiHeadAttention& layer);

}  // namespace headwise::test
