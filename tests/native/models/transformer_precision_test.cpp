#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <cmath>

#include "compare.hpp"
#include "small_transformers.hpp"

/// Models with weights, and caches, of less than 32 bits.
namespace headwise::test {
namespace {

/// Rounding inputs of products to 15 bits, in every layer.
constexpr double of_15_bits = 2e-3;

TEST_CASE("A model computes with its rounded weights") {
  for (const SmallTransformer& small : small_transformers()) {
    if (small.options.patches) {
      continue;
    }
    for (const Precision precision : {Precision::float16, Precision::int8}) {
      TransformerOptions options = small.options;
      Transformer floats(options);
      options.weights = precision;
      Transformer model(options);
      const StateDict rounded = model.state_dict();
      CAPTURE(small.name);
      CHECK(rounded != floats.state_dict());
      floats.load_state_dict(rounded);
      model.load_state_dict(rounded);
      CHECK(model.state_dict() == rounded);
      TransformerForwardOptions pass;
      if (options.encoder) {
        pass.source = random_tokens(2, 5, 7);
      }
      const Tokens tokens = random_tokens(2, 6, 3);
      const auto expected = floats.forward(tokens, pass).hidden;
      const auto hidden = model.forward(tokens, pass).hidden;
      CHECK(max_difference(hidden, expected) <= of_15_bits * largest_magnitude(expected));
    }
  }
}

TEST_CASE("A model's cache of 16 bits gives what one of floats gives") {
  for (const SmallTransformer& small : small_transformers()) {
    if (!small.options.causal) {
      continue;
    }
    Transformer model(small.options);
    ModelCache floats = model.create_cache({.batch_size = 2, .max_length = 8});
    ModelCache halves =
        model.create_cache({.batch_size = 2, .max_length = 8, .precision = Precision::float16});
    for (const std::size_t length : {5U, 1U, 2U}) {
      const Tokens tokens = random_tokens(2, length, 3);
      TransformerForwardOptions pass;
      if (small.options.encoder && length == 5) {
        pass.source = random_tokens(2, 5, 7);
      }
      pass.cache = &floats;
      const auto expected = model.forward(tokens, pass).hidden;
      pass.cache = &halves;
      const auto hidden = model.forward(tokens, pass).hidden;
      CAPTURE(small.name, length);
      CHECK(max_difference(hidden, expected) <= of_15_bits * largest_magnitude(expected));
    }
    CHECK(halves.length() == 8);
  }
}

TEST_CASE("A model generates with a cache of 16 bits what it generates with one of floats") {
  Transformer model(small_transformers().front().options);
  const GenerateOptions options{.max_new_tokens = 6, .seed = 1};
  GenerateOptions halves = options;
  halves.cache_precision = Precision::float16;
  CHECK(model.generate({1, 2, 3}, options) == model.generate({1, 2, 3}, halves));
}

TEST_CASE("A model of rounded weights has gradients of gates, and is not trained") {
  TransformerOptions options = small_transformers().front().options;
  options.weights = Precision::int8;
  Transformer model(options);
  const Tokens tokens = random_tokens(2, 6, 3);
  const StateDict before = model.state_dict();
  const auto gradients = model.loss_and_gradients(tokens, tokens);
  CHECK(largest_magnitude(gradients.head_gates.front()) > 0);
  CHECK_THROWS_WITH(model.train_step(tokens, tokens),
                    "weights: expected 'float32' in what is trained, got another precision");
  CHECK(model.state_dict() == before);
}

}  // namespace
}  // namespace headwise::test
