#include <catch2/catch_test_macros.hpp>

#include "pruning_problem.hpp"

/// Optimizers whose layer loses heads: what is left learns on as if nothing had happened.
namespace headwise::test {
namespace {

/// A layer and its optimizer, one step at a time towards an output of zeros.
template <typename Algorithm>
struct Pupil {
  MultiHeadAttention layer;
  Algorithm optimizer;

  Pupil(const MultiHeadAttention& copied, const auto& options)
      : layer(copied), optimizer({&layer}, options) {}

  void learn(const Inputs& inputs, const HeadGate& gate) {
    const auto output = forward(layer, inputs, {.head_gate = gate, .requires_grad = true}).output;
    layer.backward(output);
  }
};

/// The heads of one layer are gated at 0 until they are removed; the other never had them.
template <typename Algorithm>
void check_learns_alike(const PruningProblem& problem, const auto& options) {
  CAPTURE(problem.name);
  Pupil<Algorithm> pruned(problem.layer(), options);
  Pupil<Algorithm> small(problem.small_layer(), options);
  HeadGate gate = problem.gates();
  for (std::uint64_t step = 0; step < 6; ++step) {
    const Inputs inputs = random_inputs(problem.shape, 10 * step);
    pruned.learn(inputs, gate);
    small.learn(inputs, {});
    if (step == 3) {
      pruned.layer.prune_heads(problem.heads);
      gate = {};
    }
    pruned.optimizer.step();
    small.optimizer.step();
    if (step != 2) {
      pruned.optimizer.zero_gradients();
      small.optimizer.zero_gradients();
    }
  }
  check_same(pruned.layer.gradients(), small.layer.gradients(), 1e-6);
  check_same(pruned.layer.state_dict(), small.layer.state_dict(), 1e-6);
}

TEST_CASE("SGD's momentum follows when heads are removed, and so do gradients") {
  for (const PruningProblem& problem : pruning_problems()) {
    check_learns_alike<SGD>(
        problem, SGDOptions{.learning_rate = 0.01, .momentum = 0.9, .weight_decay = 0.1});
  }
}

TEST_CASE("Adam's moments follow when heads are removed") {
  for (const PruningProblem& problem : pruning_problems()) {
    // Gradients that are 0 but for rounding must not become steps of full size.
    check_learns_alike<Adam>(problem, AdamOptions{.learning_rate = 0.01, .epsilon = 1e-2});
  }
}

TEST_CASE("An optimizer starts anew with a layer of other sizes in the place of the old") {
  const PruningProblem problem = pruning_problems().front();
  const Inputs inputs = random_inputs(problem.shape);
  const AdamOptions options{.learning_rate = 0.1};
  Pupil<Adam> pupil(problem.layer(), options);
  pupil.learn(inputs, {});
  const MultiHeadAttention saved = pupil.layer;
  pupil.layer.prune_heads(problem.heads);
  pupil.optimizer.step();
  const auto check_first_step = [&](const MultiHeadAttention& layer) {
    pupil.layer = layer;
    pupil.optimizer.step();
    Pupil<Adam> other(layer, options);
    other.optimizer.step();
    check_same(pupil.layer.state_dict(), other.layer.state_dict());
  };
  check_first_step(saved);
  MultiHeadAttention wide({.num_hiddens = 24, .num_heads = 8, .seed = 2});
  forward(wide, inputs, {.requires_grad = true});
  wide.backward(randn<3>({2, 3, 24}, 1));
  wide.prune_heads({1, 2, 3, 4, 5, 6, 7});
  check_first_step(wide);
}

}  // namespace
}  // namespace headwise::test
