#include <catch2/catch_test_macros.hpp>
#include <cmath>

#include "configuration.hpp"
#include "gradient_check.hpp"
#include "gradient_problem.hpp"
#include "problem.hpp"

/// The reference's gradients, held against differences of its own output.
namespace headwise::test {
namespace {

double loss_of(const reference::GradientProblem& problem) {
  const auto output = reference::multi_head_attention(problem.layer, problem.parameters,
                                                      problem.queries, problem.keys, problem.values,
                                                      problem.options, 0, problem.dropout_factors)
                          .output;
  double loss = 0;
  for (std::size_t i = 0; i < output.size(); ++i) {
    loss += output.data()[i] * problem.grad_output.data()[i];
  }
  return loss;
}

/// The derivative of the loss by one number of the problem.
template <typename Number>
double difference_quotient(const reference::GradientProblem& problem, Number& number, double step) {
  const Number middle = number;
  number = static_cast<Number>(static_cast<double>(middle) + step);
  const auto above = static_cast<double>(number);
  const double loss_above = loss_of(problem);
  number = static_cast<Number>(static_cast<double>(middle) - step);
  const double loss_below = loss_of(problem);
  const double quotient = (loss_above - loss_below) / (above - static_cast<double>(number));
  number = middle;
  return quotient;
}

void check_all(const reference::GradientProblem& problem, auto& numbers,
               const std::vector<double>& gradient, double step, double tolerance) {
  REQUIRE(numbers.size() == gradient.size());
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    CAPTURE(i);
    CHECK(std::abs(difference_quotient(problem, numbers.data()[i], step) - gradient[i]) <=
          tolerance * (1 + std::abs(gradient[i])));
  }
}

void check_problem(reference::GradientProblem problem) {
  const NamedGradients gradients = by_name(reference::gradients(problem));
  constexpr double step = 1e-5;
  constexpr double tolerance = 1e-6;
  check_all(problem, problem.queries, gradients.at("queries"), step, tolerance);
  check_all(problem, problem.keys, gradients.at("keys"), step, tolerance);
  check_all(problem, problem.values, gradients.at("values"), step, tolerance);
  // Parameters and gates are floats, which take larger steps.
  constexpr double float_step = 1.0 / 1024;
  constexpr double float_tolerance = 2e-3;
  for (auto& [name, parameter] : problem.parameters) {
    CAPTURE(name);
    check_all(problem, parameter, gradients.at(name), float_step, float_tolerance);
  }
  if (auto* gate = std::get_if<Tensor<2>>(&problem.options.head_gate)) {
    check_all(problem, *gate, gradients.at("head_gate"), float_step, tolerance);
  }
}

TEST_CASE("The reference's gradients are derivatives of its output") {
#if defined(HEADWISE_SANITIZE)
  constexpr std::size_t wanted = 6;  // sanitizers take their time
#else
  constexpr std::size_t wanted = 30;
#endif
  constexpr std::size_t max_pairs = 50;
  std::size_t count = 0;
  for (std::uint64_t seed = 1; count < wanted; ++seed) {
    const Configuration c = random_configuration(seed);
    if (!c.gradients || c.queries * c.keys > max_pairs) {
      continue;
    }
    ++count;
    CAPTURE(to_code(c));
    const Problem problem = make_problem(c);
    check_problem(gradient_problem(problem, random_grad_output(problem)));
  }
}

}  // namespace
}  // namespace headwise::test
