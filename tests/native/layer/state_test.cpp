#include <bit>
#include <catch2/catch_test_macros.hpp>

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

TEST_CASE("A seed left out is drawn, told, and gives the layer again") {
  MultiHeadAttentionOptions options = options_with_sizes();
  options.seed = std::nullopt;
  const MultiHeadAttention layer(options);
  const MultiHeadAttention other(options);
  CHECK(layer.seed() != other.seed());
  options.seed = layer.seed();
  CHECK(MultiHeadAttention(options).state_dict() == layer.state_dict());
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
  CHECK(inferred.state_dict() == expected);

  auto half = options_without_sizes();
  half.key_size = 4;
  MultiHeadAttention half_inferred(half);
  forward(half_inferred, random_inputs(shape));
  CHECK(half_inferred.state_dict() == expected);
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

}  // namespace
}  // namespace headwise::test
