#include "rounding.hpp"

#include <cmath>

#include "attention_reference.hpp"

namespace headwise::test {
namespace {

using reference::Doubles;

double largest(const auto& tensor) {
  double result = 0;
  for (const auto number : tensor) {
    const double magnitude = std::abs(static_cast<double>(number));
    result = std::isfinite(magnitude) ? std::fmax(result, magnitude) : result;
  }
  return result;
}

xt::xarray<float> magnitudes(xt::xarray<float> tensor) {
  for (float& number : tensor) {
    number = std::abs(number);
  }
  return tensor;
}

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
      return largest(reference::features(magnitude.parameters.at(prefix + name + ".weight"), X));
    };
    return sum * (1 + features("W_q", heads.Q) + features("W_k", heads.K));
  }
  const double scale = c.scale.value_or(1 / std::sqrt(static_cast<double>(heads.Q.shape(3))));
  return largest(reference::dot_product_scores(heads.Q, heads.K, scale));
}

double largest_gate(const HeadGate& head_gate) {
  return head_gate.has_value() ? largest(*head_gate) : 1.0;
}

}  // namespace

Problem magnitudes(Problem problem) {
  for (xt::xarray<float>* tensor : {&problem.queries, &problem.keys, &problem.values}) {
    *tensor = magnitudes(*tensor);
  }
  for (auto& [name, tensor] : problem.parameters) {
    tensor = magnitudes(tensor);
  }
  return problem;
}

Rounding rounding_of(const Problem& problem) {
  const Configuration& c = problem.configuration;
  // Operations beside those of the sums: scale, softcap, exponential, division, gate, bias.
  constexpr double others = 20;
  if (c.call == Call::masked_softmax) {
    const auto keys = static_cast<double>(c.keys);
    const double bound = (2 * largest(problem.queries) + keys + others) * unit_roundoff;
    return {.weights = bound, .output = bound};
  }
  const Problem magnitude = magnitudes(problem);
  const reference::Heads heads = heads_of(magnitude);
  const Mask& mask = problem.options.mask;

  const auto sizes = [](auto... size) { return (static_cast<double>(size) + ...); };
  const double score_error =
      unit_roundoff *
      (sizes(c.query_size, c.key_size, c.head_size, c.attention_hiddens, others) *
           score_magnitude(magnitude, heads) +
       (mask.added() != nullptr ? largest(std::span(mask.added(), mask.size())) : 0));
  const auto columns = static_cast<double>(heads.K.shape(2));
  // A weight is exp(score) over the sum of such: relative errors of 2 · score_error.
  const double weight_error = 2 * score_error + (columns + others) * unit_roundoff;

  const std::size_t concat_size = heads.Q.shape(1) * heads.V.shape(3);
  const double pooled = largest(heads.V) * largest_gate(problem.options.head_gate);
  const Doubles<3> concat(std::array{std::size_t{1}, std::size_t{1}, concat_size}, pooled);
  const double output_magnitude =
      c.call == Call::layer ? largest(reference::project(magnitude.parameters, "W_o", concat))
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
                     {"key_mass", static_cast<double>(c.queries) * (weight_error + unit_roundoff)},
                     {"queries", largest(heads.Q) * projection_error},
                     {"keys", largest(heads.K) * projection_error},
                     {"values", largest(heads.V) * projection_error},
                     {"scores", score_error},
                     {"pooled", largest(heads.V) * pooled_error},
                     {"dropped_weights", weight_error}}};
}

}  // namespace headwise::test
