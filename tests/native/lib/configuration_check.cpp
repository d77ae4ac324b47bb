#include "configuration_check.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <exception>
#include <sstream>

#include "gradient_check.hpp"
#include "problem.hpp"
#include "rounding.hpp"

namespace headwise::test {
namespace {

std::string text_of(const std::vector<std::size_t>& shape) {
  std::ostringstream stream;
  for (const std::size_t& size : shape) {
    stream << (&size == shape.data() ? "(" : ", ") << size;
  }
  stream << ")";
  return stream.str();
}

/// Numbers as they lie in a tensor of this shape.
struct Numbers {
  std::vector<std::size_t> shape;
  const std::vector<double>& values;
};

/// Where two tensors differ by more than `tolerance`, or in what is not finite.
std::string difference(const std::string& name, const Numbers& got, const Numbers& expected,
                       double tolerance) {
  if (got.shape != expected.shape || got.values.size() != expected.values.size()) {
    return name + " " + text_of(got.shape) + ", expected " + text_of(expected.shape);
  }
  for (std::size_t i = 0; i < got.values.size(); ++i) {
    const double x = got.values[i];
    const double y = expected.values[i];
    const bool same = x == y || (std::isnan(x) && std::isnan(y)) ||
                      (std::isfinite(x) && std::isfinite(y) && std::abs(x - y) <= tolerance);
    if (!same) {
      std::ostringstream stream;
      stream.precision(9);
      stream << name << " " << text_of(got.shape) << " at flat index " << i << ": got " << x
             << ", expected " << y << " within " << tolerance;
      return stream.str();
    }
  }
  return {};
}

std::string difference(const std::string& name, const Result& got, const Result& expected,
                       const Rounding& rounding) {
  std::string fault = difference(name + ": output", {got.output_shape, got.output},
                                 {expected.output_shape, expected.output}, rounding.output);
  if (fault.empty() && got.weights.has_value()) {
    fault = difference(name + ": weights", {got.weights_shape, *got.weights},
                       {expected.weights_shape, *expected.weights}, rounding.weights);
  }
  return fault;
}

std::vector<std::uint32_t> bits_of(const Problem& problem) {
  std::vector<std::uint32_t> bits;
  for (const auto* tensor : {&problem.queries, &problem.keys, &problem.values}) {
    std::transform(tensor->begin(), tensor->end(), std::back_inserter(bits),
                   [](float number) { return std::bit_cast<std::uint32_t>(number); });
  }
  return bits;
}

std::string fault_of_call(const std::string& name, const Problem& problem,
                          const Rounding& rounding) {
  const Result expected = reference_result(problem);
  const std::vector<std::uint32_t> before = bits_of(problem);
  const Result with_weights = library_result(problem, true);
  std::string fault = difference(name, with_weights, expected, rounding);
  if (!fault.empty()) {
    return fault;
  }
  const Result without_weights = library_result(problem, false);
  if (without_weights.weights.has_value()) {
    return name + ": weights that nobody asked for";
  }
  fault = difference(name + " without weights", without_weights, with_weights, rounding);
  if (!fault.empty()) {
    return fault;
  }
  return bits_of(problem) == before ? "" : name + ": inputs were changed";
}

/// What a layer's pass gives beside its output: the chosen rows of its weights are those of all, to
/// the bit, and what is captured is what the reference has.
std::string fault_of_inside(const std::string& name, const Problem& problem,
                            const Rounding& rounding) {
  const Configuration& c = problem.configuration;
  const Result all = library_result(problem, true);
  const Inside inside = library_inside(problem);
  const std::size_t columns = all.weights_shape.back();
  std::vector<double> rows;
  for (std::size_t b = 0; b < c.batch; ++b) {
    for (const std::size_t head : inside.chosen_heads) {
      for (const std::size_t query : inside.chosen_queries) {
        const auto row =
            all.weights->begin() +
            static_cast<std::ptrdiff_t>(((b * c.heads + head) * c.queries + query) * columns);
        rows.insert(rows.end(), row, row + static_cast<std::ptrdiff_t>(columns));
      }
    }
  }
  std::string fault =
      difference(name + ": chosen weights", {{inside.chosen_weights.size()}, inside.chosen_weights},
                 {{rows.size()}, rows}, 0);
  const double largest_factor = c.dropout < 1 ? 1 / (1 - c.dropout) : 1;
  for (const auto& [tensor, expected] : reference_inside(problem)) {
    std::vector<double> got = inside.tensors.at(tensor);
    // Which of NaN and the infinities a sum comes to depends on its order.
    for (std::size_t i = 0; tensor != "scores" && i < std::min(got.size(), expected.size()); ++i) {
      got[i] = !std::isfinite(got[i]) && !std::isfinite(expected[i]) ? expected[i] : got[i];
    }
    if (fault.empty()) {
      fault = difference(name + ": " + tensor, {{got.size()}, got}, {{expected.size()}, expected},
                         rounding.inside.at(tensor) * largest_factor);
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
