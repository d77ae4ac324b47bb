#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <headwise/core/attention/dropout.hpp>
#include <set>
#include <vector>

#include "compare.hpp"

/// Which weights are dropped. Random configurations hold outputs and gradients with dropout against
/// the reference.
namespace headwise::test {
namespace {

constexpr InputShape input_shape{
    .batch = 2, .queries = 5, .keys = 7, .query_size = 6, .key_size = 6, .value_size = 6};

MultiHeadAttention make_layer(double dropout) {
  return MultiHeadAttention(
      {.num_hiddens = 12, .num_heads = 3, .dropout = dropout, .bias = true, .seed = 11});
}

std::vector<float> dropped_row(const Dropout& dropout, std::size_t row, std::size_t count) {
  std::vector<float> weights(count, 1.0F);
  dropout.apply(weights.data(), row, 0, count);
  return weights;
}

TEST_CASE("Weights are dropped with the probability asked for, the others scaled up") {
  constexpr std::size_t count = std::size_t{1} << 16U;
  for (const double probability : {0.1, 0.5, 0.9}) {
    CAPTURE(probability);
    const auto weights = dropped_row({.probability = probability, .seed = 3}, 0, count);
    const auto dropped = std::count(weights.begin(), weights.end(), 0.0F);
    const float largest = *std::max_element(weights.begin(), weights.end());
    CHECK(std::abs(largest * (1 - probability) - 1) <= 1e-6);
    CHECK(std::count(weights.begin(), weights.end(), largest) + dropped == count);
    // Five standard deviations at most.
    CHECK(std::abs(static_cast<double>(dropped) / count - probability) <=
          5 * std::sqrt(probability * (1 - probability)) / 256);
  }
}

TEST_CASE("Every seed, call and row has a mask of its own, also beyond 32 bits") {
  std::set<std::vector<float>> masks;
  for (const std::uint64_t seed : {std::uint64_t{3}, std::uint64_t{1} << 32U}) {
    for (std::uint32_t call = 0; call < 3; ++call) {
      for (std::size_t row = 0; row < 30; ++row) {
        masks.insert(dropped_row({.probability = 0.5, .seed = seed, .call = call}, row, 40));
      }
    }
  }
  CHECK(masks.size() == 180);
  if constexpr (sizeof(std::size_t) > sizeof(std::uint32_t)) {
    for (const std::size_t high : {1, 2}) {
      masks.insert(dropped_row({.probability = 0.5, .seed = 3}, high << 32U | 6U, 40));
    }
    CHECK(masks.size() == 182);
  }
}

TEST_CASE("A seed drops the weights that it dropped in earlier versions") {
  const auto weights = dropped_row({.probability = 0.5, .seed = 3, .call = 2}, 6, 16);
  CHECK(weights == std::vector<float>{0, 2, 0, 0, 2, 0, 2, 2, 2, 0, 0, 0, 0, 0, 2, 0});
}

TEST_CASE("Only passes in training mode drop weights, each others, and the same for a seed") {
  const Inputs inputs = random_inputs(input_shape);
  auto layer = make_layer(0.5);
  auto plain = make_layer(0);
  auto twin = make_layer(0.5);
  const Tensor<3> whole = forward(plain, inputs).output;
  CHECK_FALSE(layer.training());
  CHECK(forward(layer, inputs).output == whole);
  CHECK(&layer.train() == &layer);
  CHECK(layer.training());
  const Tensor<3> first = forward(layer, inputs).output;
  CHECK(&layer.eval() == &layer);
  CHECK_FALSE(layer.training());
  CHECK(forward(layer, inputs).output == whole);
  const Tensor<3> second = forward(layer.train(), inputs).output;
  CHECK(max_difference(first, whole) > 0.01);
  CHECK(max_difference(first, second) > 0.01);
  twin.train();
  CHECK(forward(twin, inputs, {.requires_grad = true}).output == first);
  CHECK(forward(twin, inputs, {}).output == second);
}

}  // namespace
}  // namespace headwise::test
