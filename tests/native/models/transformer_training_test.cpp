#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <vector>

#include "compare.hpp"
#include "set_threads.hpp"
#include "transformer_problem.hpp"

namespace headwise::test {
namespace {

/// All parameters, one after the other.
std::vector<float> parameters_of(const AttentionOnlyTransformer& model) {
  std::vector<float> all;
  for (const auto& [name, tensor] : model.state_dict()) {
    all.insert(all.end(), tensor.begin(), tensor.end());
  }
  return all;
}

TEST_CASE("train_step is gradients from zero and a step of the optimizer") {
  for (const double dropout : {0.0, 0.5}) {
    CAPTURE(dropout);
    TransformerProblem problem = transformer_problems().back();
    problem.options.dropout = dropout;
    problem.options.optimizer = {.learning_rate = 0.1};
    AttentionOnlyTransformer by_step(problem.options);
    AttentionOnlyTransformer by_given(problem.options);
    AttentionOnlyTransformer by_hand(problem.options);
    Adam given(by_given.trainables(), problem.options.optimizer);
    Adam own(by_hand.trainables(), problem.options.optimizer);
    by_hand.train();
    for (int step = 0; step < 3; ++step) {
      by_hand.zero_gradients();
      const double loss = by_hand.loss_and_gradients(problem.tokens, problem.targets).loss;
      own.step();
      CHECK(by_step.train_step(problem.tokens, problem.targets) == loss);
      CHECK(by_given.train_step(problem.tokens, problem.targets, given) == loss);
    }
    CHECK(parameters_of(by_step) == parameters_of(by_hand));
    CHECK(parameters_of(by_given) == parameters_of(by_hand));
    CHECK_FALSE(by_step.training());
    CHECK(by_hand.training());
  }
}

TEST_CASE("Every parameter is trained") {
  const TransformerProblem problem = transformer_problems().back();
  AttentionOnlyTransformer model(problem.options);
  const StateDict before = model.state_dict();
  SGD optimizer(model.trainables(), {.learning_rate = 0.1});
  model.train_step(problem.tokens, problem.targets, optimizer);
  for (const auto& [name, tensor] : model.state_dict()) {
    CAPTURE(name);
    // Adding a number to every key's score changes no weight, so nothing moves their bias.
    const bool is_key_bias = name.ends_with("W_k.bias");
    CHECK((max_difference(tensor, before.at(name)) > 1e-7) != is_key_bias);
  }
}

TEST_CASE("A model that was moved is trained by the optimizers it had") {
  const TransformerProblem problem = transformer_problems().back();
  AttentionOnlyTransformer model(problem.options);
  Adam optimizer(model.trainables());
  AttentionOnlyTransformer expected(problem.options);
  model.train_step(problem.tokens, problem.targets, optimizer);
  AttentionOnlyTransformer moved = std::move(model);
  moved.train_step(problem.tokens, problem.targets, optimizer);
  expected.train_step(problem.tokens, problem.targets);
  expected.train_step(problem.tokens, problem.targets);
  CHECK(parameters_of(moved) == parameters_of(expected));
}

TEST_CASE("Dropout acts in training mode alone") {
  TransformerProblem problem = transformer_problems().back();
  AttentionOnlyTransformer plain(problem.options);
  problem.options.dropout = 0.5;
  AttentionOnlyTransformer model(problem.options);
  const auto expected = plain.forward(problem.tokens).logits;
  CHECK(model.forward(problem.tokens).logits == expected);
  CHECK(model.train().forward(problem.tokens).logits != expected);
  CHECK(model.eval().forward(problem.tokens).logits == expected);
}

TEST_CASE("Training does not depend on the number of threads") {
  const SortTask task({.num_symbols = 300, .num_items = 50});
  const auto trained_with = [&](std::int64_t threads) {
    const SetThreads set(threads);
    AttentionOnlyTransformer model({.vocabulary_size = 301,
                                    .max_length = 100,
                                    .num_hiddens = 48,
                                    .num_heads = 3,
                                    .num_layers = 2,
                                    .positions = Positions::learned,
                                    .layer_norm = true,
                                    .dropout = 0.1,
                                    .seed = 1});
    std::vector<float> result;
    for (std::int64_t step = 0; step < 2; ++step) {
      const TaskBatch batch = task.batch(1, 8, 8 * step);
      result.push_back(static_cast<float>(model.train_step(batch.tokens, batch.targets)));
    }
    const std::vector<float> parameters = parameters_of(model);
    result.insert(result.end(), parameters.begin(), parameters.end());
    const auto logits = model.forward(task.batch(2, 4).tokens).logits;
    result.insert(result.end(), logits.begin(), logits.end());
    return result;
  };
  const std::vector<float> alone = trained_with(1);
  CHECK(trained_with(2) == alone);
  CHECK(trained_with(5) == alone);
}

/// A model of two layers that has learnt the task for as many steps.
AttentionOnlyTransformer trained_on(const Task& task, std::int64_t steps) {
  AttentionOnlyTransformer model(
      {.vocabulary_size = static_cast<std::int64_t>(task.vocabulary_size()),
       .max_length = static_cast<std::int64_t>(task.length()),
       .num_hiddens = 32,
       .num_heads = 2,
       .num_layers = 2,
       .positions = Positions::learned,
       .layer_norm = true,
       .seed = 1});
  for (std::int64_t step = 0; step < steps; ++step) {
    // Falling to 0, so that the last steps do not throw about what is learnt.
    model.optimizer().set_learning_rate(0.01 * static_cast<double>(steps - step) /
                                        static_cast<double>(steps));
    const TaskBatch batch = task.batch(1, 16, 16 * step);
    model.train_step(batch.tokens, batch.targets);
  }
  return model;
}

TEST_CASE("Two layers learn induction") {
  const InductionTask task({.num_symbols = 16, .length = 20, .min_period = 4, .max_period = 10});
  const TaskBatch unseen = task.batch(2, 32);
  const auto best_score = [&](AttentionOnlyTransformer model) {
    double best = 0;
    for (const auto& weights :
         model.forward(unseen.tokens, {.return_weights = true}).attention_weights) {
      for (const double score : induction_scores(weights, unseen.tokens)) {
        best = std::max(best, score);
      }
    }
    return best;
  };
  CHECK(best_score(trained_on(task, 0)) < 0.4);
  CHECK(best_score(trained_on(task, 200)) > 0.9);
}

/// Share of the sequences whose targets all have the largest logit.
double exact_share(AttentionOnlyTransformer& model, const TaskBatch& batch) {
  const auto logits = model.forward(batch.tokens).logits;
  const auto [sequences, length, vocabulary_size] = logits.shape();
  double exact = 0;
  for (std::size_t sequence = 0; sequence < sequences; ++sequence) {
    bool all = true;
    for (std::size_t i = 0; i < length; ++i) {
      const float* row = &logits(sequence, i, 0);
      const std::int64_t target = batch.targets(sequence, i);
      all = all && (target == -1 || std::max_element(row, row + vocabulary_size) == row + target);
    }
    exact += all ? 1 : 0;
  }
  return exact / static_cast<double>(sequences);
}

TEST_CASE("Two layers learn to sort") {
  const SortTask task({.num_symbols = 16, .num_items = 6});
  const TaskBatch unseen = task.batch(2, 256);
  AttentionOnlyTransformer fresh = trained_on(task, 0);
  CHECK(exact_share(fresh, unseen) == 0);
  AttentionOnlyTransformer model = trained_on(task, 300);
  CHECK(exact_share(model, unseen) > 0.99);
}

}  // namespace
}  // namespace headwise::test
