#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>

#include "compare.hpp"
#include "configuration.hpp"
#include "problem.hpp"

/// Optimizers whose layer loses heads: what is left learns on as if nothing had happened.
namespace headwise::test {
namespace {

Inputs inputs_of(const Configuration& c, std::uint64_t seed) {
  return random_inputs({.batch = 2,
                        .queries = 3,
                        .keys = 5,
                        .query_size = c.query_size,
                        .key_size = c.key_size,
                        .value_size = c.value_size},
                       seed);
}

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

void check_same(const StateDict& a, const StateDict& b) {
  REQUIRE(a.size() == b.size());
  for (const auto& [name, tensor] : a) {
    CAPTURE(name);
    CHECK(tensor.shape() == b.at(name).shape());
    CHECK(max_difference(tensor, b.at(name)) <= 1e-6 * (1 + largest_magnitude(tensor)));
  }
}

/// The heads of one layer are gated at 0 until they are removed; the other never had them.
template <typename Algorithm>
void check_learns_alike(const Problem& problem, const auto& options) {
  const std::vector<std::int64_t> heads = pruned_heads(problem.configuration);
  Pupil<Algorithm> pruned(make_whole_layer(problem), options);
  Pupil<Algorithm> small(MultiHeadAttention(problem.layer), options);
  Tensor<1> open = full<1>({pruned.layer.num_heads()}, 1);
  for (const std::int64_t head : heads) {
    open(static_cast<std::size_t>(head)) = 0;
  }
  HeadGate gate = open;
  for (std::uint64_t step = 0; step < 6; ++step) {
    const Inputs inputs = inputs_of(problem.configuration, 10 * step);
    pruned.learn(inputs, gate);
    small.learn(inputs, {});
    if (step == 3) {
      pruned.layer.prune_heads(heads);
      gate = {};
    }
    pruned.optimizer.step();
    small.optimizer.step();
    if (step != 2) {
      pruned.optimizer.zero_gradients();
      small.optimizer.zero_gradients();
    }
  }
  check_same(pruned.layer.gradients(), small.layer.gradients());
  check_same(pruned.layer.state_dict(), small.layer.state_dict());
}

TEST_CASE("SGD's momentum and Adam's moments follow when heads are removed") {
  std::size_t tried = 0;
  for (std::uint64_t seed = 1; tried < 20; ++seed) {
    const Configuration c = with_random_history(random_configuration(seed), seed);
    if (c.pruned_groups == 0) {
      continue;
    }
    ++tried;
    CAPTURE(to_code(c));
    Problem problem = make_problem(c);
    problem.parameters = MultiHeadAttention(problem.layer).state_dict();
    check_learns_alike<SGD>(
        problem, SGDOptions{.learning_rate = 0.01, .momentum = 0.9, .weight_decay = 0.1});
    // Gradients that are 0 but for rounding must not become steps of full size.
    check_learns_alike<Adam>(problem, AdamOptions{.learning_rate = 0.01, .epsilon = 1e-2});
  }
}

TEST_CASE("An optimizer starts anew with a layer that is assigned, of other or the same sizes") {
  const Configuration sizes{.query_size = 6, .key_size = 6, .value_size = 6};
  const AdamOptions options{.learning_rate = 0.1};
  Pupil<Adam> pupil(MultiHeadAttention({.num_hiddens = 12, .num_heads = 4, .seed = 1}), options);
  pupil.learn(inputs_of(sizes, 1), {});
  const MultiHeadAttention saved = pupil.layer;
  pupil.layer.prune_heads({0, 2});
  pupil.optimizer.step();
  MultiHeadAttention wide({.num_hiddens = 24, .num_heads = 8, .seed = 2});
  wide.backward(forward(wide, inputs_of(sizes, 1), {.requires_grad = true}).output);
  wide.prune_heads({1, 2, 3, 4, 5, 6, 7});
  for (const MultiHeadAttention& layer : {saved, wide, wide}) {
    pupil.layer = layer;
    pupil.optimizer.step();
    Pupil<Adam> other(layer, options);
    other.optimizer.step();
    CHECK(pupil.layer.state_dict() == other.layer.state_dict());
  }
}

}  // namespace
}  // namespace headwise::test
