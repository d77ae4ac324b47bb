#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "compare.hpp"
#include "exactness_problem.hpp"
#include "gradient_problem.hpp"
#include "plain_gradients.hpp"

/// Gradients are as exact as those of a plain program in float32, where softmax saturates, too.
namespace headwise::test {
namespace {

/// Sums over all elements of the squares of what is wrong, by name.
struct Errors {
  std::map<std::string, double> library, plain;
};

void add_errors(const ExactnessCase& tried, double scale, std::uint64_t seed, Errors& errors) {
  const reference::GradientProblem problem = exactness_problem(tried, scale, seed);
  MultiHeadAttention layer(problem.layer);
  layer.load_state_dict(problem.parameters);
  layer.train();
  ForwardOptions options = problem.options;
  options.requires_grad = true;
  forward(layer, {.queries = problem.queries, .keys = problem.keys, .values = problem.values},
          options);
  const Tensor<3> grad_output = problem.grad_output;
  const NamedGradients library = by_name(layer.backward(grad_output), layer);
  const NamedGradients plain = plain_gradients<float>(problem);
  for (const auto& [name, exact] : plain_gradients<double>(problem)) {
    const auto error_of_all = [&](const std::vector<double>& numbers) {
      REQUIRE(numbers.size() == exact.size());
      double sum = 0;
      for (std::size_t i = 0; i < exact.size(); ++i) {
        sum += (numbers[i] - exact[i]) * (numbers[i] - exact[i]);
      }
      return sum;
    };
    errors.library[name] += error_of_all(library.at(name));
    errors.plain[name] += error_of_all(plain.at(name));
  }
}

/// Rounding errors are as good as random, so that the ratio of two programs that are equally exact
/// stays near 1. Where few pairs of keys tell, it is that of the exponentials, of which a plain
/// program's have half the rounding error.
constexpr double largest_ratio = 2;

void check_exactness(double scale) {
  for (const ExactnessCase& tried : exactness_cases()) {
    Errors errors;
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      add_errors(tried, scale, seed, errors);
    }
    for (const auto& [name, squares] : errors.library) {
      const double error = std::sqrt(squares);
      const double of_plain = std::sqrt(errors.plain.at(name));
      CAPTURE(tried.name, name, error, of_plain);
      CHECK(error <= largest_ratio * of_plain);
    }
  }
}

TEST_CASE("Gradients are as exact as plain float32's at ordinary scores") {
  check_exactness(exactness_scales[0]);
}

TEST_CASE("Gradients are as exact as plain float32's at scores of 10,000") {
  check_exactness(exactness_scales[1]);
}

TEST_CASE("Nothing goes back through a softmax whose weights are 0 and 1") {
  // Scores lie so far apart that no query is torn between two keys.
  constexpr double far = 1e9;
  const std::vector<ExactnessCase> saturated = {
      {.name = "nothing more"},
      {.name = "dropout", .layer = {.dropout = 0.4}},
      {.name = "slots", .layer = {.bias_kv = true, .zero_attention = true}},
      {.name = "additive", .layer = {.pooling = Pooling::additive}},
      {.name = "gates", .options = {.head_gate = Tensor<1>{0.3F, -2.0F, 0.0F, 1.0F}}},
      {.name = "masked NaN", .options = {.valid_lens = LensBySample{27, 0}}}};
  for (const ExactnessCase& tried : saturated) {
    CAPTURE(tried.name);
    const bool is_additive = tried.layer.pooling == Pooling::additive;
    MultiHeadAttentionOptions options = with_exactness_sizes(tried.layer, far, 3);
    if (is_additive) {
      options.scale.reset();
    }
    MultiHeadAttention layer(options);
    StateDict parameters = layer.state_dict();
    if (is_additive) {
      parameters.at("attention.w_v.weight") *= static_cast<float>(far);
    }
    layer.load_state_dict(parameters);
    layer.train();
    Inputs inputs{.queries = randn<3>(exactness_shape, 1),
                  .keys = randn<3>(exactness_shape, 2),
                  .values = randn<3>(exactness_shape, 3)};
    if (tried.name == "masked NaN") {
      inputs.values(0, exactness_shape[1] - 1, 0) = nan;
      inputs.values(1, 0, 0) = infinity;
    }
    ForwardOptions forward_options = tried.options;
    forward_options.requires_grad = true;
    forward(layer, inputs, forward_options);
    const NamedGradients gradients = by_name(layer.backward(randn<3>(exactness_shape, 4)), layer);
    for (const std::string name : {"queries", "keys", "W_q.weight", "W_k.weight"}) {
      CAPTURE(name);
      CHECK(all_equal(gradients.at(name), 0));
    }
    CHECK_FALSE(all_equal(gradients.at("W_v.weight"), 0));
  }
}

}  // namespace
}  // namespace headwise::test
