#include "configuration_check.hpp"

#include <algorithm>
#include <exception>

#include "activations.hpp"
#include "gradient_check.hpp"
#include "problem.hpp"
#include "rounding.hpp"

namespace headwise::test {
namespace {

std::string difference_of_results(const std::string& name, const Result& got,
                                  const Result& expected, const Rounding& rounding) {
  std::string fault = difference(name + ": output", got.output, expected.output, rounding.output);
  if (fault.empty() && got.weights.has_value()) {
    fault = difference(name + ": weights", *got.weights, *expected.weights, rounding.weights);
  }
  return fault;
}

std::string fault_of_call(const std::string& name, const Problem& problem,
                          const Rounding& rounding) {
  const Result expected = reference_result(problem);
  const Result with_weights = library_result(problem, true);
  std::string fault = difference_of_results(name, with_weights, expected, rounding);
  if (!fault.empty()) {
    return fault;
  }
  const Result without_weights = library_result(problem, false);
  if (without_weights.weights.has_value()) {
    return name + ": weights that nobody asked for";
  }
  return difference_of_results(name + " without weights", without_weights, with_weights, rounding);
}

/// What a layer's pass gives beside its output: the chosen rows of its weights are those of all, to
/// the bit, and what is captured is what the reference has.
std::string fault_of_inside(const std::string& name, const Problem& problem,
                            const Rounding& rounding) {
  const Configuration& c = problem.configuration;
  const Result all = library_result(problem, true);
  const Inside inside = library_inside(problem);
  Doubles<4> weights(std::array{c.batch, c.heads, c.queries, all.weights->shape().back()});
  std::copy(all.weights->begin(), all.weights->end(), weights.begin());
  const Doubles<4> rows = rows_of(weights, inside.chosen_heads, inside.chosen_queries);
  std::string fault = difference(name + ": chosen weights", xt::flatten(inside.chosen_weights),
                                 xt::flatten(rows), 0);
  const double largest_factor = c.dropout < 1 ? 1 / (1 - c.dropout) : 1;
  for (const auto& [tensor, expected] : reference_inside(problem)) {
    if (fault.empty()) {
      fault = difference(name + ": " + tensor, inside.tensors.at(tensor), expected,
                         rounding.inside.at(tensor) * largest_factor, tensor != "scores");
    }
  }
  return fault;
}

}  // namespace

bool underflows(Problem problem) {
  constexpr double smallest_safely_held = 1e-35;
  problem.options.weights_stage = WeightsStage::softmax;
  const Result result = reference_result(problem);
  return std::any_of(result.weights->begin(), result.weights->end(),
                     [](double weight) { return weight > 0 && weight < smallest_safely_held; });
}

std::string fault_of(const Configuration& configuration) {
  try {
    Problem problem = make_problem(configuration);
    const Rounding rounding = rounding_of(problem);
    std::string fault = fault_of_call("the call", problem, rounding);
    if (fault.empty() && configuration.call == Call::layer &&
        make_layer(problem).state_dict() != problem.parameters) {
      fault = "the layer has other parameters";
    }
    if (fault.empty() && configuration.call == Call::layer) {
      fault = fault_of_inside("the call's inside", problem, rounding);
    }
    GradientCheck gradient_check(problem, rounding.relative_weights);
    if (fault.empty() && configuration.gradients) {
      fault = gradient_check.fault_of(problem);
    }
    if (fault.empty() && configuration.poisoned) {
      poison(problem);
      if (underflows(problem)) {
        return {};
      }
      fault = fault_of_call("with NaN and infinities", problem, rounding);
      if (fault.empty() && configuration.call == Call::layer) {
        fault = fault_of_inside("the inside with NaN and infinities", problem, rounding);
      }
      if (fault.empty() && configuration.gradients) {
        fault = gradient_check.fault_of(problem);
      }
    }
    return fault;
  } catch (const std::exception& error) {
    return std::string("an exception: ") + error.what();
  }
}

}  // namespace headwise::test
