#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <headwise/api/working_memory.hpp>
#include <headwise/core/attention/rotary.hpp>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "compare.hpp"
#include "set_threads.hpp"

/// Rotary positions of a layer, beside the random configurations.
namespace headwise::test {
namespace {

constexpr std::size_t length = 7;
constexpr std::size_t width = 24;

MultiHeadAttentionOptions rotary_options(bool interleaved = false) {
  return {.num_hiddens = width,
          .num_heads = 4,
          .query_size = width,
          .key_size = width,
          .value_size = width,
          .num_kv_heads = 2,
          .rotary = RotaryOptions{.size = 4, .interleaved = interleaved},
          .seed = 3};
}

RotaryPositions from(std::int64_t first, std::size_t count) {
  auto positions = xt::xtensor<std::int64_t, 1>::from_shape({count});
  std::iota(positions.begin(), positions.end(), first);
  return positions;
}

Tensor<3> rows(const Tensor<3>& tensor, std::size_t begin, std::size_t end) {
  Tensor<3> part(std::array{tensor.shape(0), end - begin, tensor.shape(2)});
  for (std::size_t b = 0; b < part.shape(0); ++b) {
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t e = 0; e < part.shape(2); ++e) {
        part(b, i - begin, e) = tensor(b, i, e);
      }
    }
  }
  return part;
}

TEST_CASE("Rotary scores depend on differences of positions only") {
  for (const bool interleaved : {false, true}) {
    MultiHeadAttention layer(rotary_options(interleaved));
    const auto X = randn<3>({2, length, width}, 1);
    const auto forward = [&](const RotaryPositions& positions) {
      return layer.forward(X, X, X, {.positions = positions, .return_weights = true});
    };
    const AttentionResult first = forward({});
    CHECK(forward(from(0, length)).output == first.output);
    const AttentionResult later = forward(from(1000, length));
    CHECK(xt::allclose(*later.attention_weights, *first.attention_weights, 1e-5, 1e-5));
    auto apart = xt::xtensor<std::int64_t, 1>::from_shape({length});
    for (std::size_t i = 0; i < length; ++i) {
      apart(i) = static_cast<std::int64_t>(2 * i);
    }
    CHECK_FALSE(
        xt::allclose(*forward(apart).attention_weights, *first.attention_weights, 1e-3, 1e-3));
    auto by_sample = xt::xtensor<std::int64_t, 2>::from_shape({2, length});
    for (std::size_t i = 0; i < length; ++i) {
      by_sample(0, i) = static_cast<std::int64_t>(i);
      by_sample(1, i) = static_cast<std::int64_t>(2 * i);
    }
    const Tensor<4> mixed = *forward(by_sample).attention_weights;
    const Tensor<4> expected = *forward(apart).attention_weights;
    const std::size_t sample = mixed.size() / 2;
    CHECK(std::equal(mixed.begin(), mixed.begin() + static_cast<std::ptrdiff_t>(sample),
                     first.attention_weights->begin()));
    CHECK(std::equal(mixed.begin() + static_cast<std::ptrdiff_t>(sample), mixed.end(),
                     expected.begin() + static_cast<std::ptrdiff_t>(sample)));
  }
}

TEST_CASE("The keys of a cache are rotated as those of a whole pass, to the bit") {
  MultiHeadAttention layer(rotary_options());
  constexpr std::size_t long_length = 150;
  const auto X = randn<3>({2, long_length, width}, 2);
  const auto capture = [&](KeyValueCache& cache, std::size_t step) {
    for (std::size_t i = 0; i < long_length; i += step) {
      const Tensor<3> part = rows(X, i, std::min(i + step, long_length));
      layer.forward(part, part, part, {.causal = Causal::top_left, .cache = &cache});
    }
  };
  KeyValueCache whole = layer.create_cache({.batch_size = 2, .max_length = long_length});
  KeyValueCache chunks = layer.create_cache({.batch_size = 2, .max_length = long_length});
  capture(whole, long_length);
  capture(chunks, 7);
  const auto query = randn<3>({2, 1, width}, 3);
  const auto answer = [&](KeyValueCache& cache) {
    return layer.forward(query, {.cache = &cache, .return_weights = true});
  };
  CHECK(*answer(whole).attention_weights == *answer(chunks).attention_weights);
  CHECK(answer(whole).output == answer(chunks).output);
}

TEST_CASE("A table of rotations that the caller computed stands for the layer's own") {
  MultiHeadAttention layer(rotary_options());
  const auto X = randn<3>({2, length, width}, 4);
  const auto gradient = randn<3>({2, length, width}, 5);
  std::vector<std::int32_t> positions(2 * length);
  std::iota(positions.begin(), positions.end(), 5);
  std::vector<float> table(positions.size() * layer.settings().rotary->size);
  rotations_into(positions.data(), 0, positions.size(), *layer.settings().rotary, table.data());
  const auto run = [&](const float* rotations) {
    const AttentionMask mask{.batch = 2, .num_queries = length, .num_keys = length};
    const PassSizes sizes{.batch = 2, .num_queries = length, .num_keys = length};
    WorkingMemory memory(
        [&](Arena& arena) { static_cast<void>(layer.lay_out_forward(arena, sizes)); });
    Tensor<3> output(std::array<std::size_t, 3>{2, length, width});
    const ForwardArguments arguments{
        .input_sizes = {.query_size = width, .key_size = width, .value_size = width},
        .queries = X.data(),
        .keys = X.data(),
        .values = X.data(),
        .num_new_keys = length,
        .positions = positions.data(),
        .positions_sample_stride = length,
        .rotations = rotations,
        .mask = &mask,
        .output = output.data(),
        .arena = &memory.arena(),
        .requires_grad = true};
    layer.forward_into(arguments, layer.allocate(arguments));
    return std::pair(output, layer.backward(gradient).queries);
  };
  CHECK(run(nullptr) == run(table.data()));
}

TEST_CASE("Heads pruned of a rotary layer are as gated at 0") {
  MultiHeadAttention layer(rotary_options());
  const auto X = randn<3>({2, length, width}, 6);
  const Tensor<1> gate = {0.0F, 0.0F, 1.0F, 1.0F};
  const Tensor<3> gated = layer.forward(X, X, X, {.head_gate = gate}).output;
  layer.prune_heads({0, 1});
  CHECK(xt::allclose(layer.forward(X, X, X).output, gated, 1e-5, 1e-6));
}

TEST_CASE("Rotary passes are equal for any number of threads") {
  MultiHeadAttention layer(rotary_options());
  const auto X = randn<3>({2, 300, width}, 7);
  const auto output = [&](std::size_t threads) {
    const SetThreads set(threads);
    const Tensor<3> result = layer.forward(X, X, X, {.requires_grad = true}).output;
    return std::pair(result, layer.backward(result).keys);
  };
  CHECK(output(1) == output(3));
}

TEST_CASE("Inputs of a rotary layer without projections are not written to") {
  MultiHeadAttention layer({.num_hiddens = 8,
                            .num_heads = 2,
                            .projection = Projection::none,
                            .rotary = RotaryOptions{}});
  const auto X = randn<3>({1, length, 8}, 8);
  const Tensor<3> before = X;
  layer.forward(X, X, X);
  layer.forward(X, X, X, {.requires_grad = true});
  CHECK(X == before);
}

TEST_CASE("A masked NaN stays out of a rotary layer") {
  MultiHeadAttention layer(rotary_options());
  auto X = randn<3>({1, length, width}, 9);
  const ForwardOptions options{.valid_lens = xt::xtensor<std::int64_t, 1>{3},
                               .requires_grad = true};
  const auto Q = X;
  const Tensor<3> first = layer.forward(Q, X, X, options).output;
  const auto gradient = randn<3>({1, length, width}, 10);
  const Tensor<3> of_keys = layer.backward(gradient).keys;
  for (std::size_t e = 0; e < width; ++e) {
    X(0, 4, e) = std::numeric_limits<float>::quiet_NaN();
  }
  CHECK(layer.forward(Q, X, X, options).output == first);
  CHECK(layer.backward(gradient).keys == of_keys);
}

}  // namespace
}  // namespace headwise::test
