#include <catch2/catch_test_macros.hpp>
#include <tuple>
#include <type_traits>
#include <utility>

#include "compare.hpp"
#include "small_transformers.hpp"

// Results gain members over time; what code of two names binds stays the first two.
namespace headwise::test {
namespace {

TEST_CASE("A layer's result binds the output and the weights") {
  MultiHeadAttention layer({.num_hiddens = 4, .num_heads = 2, .seed = 1});
  const auto x = randn<3>({1, 3, 4}, 2);
  const auto whole = layer.forward(x, x, x, {.return_weights = true});
  const auto [output, weights] = layer.forward(x, x, x, {.return_weights = true});
  CHECK(output == whole.output);
  CHECK((weights == whole.attention_weights));
  const auto& [same_output, same_weights] = whole;
  CHECK(&same_output == &whole.output);
  CHECK(&same_weights == &whole.attention_weights);
}

TEST_CASE("A model's result binds the logits and the weights") {
  for (const std::string name : {"plain", "not causal"}) {
    Transformer model(small_transformer(name).options);
    const Tokens tokens = random_tokens(1, 4, 1);
    const TransformerResult whole = model.forward(tokens, {.return_weights = true});
    auto [logits, weights] = model.forward(tokens, {.return_weights = true});
    CHECK(logits == whole.logits);
    CHECK((weights == whole.attention_weights));
    logits.fill(0);
    weights.clear();
    const auto& [same_logits, same_weights] = whole;
    CHECK(&same_logits == &whole.logits);
    CHECK(&same_weights == &whole.attention_weights);
  }
}

TEST_CASE("A model without feed-forward layers binds the loss and the gates' gradients") {
  AttentionOnlyTransformer model(
      {.vocabulary_size = 5, .max_length = 6, .num_hiddens = 4, .num_heads = 2, .seed = 1});
  const Tokens tokens = {{0, 1, 2, 3}};
  auto [logits, weights] = model.forward(tokens, {.return_weights = true});
  CHECK(logits.shape() == std::array<std::size_t, 3>{1, 4, 5});
  CHECK(weights.size() == 1);
  auto [loss, gates] = model.loss_and_gradients(tokens, tokens);
  CHECK(loss == model.loss(tokens, tokens));
  REQUIRE(gates.size() == 1);
  CHECK(gates[0].shape() == std::array<std::size_t, 2>{1, 2});
  CHECK_FALSE(all_equal(gates[0], 0));
}

}  // namespace
}  // namespace headwise::test
