#include <catch2/catch_test_macros.hpp>

#include "oracle_case.hpp"
#include "pruning_problem.hpp"

/// What is left when heads are removed: outputs, gradients, parameters, and what becomes invalid.
namespace headwise::test {
namespace {

Tensor<3> grad_output_of(const Tensor<3>& output) { return randn<3>(output.shape(), 7); }

/// The weights of the heads that stay.
Tensor<4> weights_left(const PruningProblem& problem, const Tensor<4>& weights) {
  const auto [batch, heads, queries, columns] = weights.shape();
  auto result = Tensor<4>::from_shape({batch, heads - problem.heads.size(), queries, columns});
  auto place = result.begin();
  for (std::size_t sample = 0; sample < batch; ++sample) {
    for (std::size_t head = 0; head < heads; ++head) {
      if (!problem.removes(head)) {
        place = std::copy_n(&weights(sample, head, 0, 0), queries * columns, place);
      }
    }
  }
  return result;
}

TEST_CASE("A layer without heads gives what gating them at 0 gives") {
  for (const PruningProblem& problem : pruning_problems()) {
    CAPTURE(problem.name);
    const Inputs inputs = random_inputs(problem.shape);
    MultiHeadAttention whole = problem.layer();
    const auto gated =
        forward(whole, inputs,
                {.head_gate = problem.gates(), .return_weights = true, .requires_grad = true});
    const Tensor<3> grad_output = grad_output_of(gated.output);
    const auto expected = whole.backward(grad_output);
    MultiHeadAttention pruned = problem.layer();
    pruned.prune_heads(problem.heads);
    const auto result = forward(pruned, inputs, {.return_weights = true, .requires_grad = true});
    CHECK(result.output.shape() == gated.output.shape());
    CHECK(max_difference(result.output, gated.output) <= 2e-6);
    CHECK(max_difference(*result.attention_weights,
                         weights_left(problem, *gated.attention_weights)) <= 1e-6);
    const auto gradients = pruned.backward(grad_output);
    CHECK(max_difference(gradients.queries, expected.queries) <= 1e-5);
    CHECK(max_difference(gradients.keys, expected.keys) <= 1e-5);
    CHECK(max_difference(gradients.values, expected.values) <= 1e-5);
    check_same(pruned.gradients(), problem.without_heads(whole.gradients()), 2e-5);
  }
}

TEST_CASE("A pruned layer is the layer that was smaller from the start") {
  for (const PruningProblem& problem : pruning_problems()) {
    CAPTURE(problem.name);
    const Inputs inputs = random_inputs(problem.shape);
    MultiHeadAttention pruned = problem.layer();
    pruned.prune_heads(problem.heads);
    MultiHeadAttention small = problem.small_layer();
    CHECK(pruned.num_heads() == small.num_heads());
    CHECK(pruned.num_hiddens() == small.num_hiddens());
    CHECK(pruned.settings().num_kv_heads == small.settings().num_kv_heads);
    CHECK(pruned.settings().scale == small.settings().scale);
    CHECK(pruned.settings().output_size == small.settings().output_size);
    check_same(pruned.state_dict(), small.state_dict());
    for (MultiHeadAttention* layer : {&pruned, &small}) {
      const auto output = forward(*layer, inputs, {.requires_grad = true}).output;
      layer->backward(grad_output_of(output));
    }
    check_same(pruned.gradients(), small.gradients());
    CHECK(max_difference(forward(pruned, inputs).output, forward(small, inputs).output) == 0);
  }
}

TEST_CASE("Heads removed in two calls are those removed in one, numbered anew in between") {
  const MultiHeadAttentionOptions options{.num_hiddens = 30,
                                          .num_heads = 6,
                                          .bias = true,
                                          .query_size = 5,
                                          .key_size = 5,
                                          .value_size = 5,
                                          .seed = 1};
  MultiHeadAttention once(options);
  once.prune_heads({4, 1, 0, 1});
  MultiHeadAttention twice(options);
  twice.prune_heads({1});
  CHECK(twice.num_heads() == 5);
  twice.prune_heads({0, 3});
  CHECK(twice.num_heads() == 3);
  CHECK(twice.num_hiddens() == 15);
  check_same(twice.state_dict(), once.state_dict());
  const Inputs inputs = random_inputs({2, 3, 4, 5, 5, 5});
  CHECK(max_difference(forward(twice, inputs).output, forward(once, inputs).output) == 0);
}

TEST_CASE("State dicts have the new shapes from then on, and make the same layer elsewhere") {
  for (const PruningProblem& problem : pruning_problems()) {
    CAPTURE(problem.name);
    MultiHeadAttention layer = problem.layer();
    const StateDict before = layer.state_dict();
    layer.prune_heads(problem.heads);
    CHECK_THROWS_AS(layer.load_state_dict(before), Error);
    MultiHeadAttention other = problem.layer();
    StateDict doubled = layer.state_dict();
    CHECK_THROWS_AS(other.load_state_dict(doubled), Error);
    for (auto& [name, tensor] : doubled) {
      tensor *= 2;
    }
    layer.load_state_dict(doubled);
    check_same(layer.state_dict(), doubled);
    const auto loaded = MultiHeadAttention::from_state_dict(
        doubled, {.num_heads = static_cast<std::int64_t>(layer.num_heads()),
                  .scale = problem.options.scale,
                  .softcap = problem.options.softcap,
                  .zero_attention = problem.options.zero_attention});
    CHECK(loaded.num_hiddens() == layer.num_hiddens());
    MultiHeadAttention copy = loaded;
    const Inputs inputs = random_inputs(problem.shape);
    CHECK(max_difference(forward(copy, inputs).output, forward(layer, inputs).output) == 0);
  }
}

TEST_CASE("A pending backward and older caches are invalid; no heads leave both as they were") {
  const PruningProblem problem = pruning_problems().front();
  const Inputs inputs = random_inputs(problem.shape);
  MultiHeadAttention layer = problem.layer();
  KeyValueCache cache = layer.create_cache({.batch_size = 2, .max_length = 20});
  const auto output = forward(layer, inputs, {.requires_grad = true}).output;
  forward(layer, inputs, {.cache = &cache});
  layer.prune_heads({});
  layer.backward(output);
  forward(layer, inputs, {.cache = &cache, .requires_grad = false});
  forward(layer, inputs, {.requires_grad = true});
  const StateDict gradients = layer.gradients();

  layer.prune_heads(problem.heads);
  CHECK(error_of([&] { return layer.backward(output); }) ==
        "no-pending-backward; backward: expected a forward with requires_grad since the last "
        "backward, got one whose parameters have changed since");
  CHECK(error_of([&] { return forward(layer, inputs, {.cache = &cache}); }) ==
        "invalid-cache; cache: expected one made since heads were pruned, got an older one");
  CHECK(cache.length() == 10);
  check_same(layer.gradients(), problem.without_heads(gradients));

  KeyValueCache fresh = layer.create_cache({.batch_size = 2, .max_length = 5});
  const auto expected = forward(layer, inputs, {}).output;
  CHECK(max_difference(forward(layer, inputs, {.cache = &fresh}).output, expected) == 0);
  forward(layer, inputs, {.requires_grad = true});
  layer.backward(output);
}

TEST_CASE("Copies of a layer are pruned apart") {
  const PruningProblem problem = pruning_problems().front();
  MultiHeadAttention layer = problem.layer();
  const Inputs inputs = random_inputs(problem.shape);
  const auto whole = forward(layer, inputs).output;
  MultiHeadAttention copy = layer;
  copy.prune_heads(problem.heads);
  CHECK(layer.num_heads() == 4);
  CHECK(max_difference(forward(layer, inputs).output, whole) == 0);
  MultiHeadAttention copy_of_pruned = copy;
  const auto pruned = forward(copy, inputs).output;
  copy.prune_heads({0});
  CHECK(max_difference(forward(copy_of_pruned, inputs).output, pruned) == 0);
  copy_of_pruned = layer;
  CHECK(max_difference(forward(copy_of_pruned, inputs).output, whole) == 0);
}

TEST_CASE("A pruned layer drops weights as a smaller one does") {
  PruningProblem problem = pruning_problems().front();
  problem.options.dropout = 0.5;
  MultiHeadAttention pruned = problem.layer();
  pruned.prune_heads(problem.heads);
  MultiHeadAttention small = problem.small_layer();
  const Inputs inputs = random_inputs(problem.shape);
  const auto expected = forward(small.train(), inputs).output;
  CHECK(!pruned.training());
  CHECK(max_difference(forward(pruned.train(), inputs).output, expected) == 0);
  pruned.prune_heads({0});
  CHECK(pruned.training());
}

TEST_CASE("The layer without heads agrees with PyTorch's") {
  for (const OracleCase& oracle : oracle_cases("prune_heads", 1)) {
    MultiHeadAttention layer({.num_hiddens = 100, .num_heads = 5, .bias = true});
    layer.load_state_dict(oracle.parameters());
    layer.prune_heads({1, 3});
    const Inputs inputs{oracle.tensor("in.queries"), oracle.tensor("in.keys"),
                        oracle.tensor("in.values")};
    const auto result = forward(
        layer, inputs, {.valid_lens = stored_valid_lens(oracle.tensors), .return_weights = true});
    check_against_oracle(oracle, "out.output", result.output);
    check_against_oracle(oracle, "out.attention_kept", *result.attention_weights);
    check_against_oracle(oracle, "out.pruned.W_q.weight", layer.state_dict().at("W_q.weight"));
    check_against_oracle(oracle, "out.pruned.W_o.weight", layer.state_dict().at("W_o.weight"));
  }
}

}  // namespace
}  // namespace headwise::test
