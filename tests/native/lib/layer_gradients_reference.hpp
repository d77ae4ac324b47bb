#pragma once

#include <map>
#include <string>
#include <vector>

#include "attention_reference.hpp"

/// The layer's gradients in float64, pair of query and key by pair.
namespace headwise::test::reference {

struct Gradients {
  Doubles<3> queries, keys, values;
  Doubles<2> head_gate;                                   ///< (batch, heads)
  std::map<std::string, std::vector<double>> parameters;  ///< by name, as they lie
};

/// What the layer was given, and the gradient of its output.
struct GradientProblem {
  MultiHeadAttentionOptions layer;
  StateDict parameters;
  Doubles<3> queries, keys, values;
  ForwardOptions options;
  Doubles<4> dropout_factors;  ///< as in `Pooling`
  Doubles<3> grad_output;
};

/// What has coefficient 0 adds nothing, whatever it holds: a masked key, or the input of a row
/// whose gradient is 0.
Gradients gradients(const GradientProblem& problem);

/// The same sums with every term replaced by its magnitude, which is what rounding errors are
/// relative to. `magnitude` holds the magnitudes of what `problem` holds.
Gradients gradient_magnitudes(const GradientProblem& problem, const GradientProblem& magnitude);

}  // namespace headwise::test::reference
