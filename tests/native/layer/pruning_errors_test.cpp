#include <catch2/catch_test_macros.hpp>

#include "pruning_problem.hpp"

/// Every way that heads cannot be removed: its code and text, and nothing has changed.
namespace headwise::test {
namespace {

constexpr InputShape shape{
    .batch = 2, .queries = 3, .keys = 4, .query_size = 6, .key_size = 6, .value_size = 6};

MultiHeadAttentionOptions with_sizes(MultiHeadAttentionOptions options) {
  options.query_size = options.key_size = options.value_size = 6;
  options.seed = 1;
  return options;
}

void check_fails(const MultiHeadAttentionOptions& options, const std::vector<std::int64_t>& heads,
                 const std::string& error) {
  CAPTURE(error);
  MultiHeadAttention layer(options);
  const Inputs inputs = random_inputs(shape);
  const auto output = forward(layer, inputs, {.requires_grad = true}).output;
  const StateDict parameters = layer.state_dict();
  CHECK(error_of([&] {
          layer.prune_heads(heads);
          return 0;
        }) == "invalid-option; " + error);
  check_same(layer.state_dict(), parameters);
  CHECK(layer.num_heads() == static_cast<std::size_t>(options.num_heads));
  CHECK(max_difference(forward(layer, inputs, {}).output, output) == 0);
  layer.backward(output);
}

TEST_CASE("Heads that the layer does not have, and all that it has") {
  const auto options = with_sizes({.num_hiddens = 10, .num_heads = 5});
  check_fails(options, {5}, "heads: expected integers from 0 to 4, got 5");
  check_fails(options, {0, -1}, "heads: expected integers from 0 to 4, got -1");
  check_fails(options, {4, 3, 2, 1, 0}, "heads: expected at least one head to be left, got all 5");
  check_fails(with_sizes({.num_hiddens = 3, .num_heads = 1}), {0, 0},
              "heads: expected at least one head to be left, got all 1");
}

TEST_CASE("A part of the heads that share a key-value head") {
  const auto options = with_sizes({.num_hiddens = 18, .num_heads = 9, .num_kv_heads = 3});
  check_fails(
      options, {0, 1, 2, 4, 3, 3},
      "heads: expected all or none of the heads 3 to 5, which share a key-value head, got 2 "
      "of 3");
  check_fails(
      options, {8},
      "heads: expected all or none of the heads 6 to 8, which share a key-value head, got 1 "
      "of 3");
}

TEST_CASE("Layers that no head can be removed from") {
  const std::string convolution = "prune_heads: expected projection 'linear', got 'convolution'";
  const std::string no_W_o = "prune_heads: expected a layer with W_o, got one without";
  check_fails(with_sizes({.num_hiddens = 6, .num_heads = 3, .projection = Projection::convolution}),
              {0}, convolution);
  check_fails(with_sizes({.num_hiddens = 6, .num_heads = 3, .output_projection = false}), {0},
              no_W_o);
  check_fails(with_sizes({.num_hiddens = 6, .num_heads = 3, .projection = Projection::none}), {},
              no_W_o);
}

TEST_CASE("Sizes that are still to be inferred") {
  MultiHeadAttention layer({.num_hiddens = 6, .num_heads = 3, .query_size = 6});
  CHECK(error_of([&] {
          layer.prune_heads({0});
          return 0;
        }) ==
        "sizes-unknown; prune_heads: expected known sizes, got none yet; give query_size, key_size "
        "and value_size, or call forward or load_state_dict first");
  forward(layer, random_inputs(shape));
  layer.prune_heads({0});
  CHECK(layer.num_heads() == 2);
}

}  // namespace
}  // namespace headwise::test
