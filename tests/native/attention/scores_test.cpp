#include <catch2/catch_test_macros.hpp>
#include <cmath>

#include "compare.hpp"

/// What happens to a score on its way to a weight: scale, softcap, masks, softmax, in this order.
namespace headwise::test {
namespace {

using Options = DotProductAttentionOptions;

// One query and three keys, whose dot products with it are 4, −2 and 1.
const Tensor<4> queries = full<4>({1, 1, 1, 1}, 1);
const Tensor<4> keys = {{{{4}, {-2}, {1}}}};
const Tensor<4> values = {{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}};

Tensor<4> stage(Options options, WeightsStage weights_stage) {
  options.return_weights = true;
  options.weights_stage = weights_stage;
  return *scaled_dot_product_attention(queries, keys, values, options).attention_weights;
}

constexpr double rounding = 1e-6;

TEST_CASE("Each stage of the weights, in order") {
  const Options options{
      .mask = xt::xarray<float>{1000, 0.5F, -infinity}, .scale = 0.5, .softcap = 3};
  const double a = 3 * std::tanh(2.0 / 3);
  const double b = 3 * std::tanh(-1.0 / 3);
  const double c = 3 * std::tanh(0.5 / 3);
  CHECK(max_difference(stage(options, WeightsStage::raw), Tensor<4>{{{{2, -1, 0.5F}}}}) == 0);
  CHECK(max_difference(stage(options, WeightsStage::softcap), std::vector<double>{a, b, c}) <=
        rounding);
  // The mask is added to capped scores: it exceeds the cap.
  const Tensor<4> masked = stage(options, WeightsStage::masked);
  CHECK(std::abs(masked(0, 0, 0, 0) - (a + 1000)) <= 1e-4);
  CHECK(std::abs(masked(0, 0, 0, 1) - (b + 0.5)) <= rounding);
  CHECK(masked(0, 0, 0, 2) == -infinity);
  CHECK(max_difference(stage(options, WeightsStage::softmax), Tensor<4>{{{{1, 0, 0}}}}) == 0);
}

TEST_CASE("Softcap comes before the masks: a masked key stays masked, a bias is not capped") {
  const Options options{.mask = xt::xarray<float>{0, 2, 0}, .scale = 1, .softcap = 1};
  const double a = std::exp(std::tanh(4.0));
  const double b = std::exp(std::tanh(-2.0) + 2);
  const double c = std::exp(std::tanh(1.0));
  const double sum = a + b + c;
  CHECK(max_difference(stage(options, WeightsStage::softmax),
                       std::vector<double>{a / sum, b / sum, c / sum}) <= rounding);
  const Options masked{.valid_lens = LensBySample{1}, .scale = 1, .softcap = 1};
  CHECK(max_difference(stage(masked, WeightsStage::softmax), Tensor<4>{{{{1, 0, 0}}}}) == 0);
}

TEST_CASE("Without a softcap its stage repeats the scaled scores; 0 is off, as is a huge cap") {
  for (const double softcap : {0.0, 1e9}) {
    const Options options{.scale = 1, .softcap = softcap};
    CHECK(max_difference(stage(options, WeightsStage::softcap), Tensor<4>{{{{4, -2, 1}}}}) <=
          rounding);
  }
}

TEST_CASE("The stages before the masks are of every key, masked or not") {
  const std::vector<Options> masks = {{.valid_lens = LensBySample{1}, .scale = 1},
                                      {.valid_lens = LensBySample{0}, .scale = 1},
                                      {.mask = xt::xarray<bool>{false, true, false}, .scale = 1},
                                      {.causal = Causal::top_left, .scale = 1},
                                      {.window = Window{.left = 0, .right = 1}, .scale = 1}};
  for (const Options& options : masks) {
    CHECK(max_difference(stage(options, WeightsStage::raw), Tensor<4>{{{{4, -2, 1}}}}) == 0);
    CHECK(max_difference(stage(options, WeightsStage::softcap), Tensor<4>{{{{4, -2, 1}}}}) == 0);
  }
}

TEST_CASE("An empty row is −∞ after the masks, zero or uniform after the softmax") {
  const Options zero{.valid_lens = LensBySample{0}};
  const Options uniform{.valid_lens = LensBySample{0}, .empty_rows = EmptyRows::uniform};
  for (const Options& options : {zero, uniform}) {
    CHECK(all_equal(stage(options, WeightsStage::masked), -infinity));
  }
  CHECK(all_equal(stage(zero, WeightsStage::softmax), 0));
  CHECK(all_equal(stage(uniform, WeightsStage::softmax), 1.0F / 3));
}

TEST_CASE("Scores are divided by the root of the head size, unless a scale says otherwise") {
  const Tensor<3> Q = randn<3>({1, 2, 9}, 1);
  const Tensor<3> K = randn<3>({1, 3, 9}, 2);
  const auto raw = [&](std::optional<double> scale) {
    return *dot_product_attention(
                Q, K, K,
                {.scale = scale, .return_weights = true, .weights_stage = WeightsStage::raw})
                .attention_weights;
  };
  const Tensor<3> plain = raw(1);
  for (const double scale : {2.0, -0.5, 0.0}) {
    const Tensor<3> scaled = raw(scale);
    for (std::size_t i = 0; i < plain.size(); ++i) {
      CHECK(scaled.data()[i] == plain.data()[i] * static_cast<float>(scale));
    }
  }
  const Tensor<3> by_default = raw(std::nullopt);
  for (std::size_t i = 0; i < plain.size(); ++i) {
    CHECK(std::abs(by_default.data()[i] - plain.data()[i] / 3) <= rounding);
  }
  const Tensor<3> weights =
      *dot_product_attention(Q, K, K, {.scale = 0, .return_weights = true}).attention_weights;
  CHECK(max_difference(weights, full<3>({1, 2, 3}, 1.0F / 3)) <= rounding);
}

TEST_CASE("query_offset puts the queries where they stand in a longer pass") {
  const Tensor<4> Q = randn<4>({2, 3, 7, 4}, 1);
  const Tensor<4> K = randn<4>({2, 3, 9, 4}, 2);
  Tensor<4> last = full<4>({2, 3, 3, 4}, 0);
  for (std::size_t b = 0; b < 2; ++b) {
    for (std::size_t h = 0; h < 3; ++h) {
      for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t e = 0; e < 4; ++e) {
          last(b, h, i, e) = Q(b, h, 4 + i, e);
        }
      }
    }
  }
  const std::vector<Options> masks = {
      {.causal = Causal::top_left},
      {.window = Window{.left = 2, .right = 1}},
      {.causal = Causal::top_left, .window = Window{.left = 1, .right = std::nullopt}}};
  for (Options options : masks) {
    const Tensor<4> whole = scaled_dot_product_attention(Q, K, K, options).output;
    options.query_offset = 4;
    const Tensor<4> part = scaled_dot_product_attention(last, K, K, options).output;
    for (std::size_t b = 0; b < 2; ++b) {
      for (std::size_t h = 0; h < 3; ++h) {
        for (std::size_t i = 0; i < 3; ++i) {
          for (std::size_t e = 0; e < 4; ++e) {
            CHECK(std::abs(part(b, h, i, e) - whole(b, h, 4 + i, e)) <= rounding);
          }
        }
      }
    }
  }
}

TEST_CASE("Scores of additive pooling: w_v · tanh(W_q q + W_k k)") {
  const AdditiveAttentionParameters parameters{
      .W_q = {{1, 0}, {0, 2}}, .W_k = {{-1}, {0.5F}}, .w_v = {{3, -1}}};
  const Tensor<3> q = {{{0.25F, -0.5F}}};
  const Tensor<3> k = {{{1}, {-2}, {0}}};
  const Tensor<3> v = {{{1}, {10}, {100}}};
  const auto score = [](double key) {
    return 3 * std::tanh(0.25 - key) - std::tanh(-1.0 + 0.5 * key);
  };
  const std::vector<double> scores = {score(1), score(-2), score(0)};
  const auto raw = additive_attention(q, k, v, parameters,
                                      {.return_weights = true, .weights_stage = WeightsStage::raw});
  CHECK(max_difference(*raw.attention_weights, scores) <= rounding);
  const auto [output, weights] = additive_attention(
      q, k, v, parameters, {.valid_lens = LensBySample{2}, .return_weights = true});
  const double a = std::exp(scores[0]) / (std::exp(scores[0]) + std::exp(scores[1]));
  CHECK(max_difference(*weights, std::vector<double>{a, 1 - a, 0}) <= rounding);
  CHECK(std::abs(output(0, 0, 0) - (a + 10 * (1 - a))) <= 1e-5);
}

}  // namespace
}  // namespace headwise::test
