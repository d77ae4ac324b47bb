#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <numeric>

#include "compare.hpp"
#include "reference.hpp"

namespace headwise::test {
namespace {

MultiHeadAttention make_layer(std::int64_t num_hiddens, std::int64_t num_heads, bool bias = true) {
  return MultiHeadAttention(
      {.num_hiddens = num_hiddens, .num_heads = num_heads, .bias = bias, .seed = 7});
}

void check_against_reference(MultiHeadAttention& layer, const Inputs& inputs, const Mask& mask) {
  const auto result = forward(
      layer, inputs,
      {.valid_lens = mask.valid_lens, .empty_rows = mask.empty_rows, .return_weights = true});
  const Pooled expected = multi_head_attention(layer.state_dict(), layer.num_heads(),
                                               inputs.queries, inputs.keys, inputs.values, mask);
  CHECK(max_difference(result.output, expected.output) <= 4e-6);
  CHECK(max_difference(*result.attention_weights, expected.weights) <= 2e-6);
}

TEST_CASE("The layer agrees with float64 at awkward sizes") {
  // num_hiddens, num_heads; batch, queries, keys; sizes of queries, keys and values
  const std::vector<std::array<std::size_t, 8>> cases = {
      {1, 1, 1, 1, 1, 1, 1, 1},        // one of everything
      {7, 7, 2, 3, 5, 4, 3, 2},        // head size 1
      {12, 3, 3, 1, 9, 5, 7, 11},      // one query
      {12, 3, 3, 9, 1, 5, 7, 11},      // one key
      {33, 3, 1, 37, 67, 33, 17, 9}};  // more queries than a block, more keys than a panel
  for (const auto& [hiddens, heads, batch, queries, keys, query_size, key_size, value_size] :
       cases) {
    const Inputs inputs = random_inputs({.batch = batch,
                                         .queries = queries,
                                         .keys = keys,
                                         .query_size = query_size,
                                         .key_size = key_size,
                                         .value_size = value_size});
    auto lens = LensByQuery::from_shape({batch, queries});
    std::iota(lens.begin(), lens.end(), 0);
    for (std::int64_t& length : lens) {
      length %= static_cast<std::int64_t>(keys + 1);
    }
    for (const bool bias : {false, true}) {
      CAPTURE(hiddens, heads, queries, keys, bias);
      auto layer =
          make_layer(static_cast<std::int64_t>(hiddens), static_cast<std::int64_t>(heads), bias);
      check_against_reference(layer, inputs, {});
      check_against_reference(layer, inputs, {.valid_lens = lens});
      check_against_reference(layer, inputs,
                              {.valid_lens = lens, .empty_rows = EmptyRows::uniform});
    }
  }
}

// Keys 0…5; sample 0 has a row for every length, sample 1 ends early, sample 2 sees nothing.
const LensByQuery lens_by_query{{4, 0, 6, 1}, {2, 3, 3, 2}, {0, 0, 0, 0}};
const LensBySample lens_by_sample{3, 6, 0};
const InputShape shape{
    .batch = 3, .queries = 4, .keys = 6, .query_size = 5, .key_size = 4, .value_size = 3};

TEST_CASE("Rows of weights sum to 1, masked keys weigh 0, empty rows are zero or uniform") {
  auto layer = make_layer(12, 3);
  const Inputs inputs = random_inputs(shape);
  for (const ValidLens& valid_lens : {ValidLens(lens_by_sample), ValidLens(lens_by_query)}) {
    for (const EmptyRows empty_rows : {EmptyRows::zero, EmptyRows::uniform}) {
      const auto result =
          forward(layer, inputs,
                  {.valid_lens = valid_lens, .empty_rows = empty_rows, .return_weights = true});
      const Tensor<4>& weights = *result.attention_weights;
      for (std::size_t b = 0; b < shape.batch; ++b) {
        for (std::size_t q = 0; q < shape.queries; ++q) {
          const std::size_t count = valid_len(valid_lens, b, q, shape.keys);
          const bool uniform = count == 0 && empty_rows == EmptyRows::uniform;
          CAPTURE(b, q, count, uniform);
          for (std::size_t h = 0; h < 3; ++h) {
            double sum = 0;
            for (std::size_t k = 0; k < shape.keys; ++k) {
              sum += weights(b, h, q, k);
              if (uniform) {
                CHECK(weights(b, h, q, k) == 1.0F / 6.0F);
              } else if (k >= count) {
                CHECK(weights(b, h, q, k) == 0);
              } else {
                CHECK(weights(b, h, q, k) > 0);
              }
            }
            CHECK(std::abs(sum - (count > 0 || uniform ? 1 : 0)) <= 1e-6);
          }
          // An empty row pools to the zero vector, of which W_o leaves its bias.
          if (count == 0 && !uniform) {
            for (std::size_t i = 0; i < 12; ++i) {
              CHECK(result.output(b, q, i) == layer.state_dict().at("W_o.bias")(i));
            }
          }
        }
      }
    }
  }
}

TEST_CASE("Permuting keys with their values permutes the weights and leaves the output") {
  auto layer = make_layer(12, 3);
  const Inputs inputs = random_inputs(shape);
  const std::array<std::size_t, 6> order = {3, 5, 0, 4, 1, 2};
  Inputs permuted = inputs;
  for (std::size_t b = 0; b < shape.batch; ++b) {
    for (std::size_t k = 0; k < shape.keys; ++k) {
      for (std::size_t e = 0; e < shape.key_size; ++e) {
        permuted.keys(b, k, e) = inputs.keys(b, order.at(k), e);
      }
      for (std::size_t e = 0; e < shape.value_size; ++e) {
        permuted.values(b, k, e) = inputs.values(b, order.at(k), e);
      }
    }
  }
  const auto result = forward(layer, inputs);
  const auto other = forward(layer, permuted);
  CHECK(max_difference(result.output, other.output) <= 1e-6);
  double largest = 0;
  for (std::size_t b = 0; b < shape.batch; ++b) {
    for (std::size_t h = 0; h < 3; ++h) {
      for (std::size_t q = 0; q < shape.queries; ++q) {
        for (std::size_t k = 0; k < shape.keys; ++k) {
          const double difference = (*result.attention_weights)(b, h, q, order.at(k)) -
                                    static_cast<double>((*other.attention_weights)(b, h, q, k));
          largest = std::fmax(largest, std::abs(difference));
        }
      }
    }
  }
  CHECK(largest <= 1e-6);
}

TEST_CASE("Asking for weights does not change the output") {
  auto layer = make_layer(12, 3);
  const Inputs inputs = random_inputs(shape);
  for (const ValidLens& valid_lens :
       {ValidLens(), ValidLens(lens_by_sample), ValidLens(lens_by_query)}) {
    const auto with = forward(layer, inputs, {.valid_lens = valid_lens, .return_weights = true});
    const auto without = forward(layer, inputs, {.valid_lens = valid_lens});
    CHECK_FALSE(without.attention_weights.has_value());
    CHECK(max_difference(with.output, without.output) <= 1e-6);
  }
}

/// Puts `bad` where a key is masked for every query of its sample.
Inputs spoil_masked(Inputs inputs, const ValidLens& valid_lens, float bad) {
  for (std::size_t b = 0; b < shape.batch; ++b) {
    std::size_t longest = 0;
    for (std::size_t q = 0; q < shape.queries; ++q) {
      longest = std::max(longest, valid_len(valid_lens, b, q, shape.keys));
    }
    for (std::size_t k = longest; k < shape.keys; ++k) {
      for (std::size_t e = 0; e < shape.key_size; ++e) {
        inputs.keys(b, k, e) = bad;
      }
      for (std::size_t e = 0; e < shape.value_size; ++e) {
        inputs.values(b, k, e) = bad;
      }
    }
  }
  return inputs;
}

TEST_CASE("What masked keys and values hold never reaches a result") {
  auto layer = make_layer(12, 3);
  const Inputs inputs = random_inputs(shape);
  for (const ValidLens& valid_lens : {ValidLens(lens_by_sample), ValidLens(lens_by_query)}) {
    const ForwardOptions options{.valid_lens = valid_lens, .return_weights = true};
    const auto expected = forward(layer, inputs, options);
    for (const float bad : {nan, infinity, -infinity, 3e38F}) {
      const auto result = forward(layer, spoil_masked(inputs, valid_lens, bad), options);
      CAPTURE(valid_lens.index(), bad);
      CHECK(max_difference(result.output, expected.output) == 0);
      CHECK(max_difference(*result.attention_weights, *expected.attention_weights) == 0);
    }
  }
}

TEST_CASE("A bad key or value spoils the queries that see it and no others") {
  auto layer = make_layer(12, 3);
  const Inputs inputs = random_inputs(shape);
  const ForwardOptions options{.valid_lens = lens_by_query, .return_weights = true};
  const auto expected = forward(layer, inputs, options);
  for (const bool in_keys : {false, true}) {
    for (const float bad : {nan, infinity, -infinity}) {
      // Key 3 of sample 0: queries 0 and 2 see it, queries 1 and 3 do not.
      Inputs spoilt = inputs;
      (in_keys ? spoilt.keys : spoilt.values)(0, 3, 1) = bad;
      const auto result = forward(layer, spoilt, options);
      for (std::size_t b = 0; b < shape.batch; ++b) {
        for (std::size_t q = 0; q < shape.queries; ++q) {
          const bool is_visible = b == 0 && lens_by_query(b, q) > 3;
          CAPTURE(in_keys, bad, b, q);
          bool output_same = true;
          for (std::size_t i = 0; i < 12; ++i) {
            output_same &= result.output(b, q, i) == expected.output(b, q, i);
          }
          CHECK(output_same == !is_visible);
          bool weights_same = true;
          for (std::size_t h = 0; h < 3; ++h) {
            for (std::size_t k = 0; k < shape.keys; ++k) {
              weights_same &= (*result.attention_weights)(b, h, q, k) ==
                              (*expected.attention_weights)(b, h, q, k);
            }
          }
          CHECK(weights_same == !(is_visible && in_keys));
        }
      }
    }
  }
}

TEST_CASE("Uniform empty rows see all values, the one exception to masking") {
  auto layer = make_layer(12, 3);
  Inputs inputs = random_inputs(shape);
  const ForwardOptions options{
      .valid_lens = lens_by_query, .empty_rows = EmptyRows::uniform, .return_weights = true};
  const auto expected = forward(layer, inputs, options);
  inputs.keys(0, 5, 0) = nan;
  inputs.values(1, 5, 0) = nan;
  inputs.values(2, 5, 0) = nan;
  const auto result = forward(layer, inputs, options);
  // Keys do not count in an empty row, whatever they hold.
  CHECK((*result.attention_weights)(0, 0, 1, 0) == 1.0F / 6.0F);
  CHECK(std::abs(result.output(0, 1, 0) - expected.output(0, 1, 0)) <= 1e-6F);
  CHECK(result.output(1, 0, 0) == expected.output(1, 0, 0));
  CHECK(std::isnan(result.output(2, 0, 0)));
}

TEST_CASE("No queries, no keys or no samples give empty or zero results") {
  for (const EmptyRows empty_rows : {EmptyRows::zero, EmptyRows::uniform}) {
    auto layer = make_layer(4, 2, false);
    const auto forward_sizes = [&](std::size_t batch, std::size_t queries, std::size_t keys) {
      const Inputs inputs = random_inputs({.batch = batch,
                                           .queries = queries,
                                           .keys = keys,
                                           .query_size = 3,
                                           .key_size = 3,
                                           .value_size = 3});
      return forward(layer, inputs, {.empty_rows = empty_rows, .return_weights = true});
    };
    CHECK(forward_sizes(0, 2, 3).output.shape() == std::array<std::size_t, 3>{0, 2, 4});
    CHECK(forward_sizes(2, 0, 3).output.shape() == std::array<std::size_t, 3>{2, 0, 4});
    CHECK(forward_sizes(0, 0, 0).output.shape() == std::array<std::size_t, 3>{0, 0, 4});
    const auto without_keys = forward_sizes(2, 3, 0);
    CHECK(without_keys.output.shape() == std::array<std::size_t, 3>{2, 3, 4});
    CHECK(all_equal(without_keys.output, 0));
    CHECK(without_keys.attention_weights->shape() == std::array<std::size_t, 4>{2, 2, 3, 0});
  }
}

TEST_CASE("Inputs are not modified, and a call leaves nothing behind for the next") {
  auto layer = make_layer(12, 3);
  const Inputs inputs = random_inputs(shape);
  const auto first = forward(layer, inputs);
  const Inputs before = random_inputs(shape);
  CHECK(max_difference(inputs.queries, before.queries) == 0);
  CHECK(max_difference(inputs.keys, before.keys) == 0);
  CHECK(max_difference(inputs.values, before.values) == 0);
  forward(layer, random_inputs(shape, 99), {.valid_lens = lens_by_sample});
  const auto second = forward(layer, inputs);
  CHECK(max_difference(first.output, second.output) == 0);
  CHECK(max_difference(*first.attention_weights, *second.attention_weights) == 0);
}

}  // namespace
}  // namespace headwise::test
