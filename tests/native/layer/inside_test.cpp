#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <vector>

#include "compare.hpp"
#include "gradient_problem.hpp"
#include "set_threads.hpp"

/// What a layer's forward returns beside its output: chosen weights, the mass on keys, what was
/// captured. Random configurations hold all of it against the reference.
namespace headwise::test {
namespace {

constexpr std::size_t width = 16;

MultiHeadAttentionOptions inside_options() {
  return {.num_hiddens = width,
          .num_heads = 4,
          .dropout = 0.4,
          .query_size = width,
          .key_size = width,
          .value_size = width,
          .num_kv_heads = 2,
          .zero_attention = true,
          .seed = 5};
}

constexpr Capture everything{.queries = true,
                             .keys = true,
                             .values = true,
                             .scores = true,
                             .pooled = true,
                             .dropped_weights = true};

TEST_CASE("The mass on keys is the same to the bit for any number of threads") {
  MultiHeadAttention layer(inside_options());
  const auto X = randn<3>({1, 1100, width}, 1);
  for (const Causal causal : {Causal::none, Causal::top_left}) {
    const auto mass = [&](std::size_t threads) {
      const SetThreads set(threads);
      return *layer.forward(X, X, X, {.causal = causal, .key_mass = true}).key_mass;
    };
    const Tensor<3> alone = mass(1);
    CHECK(mass(2) == alone);
    CHECK(mass(5) == alone);
  }
}

TEST_CASE("The mass on keys is the sum of the weights, to the last digits of a float") {
  MultiHeadAttention layer(inside_options());
  const auto X = randn<3>({1, 2048, width}, 2);
  const auto result = layer.forward(
      X, X, X, {.causal = Causal::top_left, .return_weights = true, .key_mass = true});
  const Tensor<4>& weights = *result.attention_weights;
  double worst = 0;
  for (std::size_t h = 0; h < 4; ++h) {
    std::vector<double> sums(weights.shape(3), 0.0);
    for (std::size_t i = 0; i < weights.shape(2); ++i) {
      for (std::size_t j = 0; j < sums.size(); ++j) {
        sums[j] += static_cast<double>(weights(0, h, i, j));
      }
    }
    for (std::size_t j = 0; j < sums.size(); ++j) {
      const double mass = (*result.key_mass)(0, h, j);
      worst = std::max(worst, std::abs(mass - sums[j]) / sums[j]);
    }
  }
  CHECK(worst < 1e-6);
}

TEST_CASE("Chosen weights are rows of all weights, in the order asked for") {
  MultiHeadAttention layer(inside_options());
  const auto X = randn<3>({2, 40, width}, 3);
  ForwardOptions options{.causal = Causal::top_left, .return_weights = true};
  const Tensor<4> all = *layer.forward(X, X, X, options).attention_weights;
  options.return_weights =
      ReturnedWeights(std::vector<std::int64_t>{3, 0}, std::vector<std::int64_t>{39, 2, 17});
  const Tensor<4> some = *layer.forward(X, X, X, options).attention_weights;
  REQUIRE(some.shape() == std::array<std::size_t, 4>{2, 2, 3, 41});
  for (std::size_t b = 0; b < 2; ++b) {
    for (std::size_t j = 0; j < 41; ++j) {
      CHECK(some(b, 0, 1, j) == all(b, 3, 2, j));
      CHECK(some(b, 1, 0, j) == all(b, 0, 39, j));
      CHECK(some(b, 1, 2, j) == all(b, 0, 17, j));
    }
  }
  options.return_weights = ReturnedWeights::last_query();
  const Tensor<4> last = *layer.forward(X, X, X, options).attention_weights;
  REQUIRE(last.shape() == std::array<std::size_t, 4>{2, 4, 1, 41});
  CHECK(last(1, 2, 0, 7) == all(1, 2, 39, 7));
  options.return_weights = ReturnedWeights(std::vector<std::int64_t>{}, std::nullopt);
  CHECK(layer.forward(X, X, X, options).attention_weights->shape() ==
        std::array<std::size_t, 4>{2, 0, 40, 41});
}

TEST_CASE("Captured weights are as dropout left them, and a backward may follow") {
  MultiHeadAttention layer(inside_options());
  layer.train();
  const auto X = randn<3>({2, 9, width}, 4);
  const ForwardOptions options{
      .return_weights = true, .capture = everything, .requires_grad = true};
  const auto result = layer.forward(X, X, X, options);
  const reference::Doubles<4> factors = dropout_factors(layer.settings(), 2, 9, 9);
  const Tensor<4>& dropped = *result.captured.dropped_weights;
  std::size_t num_dropped = 0;
  for (std::size_t i = 0; i < dropped.size(); ++i) {
    const double expected = factors.data()[i] * result.attention_weights->data()[i];
    CHECK(std::abs(dropped.data()[i] - expected) < 1e-6);
    num_dropped += factors.data()[i] == 0 ? 1 : 0;
  }
  CHECK(num_dropped > 0);
  const auto gradient = layer.backward(result.output);
  MultiHeadAttention plain(inside_options());
  plain.train();
  const auto output = plain.forward(X, X, X, {.requires_grad = true}).output;
  CHECK(xt::allclose(plain.backward(result.output).queries, gradient.queries, 1e-5, 1e-6));
  CHECK(xt::allclose(output, result.output, 1e-5, 1e-6));
}

TEST_CASE("What is captured of one sample has no batch axis") {
  MultiHeadAttention layer(inside_options());
  const auto X = randn<2>({5, width}, 6);
  const auto result = layer.forward(X, X, X, {.key_mass = true, .capture = everything});
  CHECK(result.key_mass->shape() == std::array<std::size_t, 2>{4, 6});
  CHECK(result.captured.queries->shape() == std::array<std::size_t, 3>{4, 5, 4});
  CHECK(result.captured.keys->shape() == std::array<std::size_t, 3>{2, 5, 4});
  CHECK(result.captured.scores->shape() == std::array<std::size_t, 3>{4, 5, 6});
}

}  // namespace
}  // namespace headwise::test
