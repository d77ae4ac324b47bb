#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "compare.hpp"
#include "problem.hpp"

namespace headwise::test {
namespace {

constexpr std::size_t length = 9;
constexpr InputShape shape{
    .batch = 2, .queries = length, .keys = length, .query_size = 5, .key_size = 4, .value_size = 3};

MultiHeadAttention make_layer() {
  return MultiHeadAttention({.num_hiddens = 12,
                             .num_heads = 4,
                             .bias = true,
                             .query_size = shape.query_size,
                             .key_size = shape.key_size,
                             .value_size = shape.value_size,
                             .num_kv_heads = 2,
                             .seed = 1});
}

Inputs part(const Inputs& inputs, std::size_t begin, std::size_t end) {
  return {.queries = positions(inputs.queries, begin, end),
          .keys = positions(inputs.keys, begin, end),
          .values = positions(inputs.values, begin, end)};
}

ForwardOptions with(KeyValueCache& cache, ForwardOptions options = {}) {
  options.cache = &cache;
  return options;
}

TEST_CASE("Decoding in chunks of any sizes equals the causal pass") {
  const Inputs inputs = random_inputs(shape);
  MultiHeadAttention layer = make_layer();
  const ForwardOptions causal{.causal = Causal::top_left, .return_weights = true};
  const auto whole = forward(layer, inputs, causal);
  const std::vector<std::vector<std::size_t>> splits = {
      {9}, {1, 1, 1, 1, 1, 1, 1, 1, 1}, {5, 1, 1, 1, 1}, {4, 3, 2}, {1, 8}};
  for (const auto& chunks : splits) {
    KeyValueCache cache = layer.create_cache({.batch_size = 2, .max_length = length});
    std::size_t begin = 0;
    for (const std::size_t chunk : chunks) {
      CHECK(cache.length() == begin);
      const std::size_t end = begin + chunk;
      const auto result = forward(layer, part(inputs, begin, end), with(cache, causal));
      CHECK(max_difference(result.output, positions(whole.output, begin, end)) <= 1e-6);
      CHECK(result.attention_weights->shape() == std::array<std::size_t, 4>{2, 4, chunk, end});
      for (std::size_t i = 0; i < chunk; ++i) {
        for (std::size_t key = 0; key < end; ++key) {
          CHECK(std::abs((*result.attention_weights)(1, 3, i, key) -
                         (*whole.attention_weights)(1, 3, begin + i, key)) <= 1e-6F);
        }
      }
      begin = end;
    }
    CHECK(cache.length() == length);
  }
}

TEST_CASE("A window looks back into the cache") {
  const Inputs inputs = random_inputs(shape);
  MultiHeadAttention layer = make_layer();
  const ForwardOptions options{.causal = Causal::top_left,
                               .window = Window{.left = 2, .right = std::nullopt}};
  const auto whole = forward(layer, inputs, options).output;
  KeyValueCache cache = layer.create_cache({.batch_size = 2, .max_length = length});
  for (std::size_t i = 0; i < length; ++i) {
    const auto output = forward(layer, part(inputs, i, i + 1), with(cache, options)).output;
    CHECK(max_difference(output, positions(whole, i, i + 1)) <= 1e-6);
  }
}

TEST_CASE("Without causality the new queries see all that is cached and new") {
  const Inputs inputs = random_inputs(shape);
  MultiHeadAttention layer = make_layer();
  KeyValueCache cache = layer.create_cache({.batch_size = 2, .max_length = 20});
  forward(layer, part(inputs, 0, 6), with(cache));
  const auto result = forward(layer, part(inputs, 6, 9), with(cache)).output;
  const auto expected =
      layer.forward(positions(inputs.queries, 6, 9), inputs.keys, inputs.values).output;
  CHECK(max_difference(result, expected) <= 1e-6);
}

TEST_CASE("Lengths and masks speak of cached and new keys together") {
  const Inputs inputs = random_inputs(shape);
  MultiHeadAttention layer = make_layer();
  const xt::xarray<bool> allowed = {true, true, false, true, true, true, false, true, true};
  const std::vector<ForwardOptions> masks = {
      {.valid_lens = LensBySample{9, 4}, .return_weights = true},
      {.valid_lens = LensByQuery{{9, 7, 0}, {1, 6, 8}}, .return_weights = true},
      {.mask = allowed, .return_weights = true},
      {.causal = Causal::bottom_right, .return_weights = true}};
  for (const ForwardOptions& options : masks) {
    KeyValueCache cache = layer.create_cache({.batch_size = 2, .max_length = length});
    forward(layer, part(inputs, 0, 6), with(cache));
    const auto result = forward(layer, part(inputs, 6, 9), with(cache, options));
    const auto expected =
        layer.forward(positions(inputs.queries, 6, 9), inputs.keys, inputs.values, options);
    CHECK(max_difference(result.output, expected.output) <= 1e-6);
    CHECK(max_difference(*result.attention_weights, *expected.attention_weights) <= 1e-6);
  }
  KeyValueCache cache = layer.create_cache({.batch_size = 2, .max_length = length});
  forward(layer, part(inputs, 0, 6), with(cache));
  CHECK(error_of([&] {
          return forward(layer, part(inputs, 6, 9),
                         with(cache, {.valid_lens = LensBySample{9, 10}}));
        }) == "invalid-value; valid_lens: expected integers from 0 to 9, got 10");
  CHECK(cache.length() == 6);
}

TEST_CASE("Samples of a batch may have different lengths") {
  // Sample 1 was padded from position 4 on with what must not count: its queries stand for the last
  // of its own keys.
  Inputs inputs = random_inputs(shape);
  for (std::size_t i = 4; i < 8; ++i) {
    inputs.keys(1, i, 0) = nan;
    inputs.values(1, i, 0) = infinity;
  }
  MultiHeadAttention layer = make_layer();
  KeyValueCache cache = layer.create_cache({.batch_size = 2, .max_length = length});
  forward(layer, part(inputs, 0, 8), with(cache));
  const auto last =
      forward(layer, part(inputs, 8, 9), with(cache, {.valid_lens = LensBySample{9, 4}}));
  for (const std::size_t sample : {0U, 1U}) {
    const std::size_t own = sample == 0 ? 9 : 4;
    const auto expected =
        layer.forward(positions(inputs.queries, 8, 9), positions(inputs.keys, 0, own),
                      positions(inputs.values, 0, own));
    for (std::size_t e = 0; e < 12; ++e) {
      CHECK(std::abs(last.output(sample, 0, e) - expected.output(sample, 0, e)) <= 1e-6F);
    }
  }
}

TEST_CASE("Without keys and values a forward attends to the cache and adds nothing") {
  const Inputs inputs = random_inputs(shape);
  MultiHeadAttention layer = make_layer();
  KeyValueCache cache = layer.create_cache({.batch_size = 2, .max_length = 20});
  const auto no_queries = full<3>({2, 0, 5}, 0);
  layer.forward(no_queries, inputs.keys, inputs.values, with(cache));
  const auto expected = forward(layer, inputs, {.valid_lens = LensBySample{9, 3}});
  for (int time = 0; time < 3; ++time) {
    const auto result =
        layer.forward(inputs.queries, with(cache, {.valid_lens = LensBySample{9, 3}}));
    CHECK(max_difference(result.output, expected.output) <= 1e-6);
    CHECK(cache.length() == length);
  }
  CHECK(error_of([&] { return layer.forward(inputs.queries, ForwardOptions{}); }) ==
        "invalid-cache; cache: expected one beside null keys and values, got none");
}

TEST_CASE("An empty cache alone leaves every row empty") {
  const Inputs inputs = random_inputs(shape);
  MultiHeadAttention layer = make_layer();
  KeyValueCache cache = layer.create_cache({.batch_size = 2, .max_length = 1});
  const auto result = layer.forward(inputs.queries, with(cache, {.return_weights = true}));
  CHECK(result.attention_weights->shape() == std::array<std::size_t, 4>{2, 4, 9, 0});
  const auto bias = layer.state_dict().at("W_o.bias");
  for (std::size_t i = 0; i < result.output.size(); ++i) {
    CHECK(result.output.data()[i] == bias(i % 12));
  }
}

TEST_CASE("A full cache is an error that leaves it usable") {
  const Inputs inputs = random_inputs(shape);
  MultiHeadAttention layer = make_layer();
  const ForwardOptions causal{.causal = Causal::top_left};
  const auto whole = forward(layer, inputs, causal).output;
  KeyValueCache cache = layer.create_cache({.batch_size = 2, .max_length = 8});
  CHECK(cache.max_length() == 8);
  CHECK(cache.batch_size() == 2);
  forward(layer, part(inputs, 0, 6), with(cache, causal));
  CHECK(error_of([&] { return forward(layer, part(inputs, 6, 9), with(cache, causal)); }) ==
        "cache-full; cache: expected room for 3 positions, got 2 of 8");
  CHECK(cache.length() == 6);
  const auto last = forward(layer, part(inputs, 6, 8), with(cache, causal)).output;
  CHECK(max_difference(last, positions(whole, 6, 8)) <= 1e-6);
  CHECK(error_of([&] { return forward(layer, part(inputs, 8, 9), with(cache, causal)); }) ==
        "cache-full; cache: expected room for 1 positions, got 0 of 8");
}

TEST_CASE("truncate and reset forget, and what comes next takes the place") {
  const Inputs inputs = random_inputs(shape);
  const Inputs others = random_inputs(shape, 50);
  MultiHeadAttention layer = make_layer();
  const ForwardOptions causal{.causal = Causal::top_left};
  const auto whole = forward(layer, inputs, causal).output;
  KeyValueCache cache = layer.create_cache({.batch_size = 2, .max_length = length});
  forward(layer, part(inputs, 0, 5), with(cache, causal));
  forward(layer, part(others, 5, 9), with(cache, causal));
  CHECK(error_of([&] {
          cache.truncate(10);
          return 0;
        }) == "invalid-value; length: expected an integer from 0 to 9, got 10");
  CHECK(error_of([&] {
          cache.truncate(-1);
          return 0;
        }) == "invalid-value; length: expected an integer from 0 to 9, got -1");
  CHECK(cache.length() == length);
  cache.truncate(5);
  CHECK(cache.length() == 5);
  const auto rest = forward(layer, part(inputs, 5, 9), with(cache, causal)).output;
  CHECK(max_difference(rest, positions(whole, 5, 9)) <= 1e-6);
  cache.reset();
  CHECK(cache.length() == 0);
  const auto again = forward(layer, part(inputs, 0, 9), with(cache, causal)).output;
  CHECK(max_difference(again, whole) <= 1e-6);
  cache.truncate(0);
  CHECK(cache.length() == 0);
}

TEST_CASE("A cache goes with its own layer, its batch size and known sizes") {
  const Inputs inputs = random_inputs(shape);
  MultiHeadAttention layer = make_layer();
  MultiHeadAttention twin = make_layer();
  MultiHeadAttention copy = layer;
  KeyValueCache cache = layer.create_cache({.batch_size = 2, .max_length = length});
  for (MultiHeadAttention* other : {&twin, &copy}) {
    CHECK(error_of([&] { return forward(*other, inputs, with(cache)); }) ==
          "invalid-cache; cache: expected one that this layer made, got another layer's");
  }
  const Inputs one = random_inputs(
      {.batch = 1, .queries = 1, .keys = 1, .query_size = 5, .key_size = 4, .value_size = 3});
  CHECK(error_of([&] { return forward(layer, one, with(cache)); }) ==
        "invalid-cache; cache: expected a batch size of 1, got 2");
  CHECK(cache.length() == 0);
  CHECK(error_of([] {
          const MultiHeadAttention unknown({.num_hiddens = 4, .num_heads = 2});
          return unknown.create_cache({.batch_size = 1, .max_length = 1});
        }).starts_with("sizes-unknown; create_cache: "));
}

TEST_CASE("A call that fails for another reason leaves the cache as it was") {
  const Inputs inputs = random_inputs(shape);
  MultiHeadAttention layer = make_layer();
  KeyValueCache cache = layer.create_cache({.batch_size = 2, .max_length = length});
  forward(layer, part(inputs, 0, 4), with(cache));
  const auto expected = layer.forward(inputs.queries, with(cache)).output;
  const std::vector<ForwardOptions> bad = {{.valid_lens = LensBySample{1}},
                                           {.mask = xt::xarray<float>{nan}},
                                           {.window = Window{.left = -1, .right = 0}},
                                           {.head_gate = Tensor<1>{1, 2}}};
  for (const ForwardOptions& options : bad) {
    CHECK(error_of([&] { return forward(layer, part(inputs, 4, 6), with(cache, options)); }) !=
          "no error");
  }
  CHECK(cache.length() == 4);
  CHECK(max_difference(layer.forward(inputs.queries, with(cache)).output, expected) == 0);
}

}  // namespace
}  // namespace headwise::test
