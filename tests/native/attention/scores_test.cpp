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

TEST_CASE("Extra slots come after the keys, bias_k first, the zero slot last") {
  MultiHeadAttention layer({.num_hiddens = 2,
                            .num_heads = 1,
                            .query_size = 2,
                            .key_size = 2,
                            .value_size = 2,
                            .output_projection = false,
                            .scale = 1,
                            .bias_kv = true,
                            .zero_attention = true});
  const xt::xarray<float> identity = {{1, 0}, {0, 1}};
  layer.load_state_dict({{"W_q.weight", identity},
                         {"W_k.weight", identity},
                         {"W_v.weight", identity},
                         {"bias_k", {{{2, 0}}}},
                         {"bias_v", {{{5, 7}}}}});
  const Tensor<3> query = {{{1, 0}}};
  const Tensor<3> two_keys = {{{3, 9}, {-1, 9}}};
  const Tensor<3> two_values = {{{1, 0}, {0, 1}}};
  const auto slots_at = [&](WeightsStage weights_stage, ForwardOptions options = {}) {
    options.return_weights = true;
    options.weights_stage = weights_stage;
    return layer.forward(query, two_keys, two_values, options);
  };
  const Tensor<4> scores = {{{{3, -1, 2, 0}}}};
  CHECK(max_difference(*slots_at(WeightsStage::raw).attention_weights, scores) == 0);
  CHECK(max_difference(*slots_at(WeightsStage::softcap).attention_weights, scores) == 0);
  CHECK(max_difference(*slots_at(WeightsStage::masked).attention_weights, scores) == 0);
  const double sum = std::exp(3.0) + std::exp(-1.0) + std::exp(2.0) + 1;
  const std::vector<double> weights = {std::exp(3.0) / sum, std::exp(-1.0) / sum,
                                       std::exp(2.0) / sum, 1 / sum};
  const auto whole = slots_at(WeightsStage::softmax);
  CHECK(max_difference(*whole.attention_weights, weights) <= 1e-6);
  CHECK(max_difference(whole.output, std::vector<double>{weights[0] + 5 * weights[2],
                                                         weights[1] + 7 * weights[2]}) <= 1e-5);

  // Masks speak of the keys; a query without keys still has the slots and is not an empty row.
  for (const EmptyRows empty_rows : {EmptyRows::zero, EmptyRows::uniform}) {
    for (ForwardOptions options :
         {ForwardOptions{.valid_lens = LensBySample{0}},
          ForwardOptions{.mask = xt::xarray<bool>{false, false}},
          ForwardOptions{.mask = xt::xarray<float>{-infinity, -infinity}}}) {
      options.empty_rows = empty_rows;
      const Tensor<4> masked = {{{{-infinity, -infinity, 2, 0}}}};
      CHECK(max_difference(*slots_at(WeightsStage::masked, options).attention_weights, masked) ==
            0);
      CHECK(max_difference(*slots_at(WeightsStage::raw, options).attention_weights, scores) == 0);
      const double slot = std::exp(2.0) / (std::exp(2.0) + 1);
      const auto result = slots_at(WeightsStage::softmax, options);
      CHECK(max_difference(*result.attention_weights, std::vector<double>{0, 0, slot, 1 - slot}) <=
            1e-6);
      CHECK(max_difference(result.output, std::vector<double>{5 * slot, 7 * slot}) <= 1e-5);
    }
  }
}

}  // namespace
}  // namespace headwise::test
