#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <vector>

#include "compare.hpp"

/// Public calls with nothing in them, whose tensors have null pointers: for
/// UndefinedBehaviorSanitizer. Random configurations, which are measured, too, have empty batches,
/// queries and keys.
namespace headwise::test {
namespace {

TEST_CASE("No heads, and values of size 0") {
  for (const std::size_t heads : {0, 2}) {
    CHECK(scaled_dot_product_attention(randn<4>({2, heads, 3, 5}, 1), randn<4>({2, heads, 4, 5}, 2),
                                       randn<4>({2, heads, 4, 0}, 3))
              .output.size() == 0);
  }
  CHECK(additive_attention(randn<3>({2, 3, 5}, 1), randn<3>({2, 4, 5}, 2), randn<3>({2, 4, 0}, 3),
                           {randn<2>({6, 5}, 4), randn<2>({6, 5}, 5), randn<2>({1, 6}, 6)})
            .output.size() == 0);
}

TEST_CASE("Scores, losses and heads of nothing") {
  for (const auto& shape : std::vector<std::array<std::size_t, 4>>{
           {0, 2, 3, 3}, {2, 0, 3, 3}, {2, 2, 0, 0}, {0, 0, 0, 0}}) {
    const Tensor<4> weights = full<4>(shape, 0);
    const Tokens tokens(std::array{shape[0], shape[2]}, std::int64_t{0});
    CHECK(pattern_scores(weights, true).size() == shape[1]);
    CHECK(pattern_scores(weights, false).size() == shape[1]);
    CHECK(induction_scores(weights, tokens).size() == shape[1]);
    CHECK(key_scores(weights, tokens).size() == shape[1]);
  }
  for (const auto& shape : std::vector<std::array<std::size_t, 3>>{{0, 3, 5}, {2, 0, 5}}) {
    const Tensor<3> X = full<3>(shape, 0);
    CHECK(cross_entropy(X, Tokens(std::array{shape[0], shape[1]}, 1)) == 0);
    CHECK(split_heads(X, 5).size() == 0);
    CHECK(transpose_output(transpose_qkv(X, 5), 5).size() == 0);
  }
}

TEST_CASE("Models and tasks of no sequences") {
  const CopyTask task({.num_symbols = 5, .length = 4, .offset = 1});
  const TaskBatch batch = task.batch(1, 0, 0);
  CHECK(batch.tokens.size() == 0);
  AttentionOnlyTransformer model({.vocabulary_size = 5,
                                  .max_length = 4,
                                  .num_hiddens = 8,
                                  .num_heads = 2,
                                  .num_layers = 2,
                                  .seed = 1});
  for (const auto& shape : std::vector<std::array<std::size_t, 2>>{{0, 4}, {2, 0}, {0, 0}}) {
    const Tokens tokens(shape, 0);
    CHECK(model.forward(tokens, {.return_weights = true}).logits.size() == 0);
    CHECK(model.loss(tokens, tokens) == 0);
    CHECK(model.loss_and_gradients(tokens, tokens).loss == 0);
    CHECK(model.train_step(tokens, tokens) == 0);
    for (const HeadMeasure measure : all_measures) {
      CHECK(measure_head_importance(model, {{tokens, tokens}}, {.measure = measure})->size() == 2);
    }
  }
}

}  // namespace
}  // namespace headwise::test
