#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <headwise/core/attention/dropout.hpp>
#include <set>

#include "compare.hpp"
#include "reference.hpp"

namespace headwise::test {
namespace {

constexpr std::uint64_t seed = 11;
constexpr InputShape shape{
    .batch = 2, .queries = 5, .keys = 7, .query_size = 6, .key_size = 6, .value_size = 6};

MultiHeadAttention make_layer(double dropout, std::uint64_t layer_seed = seed) {
  return MultiHeadAttention(
      {.num_hiddens = 12, .num_heads = 3, .dropout = dropout, .bias = true, .seed = layer_seed});
}

/// A layer whose output is its dropped weights, and so shows the mask: queries are projected to
/// zeros, so that all keys weigh the same; values are rows of the identity, and each head passes
/// them on. Output (batch, queries, heads · keys) holds 0 where a weight was dropped, else
/// 1 / keys / (1 − p). The mask depends on seed, call, row and key, and on nothing else.
class MaskProbe {
 public:
  MaskProbe(double dropout, std::uint64_t probe_seed, std::size_t num_heads, std::size_t num_keys)
      : num_heads_(num_heads),
        num_keys_(num_keys),
        layer_({.num_hiddens = static_cast<std::int64_t>(num_heads * num_keys),
                .num_heads = static_cast<std::int64_t>(num_heads),
                .dropout = dropout,
                .seed = probe_seed}) {
    const std::size_t hiddens = num_heads * num_keys;
    const auto diagonal = [hiddens](std::size_t columns) {
      xt::xarray<float> weight = xt::xarray<float>::from_shape({hiddens, columns});
      weight.fill(0);
      for (std::size_t i = 0; i < hiddens; ++i) {
        weight(i, i % columns) = 1;
      }
      return weight;
    };
    const xt::xarray<float> nothing = full<2>({hiddens, 1}, 0);
    layer_.load_state_dict({{"W_q.weight", nothing},
                            {"W_k.weight", nothing},
                            {"W_v.weight", diagonal(num_keys)},
                            {"W_o.weight", diagonal(hiddens)}});
    layer_.train();
  }

  /// What weights (batch, heads, queries, keys) are multiplied by: 0 or 1 / (1 − p).
  Doubles next_factors(std::size_t batch, std::size_t num_queries) {
    Tensor<3> values = full<3>({batch, num_keys_, num_keys_}, 0);
    for (std::size_t b = 0; b < batch; ++b) {
      for (std::size_t k = 0; k < num_keys_; ++k) {
        values(b, k, k) = 1;
      }
    }
    const Tensor<3> output =
        layer_
            .forward(full<3>({batch, num_queries, 1}, 0), full<3>({batch, num_keys_, 1}, 0), values)
            .output;
    Doubles factors;
    for (std::size_t b = 0; b < batch; ++b) {
      for (std::size_t h = 0; h < num_heads_; ++h) {
        for (std::size_t q = 0; q < num_queries; ++q) {
          for (std::size_t k = 0; k < num_keys_; ++k) {
            factors.push_back(output(b, q, h * num_keys_ + k) * static_cast<double>(num_keys_));
          }
        }
      }
    }
    return factors;
  }

 private:
  std::size_t num_heads_;
  std::size_t num_keys_;
  MultiHeadAttention layer_;
};

TEST_CASE("The output in training mode is that of the dropped weights, the weights are whole") {
  const double dropout = 0.4;
  auto layer = make_layer(dropout);
  MaskProbe probe(dropout, seed, 3, shape.keys);
  const Inputs inputs = random_inputs(shape);
  const auto whole = forward(layer, inputs);
  const std::vector<Mask> masks = {{},
                                   {.valid_lens = LensBySample{3, 7}},
                                   {.valid_lens = LensByQuery{{0, 1, 2, 7, 5}, {3, 3, 3, 2, 1}}}};
  layer.train();
  for (const Mask& mask : masks) {
    const auto result =
        forward(layer, inputs, {.valid_lens = mask.valid_lens, .return_weights = true});
    const Doubles factors = probe.next_factors(shape.batch, shape.queries);
    const Pooled expected = multi_head_attention(layer.state_dict(), 3, inputs.queries, inputs.keys,
                                                 inputs.values, mask, factors);
    CAPTURE(mask.valid_lens.index());
    CHECK(max_difference(result.output, expected.output) <= 4e-6);
    CHECK(max_difference(*result.attention_weights, expected.weights) <= 2e-6);
    CHECK(max_difference(result.output, whole.output) > 0.01);
  }
}

TEST_CASE("Weights are dropped with the probability asked for, the others scaled up") {
  for (const double dropout : {0.1, 0.5, 0.9}) {
    const std::size_t num_keys = 64;
    MaskProbe probe(dropout, 3, 4, num_keys);
    const Doubles factors = probe.next_factors(4, 64);
    std::size_t dropped = 0;
    double largest = 0;
    Doubles dropped_by_key(num_keys, 0.0);
    for (std::size_t i = 0; i < factors.size(); ++i) {
      if (factors[i] == 0) {
        ++dropped;
        ++dropped_by_key[i % num_keys];
      } else {
        largest = std::fmax(largest, std::abs(factors[i] * (1 - dropout) - 1));
      }
    }
    CAPTURE(dropout);
    CHECK(largest <= 1e-6);
    // 65,536 weights in all and 1,024 a key: five standard deviations at most.
    const double deviation = std::sqrt(dropout * (1 - dropout));
    CHECK(std::abs(static_cast<double>(dropped) / 65536 - dropout) <= 5 * deviation / 256);
    for (const double count : dropped_by_key) {
      CHECK(std::abs(count / 1024 - dropout) <= 5 * deviation / 32);
    }
  }
}

TEST_CASE("Every call, head, sample and query draws a mask of its own") {
  const std::size_t num_keys = 40;
  MaskProbe probe(0.5, 3, 3, num_keys);
  std::set<Doubles> rows;
  // 3 calls of 2 samples, 3 heads and 5 queries.
  for (int call = 0; call < 3; ++call) {
    const Doubles factors = probe.next_factors(2, 5);
    for (auto row = factors.begin(); row != factors.end();) {
      const auto end = row + static_cast<std::ptrdiff_t>(num_keys);
      rows.emplace(row, end);
      row = end;
    }
  }
  CHECK(rows.size() == 90);
}

TEST_CASE("Rows that 32 bits cannot tell apart draw masks of their own") {
  if constexpr (sizeof(std::size_t) > sizeof(std::uint32_t)) {
    const Dropout dropout{.probability = 0.5, .seed = 3, .call = 2};
    std::set<std::vector<float>> masks;
    for (const std::size_t high : {0, 1, 2}) {
      std::vector<float> row(40, 1.0F);
      dropout.apply(row.data(), high << 32U | 6U, 0, row.size());
      masks.insert(row);
    }
    CHECK(masks.size() == 3);
  }
}

TEST_CASE("A row can be dropped in pieces, with the mask of the whole") {
  const Dropout dropout{.probability = 0.5, .seed = 3, .call = 2};
  const std::size_t count = 13;
  Doubles expected;
  for (std::size_t first = 0; first <= count; ++first) {
    std::vector<float> row(count, 1.0F);
    dropout.apply(row.data(), 6, 0, first);
    dropout.apply(row.data() + first, 6, first, count - first);
    if (first == 0) {
      expected.assign(row.begin(), row.end());
    }
    CAPTURE(first);
    CHECK(max_difference(row, expected) == 0);
  }
}

TEST_CASE("The same seed drops the same weights, another seed others") {
  const Inputs inputs = random_inputs(shape);
  auto layer = make_layer(0.5);
  auto twin = make_layer(0.5);
  auto other = make_layer(0.5, seed + 1);
  other.load_state_dict((forward(layer, inputs), layer.state_dict()));
  layer.train();
  twin.train();
  other.train();
  for (int call = 0; call < 3; ++call) {
    const auto output = forward(layer, inputs).output;
    CHECK(max_difference(output, forward(twin, inputs).output) == 0);
    CHECK(max_difference(output, forward(other, inputs).output) > 0.01);
  }
}

TEST_CASE("Asking for weights changes no mask") {
  const Inputs inputs = random_inputs(shape);
  auto layer = make_layer(0.5);
  auto twin = make_layer(0.5);
  layer.train();
  twin.train();
  CHECK(max_difference(forward(layer, inputs, {.return_weights = true}).output,
                       forward(twin, inputs, {}).output) == 0);
}

TEST_CASE("A new layer is in eval mode, which drops nothing and uses up no mask") {
  const Inputs inputs = random_inputs(shape);
  auto layer = make_layer(0.5);
  auto plain = make_layer(0);
  CHECK_FALSE(layer.training());
  const auto expected = forward(plain, inputs).output;
  CHECK(max_difference(forward(layer, inputs).output, expected) == 0);
  CHECK(&layer.train() == &layer);
  CHECK(layer.training());
  const auto first = forward(layer, inputs).output;
  CHECK(max_difference(first, expected) > 0.01);
  CHECK(&layer.eval() == &layer);
  CHECK_FALSE(layer.training());
  CHECK(max_difference(forward(layer, inputs).output, expected) == 0);
  const auto second = forward(layer.train(), inputs).output;

  auto twin = make_layer(0.5);
  twin.train();
  CHECK(max_difference(forward(twin, inputs).output, first) == 0);
  CHECK(max_difference(forward(twin, inputs).output, second) == 0);
}

TEST_CASE("Dropout 0 drops nothing and dropout 1 everything") {
  const Inputs inputs = random_inputs(shape);
  auto none = make_layer(0);
  const auto expected = forward(none, inputs).output;
  CHECK(max_difference(forward(none.train(), inputs).output, expected) == 0);

  auto everything = make_layer(1);
  const auto result = forward(everything.train(), inputs);
  const auto bias = everything.state_dict().at("W_o.bias");
  for (std::size_t row = 0; row < shape.batch * shape.queries; ++row) {
    const float* output = result.output.data() + row * 12;
    CHECK(max_difference(Doubles(output, output + 12), bias) == 0);
  }
  CHECK(max_difference(*result.attention_weights,
                       *forward(everything.eval(), inputs).attention_weights) == 0);
}

TEST_CASE(
    "A NaN behind a dropped weight still counts: d2l multiplies by 0, headwise reads what is "
    "not masked") {
  Inputs inputs = random_inputs(shape);
  inputs.values(0, 2, 0) = nan;
  auto layer = make_layer(1);
  const auto output = forward(layer.train(), inputs).output;
  CHECK(std::isnan(output(0, 0, 0)));
  CHECK(std::isfinite(output(1, 0, 0)));
}

}  // namespace
}  // namespace headwise::test
