#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <cmath>

#include "compare.hpp"

namespace headwise::test {
namespace {

constexpr InputShape shape{
    .batch = 2, .queries = 3, .keys = 4, .query_size = 5, .key_size = 4, .value_size = 3};

MultiHeadAttentionOptions options_with_sizes() {
  return {.num_hiddens = 8,
          .num_heads = 2,
          .bias = true,
          .query_size = 5,
          .key_size = 4,
          .value_size = 3,
          .seed = 7};
}

MultiHeadAttentionOptions options_without_sizes() {
  auto options = options_with_sizes();
  options.query_size = options.key_size = options.value_size = std::nullopt;
  return options;
}

void check_same(const StateDict& a, const StateDict& b) {
  REQUIRE(a.size() == b.size());
  for (const auto& [name, tensor] : a) {
    CAPTURE(name);
    REQUIRE(b.contains(name));
    CHECK(tensor.shape() == b.at(name).shape());
    CHECK(max_difference(tensor, b.at(name)) == 0);
  }
}

TEST_CASE("A layer tells its options") {
  const MultiHeadAttention layer({.num_hiddens = 8,
                                  .num_heads = 2,
                                  .dropout = 0.25,
                                  .bias = true,
                                  .key_size = 4,
                                  .seed = (std::uint64_t{1} << 53U) - 1});
  CHECK(layer.num_hiddens() == 8);
  CHECK(layer.num_heads() == 2);
  CHECK(layer.settings().dropout == 0.25);
  CHECK(layer.settings().bias);
  CHECK_FALSE(layer.query_size().has_value());
  CHECK(layer.key_size() == 4);
  CHECK(layer.seed() == 9007199254740991);
}

TEST_CASE("A seed left out is drawn, told, and gives the layer again") {
  MultiHeadAttentionOptions options = options_with_sizes();
  options.seed = std::nullopt;
  const MultiHeadAttention layer(options);
  const MultiHeadAttention other(options);
  CHECK(layer.seed() != other.seed());
  options.seed = layer.seed();
  check_same(MultiHeadAttention(options).state_dict(), layer.state_dict());
}

TEST_CASE("The same seed gives the same parameters whether sizes are given or inferred") {
  const StateDict expected = MultiHeadAttention(options_with_sizes()).state_dict();
  MultiHeadAttention inferred(options_without_sizes());
  auto empty = shape;
  empty.batch = 0;
  forward(inferred, random_inputs(empty));
  CHECK(inferred.query_size() == 5);
  CHECK(inferred.key_size() == 4);
  CHECK(inferred.value_size() == 3);
  check_same(inferred.state_dict(), expected);

  auto half = options_without_sizes();
  half.key_size = 4;
  MultiHeadAttention half_inferred(half);
  forward(half_inferred, random_inputs(shape));
  check_same(half_inferred.state_dict(), expected);

  auto other_seed = options_with_sizes();
  other_seed.seed = 8;
  CHECK(max_difference(MultiHeadAttention(other_seed).state_dict().at("W_o.weight"),
                       expected.at("W_o.weight")) > 0);
}

/// FNV-1a of the bits of all numbers.
std::uint32_t hash_of(const StateDict& dict) {
  std::uint32_t hash = 0x811C9DC5;
  for (const auto& [name, tensor] : dict) {
    for (const float number : tensor) {
      hash = (hash ^ std::bit_cast<std::uint32_t>(number)) * 0x01000193;
    }
  }
  return hash;
}

TEST_CASE("A seed gives the parameters that it gave in earlier versions") {
  auto options = options_with_sizes();
  CHECK(hash_of(MultiHeadAttention(options).state_dict()) == 0xfef9df14);
  options.num_kv_heads = 1;
  options.pooling = Pooling::additive;
  options.bias_kv = true;
  options.output_size = 7;
  CHECK(hash_of(MultiHeadAttention(options).state_dict()) == 0x3efe4d44);
  options = {.num_hiddens = 8, .num_heads = 2, .projection = Projection::convolution};
  options.query_size = options.key_size = options.value_size = 4;
  options.seed = (std::uint64_t{1} << 53U) - 1;
  CHECK(hash_of(MultiHeadAttention(options).state_dict()) == 0x6adfa925);
}

TEST_CASE("A bias takes no numbers away from the weights") {
  auto options = options_with_sizes();
  const StateDict with = MultiHeadAttention(options).state_dict();
  options.bias = false;
  const StateDict without = MultiHeadAttention(options).state_dict();
  CHECK(with.size() == 8);
  CHECK(without.size() == 4);
  for (const auto& [name, tensor] : without) {
    CHECK(max_difference(tensor, with.at(name)) == 0);
  }
}

TEST_CASE("Parameters are drawn from U(−1/√in, 1/√in), each from its own numbers") {
  const MultiHeadAttention layer({.num_hiddens = 128,
                                  .num_heads = 2,
                                  .bias = true,
                                  .query_size = 64,
                                  .key_size = 64,
                                  .value_size = 16,
                                  .seed = 1});
  const StateDict parameters = layer.state_dict();
  const std::map<std::string, double> sizes = {{"W_q", 64}, {"W_k", 64}, {"W_v", 16}, {"W_o", 128}};
  for (const auto& [name, in] : sizes) {
    for (const std::string kind : {".weight", ".bias"}) {
      const auto& parameter = parameters.at(name + kind);
      CAPTURE(name, kind);
      double largest = 0;
      double squares = 0;
      for (const float number : parameter) {
        largest = std::fmax(largest, std::abs(number) * std::sqrt(in));
        squares += number * number * in / static_cast<double>(parameter.size());
      }
      CHECK(largest <= 1);
      CHECK(largest > 0.95);
      CHECK(std::abs(squares - 1.0 / 3) < (kind == ".bias" ? 0.1 : 0.03));
    }
  }
  CHECK(max_difference(parameters.at("W_q.weight"), parameters.at("W_k.weight")) > 0);
  CHECK(max_difference(parameters.at("W_q.bias"), parameters.at("W_k.bias")) > 0);
}

TEST_CASE("A state dict has d2l's names and shapes, and is a copy") {
  const MultiHeadAttention layer(options_with_sizes());
  StateDict dict = layer.state_dict();
  const std::map<std::string, std::vector<std::size_t>> expected = {
      {"W_q.weight", {8, 5}}, {"W_k.weight", {8, 4}}, {"W_v.weight", {8, 3}},
      {"W_o.weight", {8, 8}}, {"W_q.bias", {8}},      {"W_k.bias", {8}},
      {"W_v.bias", {8}},      {"W_o.bias", {8}}};
  REQUIRE(dict.size() == expected.size());
  for (const auto& [name, sizes] : expected) {
    CAPTURE(name);
    CHECK(std::vector<std::size_t>(dict.at(name).shape().begin(), dict.at(name).shape().end()) ==
          sizes);
  }
  dict.at("W_q.weight").fill(0);
  CHECK(max_difference(layer.state_dict().at("W_q.weight"), dict.at("W_q.weight")) > 0);
}

}  // namespace
}  // namespace headwise::test
