#include <catch2/catch_test_macros.hpp>
#include <cmath>

#include "compare.hpp"
#include "transformer_problem.hpp"

namespace headwise::test {
namespace {

TEST_CASE("Logits and weights are those of float64") {
  for (const TransformerProblem& problem : transformer_problems()) {
    CAPTURE(problem.name);
    AttentionOnlyTransformer model = model_of(problem);
    const auto reference = reference_of(problem, model);
    const auto expected =
        reference::forward(reference, problem.tokens, gates_of(problem, reference));
    const auto result =
        model.forward(problem.tokens, {.head_gates = problem.gates, .return_weights = true});
    CHECK(result.logits.shape() == std::array<std::size_t, 3>{problem.tokens.shape(0),
                                                              problem.tokens.shape(1),
                                                              reference.vocabulary_size});
    CHECK(max_difference(result.logits, expected.logits) <= 1e-5);
    REQUIRE(result.attention_weights.size() == reference.num_layers);
    for (std::size_t layer = 0; layer < reference.num_layers; ++layer) {
      CHECK(max_difference(result.attention_weights[layer], expected.weights[layer]) <= 2e-6);
    }
    const auto without = model.forward(problem.tokens, {.head_gates = problem.gates});
    CHECK(without.attention_weights.empty());
    CHECK(max_difference(without.logits, expected.logits) <= 1e-5);
    CHECK(std::abs(model.loss(problem.tokens, problem.targets, {.head_gates = problem.gates}) -
                   reference::cross_entropy(expected.logits, problem.targets)) <= 3e-6);
  }
}

TEST_CASE("Gradients are the slopes of the loss in float64") {
  for (const TransformerProblem& problem : transformer_problems()) {
    CAPTURE(problem.name);
    AttentionOnlyTransformer model = model_of(problem);
    const auto reference = reference_of(problem, model);
    const auto gates = gates_of(problem, reference);
    const auto [logits, weights] = reference::forward(reference, problem.tokens, gates);
    const auto slopes =
        reference::slopes_of_loss(reference, problem.tokens, problem.targets, gates);
    const auto result =
        model.loss_and_gradients(problem.tokens, problem.targets, {.head_gates = problem.gates});
    CHECK(std::abs(result.loss - reference::cross_entropy(logits, problem.targets)) <= 3e-6);
    CHECK(model.gradients().size() == model.state_dict().size());
    for (const auto& [name, gradient] : model.gradients()) {
      CAPTURE(name);
      CHECK(gradient.shape() == model.state_dict().at(name).shape());
      CHECK(max_difference(gradient, slopes.parameters.at(name)) <= 1e-5);
    }
    REQUIRE(result.head_gates.size() == gates.size());
    for (std::size_t layer = 0; layer < gates.size(); ++layer) {
      CHECK(max_difference(result.head_gates[layer], slopes.head_gates[layer]) <= 1e-5);
    }
  }
}

TEST_CASE("Gradients of a second batch are added, until they are made zero") {
  const TransformerProblem problem = transformer_problems().back();
  AttentionOnlyTransformer model(problem.options);
  CHECK(all_equal(model.gradients().at("embedding.weight"), 0));
  model.loss_and_gradients(problem.tokens, problem.targets);
  const StateDict once = model.gradients();
  model.loss_and_gradients(problem.tokens, problem.targets);
  for (const auto& [name, gradient] : model.gradients()) {
    CAPTURE(name);
    CHECK(max_difference(gradient, 2 * once.at(name)) <= 1e-6);
  }
  model.zero_gradients();
  for (const auto& [name, gradient] : model.gradients()) {
    CHECK(all_equal(gradient, 0));
  }
}

TEST_CASE("A batch without any target has loss 0 and gradients 0") {
  const TransformerProblem problem = transformer_problems().back();
  AttentionOnlyTransformer model(problem.options);
  Tokens nothing = problem.targets;
  nothing.fill(-1);
  CHECK(model.loss(problem.tokens, nothing) == 0);
  const auto result = model.loss_and_gradients(problem.tokens, nothing);
  CHECK(result.loss == 0);
  for (const auto& [name, gradient] : model.gradients()) {
    CHECK(all_equal(gradient, 0));
  }
  for (const auto& gates : result.head_gates) {
    CHECK(all_equal(gates, 0));
  }
}

TEST_CASE("A batch without sequences, or of empty ones, is answered with nothing") {
  const TransformerProblem problem = transformer_problems().back();
  AttentionOnlyTransformer model(problem.options);
  for (const std::array<std::size_t, 2>& shape :
       {std::array<std::size_t, 2>{0, 3}, std::array<std::size_t, 2>{2, 0}}) {
    const Tokens tokens = Tokens::from_shape(shape);
    CHECK(model.forward(tokens, {.return_weights = true}).logits.size() == 0);
    CHECK(model.loss_and_gradients(tokens, tokens).loss == 0);
  }
}

TEST_CASE("A causal model knows nothing of later tokens") {
  AttentionOnlyTransformer model({.vocabulary_size = 5,
                                  .max_length = 6,
                                  .num_hiddens = 8,
                                  .num_heads = 2,
                                  .num_layers = 2,
                                  .seed = 1});
  const auto logits = model.forward({{0, 1, 2, 3, 4, 0}}).logits;
  const auto changed = model.forward({{0, 1, 2, 3, 1, 1}}).logits;
  const auto shorter = model.forward({{0, 1, 2, 3}}).logits;
  for (std::size_t i = 0; i < 4 * 5; ++i) {
    CHECK(logits.data()[i] == changed.data()[i]);
    CHECK(std::abs(logits.data()[i] - shorter.data()[i]) <= 1e-6F);
  }
}

}  // namespace
}  // namespace headwise::test
