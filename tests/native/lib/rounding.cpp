#include "rounding.hpp"

#include <cmath>

#include "attention_reference.hpp"
#include "compare.hpp"

namespace headwise::test {
namespace {

using reference::Doubles;

/// Of a problem of magnitudes.
reference::Heads heads_of(const Problem& problem) {
  const Configuration& c = problem.configuration;
  if (c.call == Call::layer) {
    return reference::project_heads(
        problem.layer, problem.parameters, problem.queries, problem.keys, problem.values,
        reference::positions_of(problem.options, c.batch, c.queries, c.all_keys(), c.cached), true);
  }
  return {.Q = reference::with_head_axis(problem.queries),
          .K = reference::with_head_axis(problem.keys),
          .V = reference::with_head_axis(problem.values)};
}

/// What the rounding errors of a score are relative to.
double score_magnitude(const Problem& magnitude, const reference::Heads& heads) {
  const Configuration& c = magnitude.configuration;
  const bool in_layer = c.call == Call::layer;
  if (c.call == Call::additive_attention || c.pooling == Pooling::additive) {
    const std::string prefix = in_layer ? "attention." : "";
    // tanh grows no faster than its argument, and is at most 1.
    double sum = 0;
    for (const float weight : magnitude.parameters.at(prefix + "w_v.weight")) {
      sum += static_cast<double>(weight);
    }
    const auto features = [&](const std::string& name, const Doubles<4>& X) {
      return largest_magnitude(
          reference::features(magnitude.parameters.at(prefix + name + ".weight"), X));
    };
    return sum * (1 + features("W_q", heads.Q) + features("W_k", heads.K));
  }
  const double scale = c.scale.value_or(1 / std::sqrt(static_cast<double>(heads.Q.shape(3))));
  return largest_magnitude(reference::dot_product_scores(heads.Q, heads.K, scale));
}

}  // namespace

Problem magnitudes(Problem problem) {
  for (xt::xarray<float>* tensor : {&problem.queries, &problem.keys, &problem.values}) {
    *tensor = xt::abs(*tensor);
  }
  for (auto& [name, tensor] : problem.parameters) {
    tensor = xt::abs(tensor);
  }
  if (problem.options.head_gate.has_value()) {
    *problem.options.head_gate = xt::abs(*problem.options.head_gate);
  }
  return problem;
}

Rounding rounding_of(const Problem& problem) {
  const Configuration& c = problem.configuration;
  // Operations beside those of the sums: scale, softcap, exponential, division, gate, bias.
  constexpr double others = 20;
  if (c.call == Call::masked_softmax) {
    const auto keys = static_cast<double>(c.keys);
    const double bound = (2 * largest_magnitude(problem.queries) + keys + others) * unit_roundoff;
    return {.weights = bound, .output = bound};
  }
  const Problem magnitude = magnitudes(problem);
  const reference::Heads heads = heads_of(magnitude);
  const Mask& mask = problem.options.mask;
  const HeadGate& gate = problem.options.head_gate;

  const auto sizes = [](auto... size) { return (static_cast<double>(size) + ...); };
  const double score_error =
      unit_roundoff *
      (sizes(c.query_size, c.key_size, c.head_size, c.attention_hiddens, others) *
           score_magnitude(magnitude, heads) +
       (mask.added() != nullptr ? largest_magnitude(std::span(mask.added(), mask.size())) : 0));
  const auto columns = static_cast<double>(heads.K.shape(2));
  // A weight is exp(score) over the sum of such: relative errors of 2 · score_error.
  const double weight_error = 2 * score_error + (columns + others) * unit_roundoff;

  const std::size_t concat_size = heads.Q.shape(1) * heads.V.shape(3);
  const double pooled =
      largest_magnitude(heads.V) * (gate.has_value() ? largest_magnitude(*gate) : 1);
  const Doubles<3> concat(std::array{std::size_t{1}, std::size_t{1}, concat_size}, pooled);
  const double output_magnitude =
      c.call == Call::layer
          ? largest_magnitude(reference::project(magnitude.parameters, "W_o", concat))
          : pooled;
  const double output_error =
      weight_error + unit_roundoff * sizes(columns, c.value_size, concat_size, others);
  const double projection_error =
      unit_roundoff * sizes(c.query_size, c.key_size, c.value_size, others);
  const double pooled_error = weight_error + unit_roundoff * sizes(columns, c.value_size, others);
  return {.weights = c.stage == WeightsStage::softmax ? weight_error : score_error,
          .output = output_magnitude * output_error,
          .relative_weights = weight_error,
          .inside = {{"output", output_magnitude * output_error},
                     {"keyMass", static_cast<double>(c.queries) * (weight_error + unit_roundoff)},
                     {"queries", largest_magnitude(heads.Q) * projection_error},
                     {"keys", largest_magnitude(heads.K) * projection_error},
                     {"values", largest_magnitude(heads.V) * projection_error},
                     {"scores", score_error},
                     {"pooled", largest_magnitude(heads.V) * pooled_error},
                     {"droppedWeights", weight_error}}};
}

}  // namespace headwise::test
