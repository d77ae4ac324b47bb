#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <vector>

#include "compare.hpp"

/// What masked keys and values hold never reaches a result.
namespace headwise::test {
namespace {

constexpr InputShape shape{
    .batch = 2, .queries = 3, .keys = 6, .query_size = 6, .key_size = 6, .value_size = 6};

/// Keys 4 and 5 of each sample are for nobody, each mask in its own way.
std::vector<ForwardOptions> masks_of_the_last_two_keys() {
  const xt::xarray<bool> allowed = {true, true, true, true, false, false};
  const xt::xarray<float> added = {0, -1, 2, 0.5F, -infinity, -infinity};
  return {{.valid_lens = LensBySample{4, 4}},
          {.valid_lens = LensByQuery{{4, 1, 3}, {2, 0, 4}}},
          {.mask = allowed},
          {.mask = added},
          {.causal = Causal::top_left},
          {.window = Window{.left = 1, .right = 1}},
          {.valid_lens = LensBySample{4, 0}, .mask = added, .causal = Causal::top_left}};
}

void spoil(Tensor<3>& tensor, std::size_t key, float bad) {
  for (std::size_t sample = 0; sample < tensor.shape(0); ++sample) {
    for (std::size_t e = 0; e < tensor.shape(2); ++e) {
      tensor(sample, key, e) = bad;
    }
  }
}

std::vector<MultiHeadAttentionOptions> layers() {
  return {{.num_hiddens = 6, .num_heads = 3, .bias = true, .seed = 1},
          {.num_hiddens = 6, .num_heads = 2, .num_kv_heads = 1, .seed = 1},
          {.num_hiddens = 6, .num_heads = 2, .pooling = Pooling::additive, .seed = 1},
          {.num_hiddens = 6, .num_heads = 2, .projection = Projection::convolution, .seed = 1},
          {.num_hiddens = 6, .num_heads = 2, .projection = Projection::none, .seed = 1},
          {.num_hiddens = 6, .num_heads = 2, .bias_kv = true, .zero_attention = true, .seed = 1}};
}

TEST_CASE("NaN and infinity in keys and values that nobody sees change nothing") {
  const Inputs clean = random_inputs(shape);
  for (const MultiHeadAttentionOptions& options : layers()) {
    for (ForwardOptions masks : masks_of_the_last_two_keys()) {
      for (const float bad : {nan, infinity, -infinity}) {
        Inputs spoilt = clean;
        for (const std::size_t key : {4U, 5U}) {
          spoil(spoilt.keys, key, bad);
          spoil(spoilt.values, key, bad);
        }
        for (const WeightsStage stage : {WeightsStage::masked, WeightsStage::softmax}) {
          MultiHeadAttention layer(options);
          masks.return_weights = true;
          masks.weights_stage = stage;
          const auto expected = forward(layer, clean, masks);
          const auto result = forward(layer, spoilt, masks);
          CHECK(max_difference(result.output, expected.output) <= 1e-6);
          CHECK(max_difference(*result.attention_weights, *expected.attention_weights) == 0);
          masks.return_weights = false;
          CHECK(max_difference(forward(layer, spoilt, masks).output, expected.output) <= 1e-6);
        }
      }
    }
  }
}

TEST_CASE("NaN in a key or value reaches the queries that see it and no others") {
  const Inputs clean = random_inputs(shape);
  const xt::xarray<bool> allowed = {{true, true, true, true, true, true},
                                    {true, true, false, true, true, true},
                                    {true, true, true, true, true, true}};
  for (const MultiHeadAttentionOptions& options : layers()) {
    MultiHeadAttention layer(options);
    const ForwardOptions masks{.mask = allowed, .return_weights = true};
    const auto expected = forward(layer, clean, masks);
    for (const bool in_key : {true, false}) {
      Inputs spoilt = clean;
      spoil(in_key ? spoilt.keys : spoilt.values, 2, nan);
      const auto [output, weights] = forward(layer, spoilt, masks);
      for (std::size_t sample = 0; sample < shape.batch; ++sample) {
        for (std::size_t e = 0; e < 6; ++e) {
          CHECK(std::isnan(output(sample, 0, e)));
          CHECK(std::abs(output(sample, 1, e) - expected.output(sample, 1, e)) <= 1e-6F);
          CHECK(std::isnan(output(sample, 2, e)));
        }
        for (std::size_t head = 0; head < layer.num_heads(); ++head) {
          CHECK((*weights)(sample, head, 1, 2) == 0);
          CHECK(std::isnan((*weights)(sample, head, 0, 2)) == in_key);
        }
      }
    }
  }
}

TEST_CASE("What one head masks another may read") {
  MultiHeadAttention layer({.num_hiddens = 6, .num_heads = 3, .seed = 1});
  const Inputs inputs = random_inputs(shape);
  const auto plain = *forward(layer, inputs).attention_weights;
  auto allowed = xt::xtensor<bool, 3>::from_shape({3, 1, 1});
  allowed.fill(false);
  allowed(1, 0, 0) = true;
  for (const EmptyRows empty_rows : {EmptyRows::zero, EmptyRows::uniform}) {
    const auto weights =
        *forward(
             layer, inputs,
             {.mask = xt::xarray<bool>(allowed), .empty_rows = empty_rows, .return_weights = true})
             .attention_weights;
    for (std::size_t key = 0; key < shape.keys; ++key) {
      CHECK(weights(1, 1, 2, key) == plain(1, 1, 2, key));
      CHECK(weights(1, 0, 2, key) == (empty_rows == EmptyRows::zero ? 0 : 1.0F / 6));
    }
  }
}

TEST_CASE("Extra slots keep a row from being empty, so that it reads no masked value") {
  Inputs inputs = random_inputs(shape);
  MultiHeadAttention layer({.num_hiddens = 6, .num_heads = 3, .zero_attention = true, .seed = 1});
  for (std::size_t key = 0; key < shape.keys; ++key) {
    spoil(inputs.values, key, nan);
  }
  const auto result =
      forward(layer, inputs, {.valid_lens = LensBySample{0, 0}, .empty_rows = EmptyRows::uniform});
  CHECK(all_equal(result.output, 0));
}

TEST_CASE("A masked key weighs 0 beside a NaN score, whatever masks it") {
  const auto queries = full<4>({1, 1, 1, 1}, 1);
  const auto values = full<4>({1, 1, 3, 1}, 1);
  auto keys = full<4>({1, 1, 3, 1}, 1);
  keys(0, 0, 0, 0) = nan;
  const std::vector<DotProductAttentionOptions> masks = {
      {.valid_lens = LensBySample{2}, .return_weights = true},
      {.mask = xt::xarray<bool>{true, true, false}, .return_weights = true},
      {.mask = xt::xarray<float>{0, 1, -infinity}, .return_weights = true},
      {.window = Window{.left = 0, .right = 1}, .return_weights = true}};
  for (const auto& options : masks) {
    const auto [output, weights] = scaled_dot_product_attention(queries, keys, values, options);
    CHECK(std::isnan((*weights)(0, 0, 0, 0)));
    CHECK(std::isnan((*weights)(0, 0, 0, 1)));
    CHECK((*weights)(0, 0, 0, 2) == 0);
    CHECK(std::isnan(output(0, 0, 0, 0)));
  }
}

TEST_CASE("The stages before the masks show what masked keys hold, the output still does not") {
  Inputs inputs = random_inputs(shape);
  MultiHeadAttention layer({.num_hiddens = 6, .num_heads = 3, .seed = 1});
  const auto expected = forward(layer, inputs, {.valid_lens = LensBySample{4, 4}}).output;
  spoil(inputs.keys, 5, nan);
  spoil(inputs.values, 5, nan);
  for (const WeightsStage stage : {WeightsStage::raw, WeightsStage::softcap}) {
    const auto [output, weights] =
        forward(layer, inputs,
                {.valid_lens = LensBySample{4, 4}, .return_weights = true, .weights_stage = stage});
    CHECK(std::isfinite((*weights)(0, 0, 0, 4)));
    CHECK(std::isnan((*weights)(0, 0, 0, 5)));
    CHECK(max_difference(output, expected) <= 1e-6);
  }
}

TEST_CASE("Uniform empty rows read every value, masked ones included, and no key") {
  const Inputs inputs = random_inputs(shape);
  MultiHeadAttention layer({.num_hiddens = 6, .num_heads = 3, .seed = 1});
  const ForwardOptions masks{
      .valid_lens = LensBySample{0, 6}, .empty_rows = EmptyRows::uniform, .return_weights = true};
  const auto expected = forward(layer, inputs, masks);
  Inputs spoilt = inputs;
  for (std::size_t key = 0; key < shape.keys; ++key) {
    spoilt.keys(0, key, 0) = nan;
  }
  const auto without_keys = forward(layer, spoilt, masks);
  CHECK(max_difference(without_keys.output, expected.output) == 0);
  CHECK(all_finite(without_keys.output));
  spoilt.values(0, 5, 0) = nan;
  CHECK(std::isnan(forward(layer, spoilt, masks).output(0, 0, 0)));
}

}  // namespace
}  // namespace headwise::test
