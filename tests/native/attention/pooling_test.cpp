#include <catch2/catch_test_macros.hpp>
#include <cmath>

#include "compare.hpp"
#include "reference.hpp"

namespace headwise::test {
namespace {

Doubles doubles(const auto& tensor) { return {tensor.begin(), tensor.end()}; }

/// All masks that a test of (batch, queries, keys) tries: none, by sample, by query, and with rows
/// that are empty and full.
std::vector<Mask> masks(std::size_t batch, std::size_t num_queries, std::size_t num_keys) {
  auto by_sample = LensBySample::from_shape({batch});
  auto by_query = LensByQuery::from_shape({batch, num_queries});
  for (std::size_t sample = 0; sample < batch; ++sample) {
    by_sample(sample) = static_cast<std::int64_t>(num_keys - sample % (num_keys + 1));
    for (std::size_t query = 0; query < num_queries; ++query) {
      by_query(sample, query) =
          static_cast<std::int64_t>((3 * sample + 5 * query) % (num_keys + 1));
    }
  }
  std::vector<Mask> result;
  for (const EmptyRows empty_rows : {EmptyRows::zero, EmptyRows::uniform}) {
    result.push_back({.valid_lens = {}, .empty_rows = empty_rows});
    result.push_back({.valid_lens = by_sample, .empty_rows = empty_rows});
    result.push_back({.valid_lens = by_query, .empty_rows = empty_rows});
    by_sample.fill(0);
    result.push_back({.valid_lens = by_sample, .empty_rows = empty_rows});
  }
  return result;
}

TEST_CASE("masked_softmax agrees with float64 for every mask") {
  for (const std::size_t num_keys : {1, 2, 5, 7, 16, 33, 129}) {
    const std::size_t batch = 3;
    const std::size_t num_queries = 4;
    const Tensor<3> scores = randn<3>({batch, num_queries, num_keys}, num_keys);
    for (const Mask& mask : masks(batch, num_queries, num_keys)) {
      Doubles expected;
      for (std::size_t row = 0; row < batch * num_queries; ++row) {
        const float* first = scores.data() + row * num_keys;
        const Doubles weights = masked_softmax_row(
            Doubles(first, first + num_keys),
            valid_len(mask.valid_lens, row / num_queries, row % num_queries, num_keys),
            mask.empty_rows);
        expected.insert(expected.end(), weights.begin(), weights.end());
      }
      CAPTURE(num_keys, mask.valid_lens.index());
      const Tensor<3> weights =
          masked_softmax(scores, mask.valid_lens, {.empty_rows = mask.empty_rows});
      CHECK(weights.shape() == scores.shape());
      CHECK(max_difference(weights, expected) <= 1e-6);
    }
  }
}

TEST_CASE("masked_softmax gives d2l's example its form: zeros after the valid length") {
  const Tensor<3> scores = randn<3>({2, 2, 4}, 1);
  const Tensor<3> weights = masked_softmax(scores, LensBySample{2, 3});
  for (std::size_t query = 0; query < 2; ++query) {
    CHECK(weights(0, query, 2) == 0);
    CHECK(weights(0, query, 3) == 0);
    CHECK(weights(1, query, 3) == 0);
    CHECK(std::abs(weights(0, query, 0) + weights(0, query, 1) - 1) < 1e-6);
  }
}

TEST_CASE("masked_softmax never reads masked scores and leaves its argument alone") {
  const LensByQuery lens{{1, 3}, {0, 2}};
  const Tensor<3> scores = randn<3>({2, 2, 3}, 1);
  const Tensor<3> expected = masked_softmax(scores, lens);
  for (const float bad : {nan, infinity, -infinity}) {
    Tensor<3> spoilt = scores;
    for (std::size_t sample = 0; sample < 2; ++sample) {
      for (std::size_t query = 0; query < 2; ++query) {
        for (auto key = static_cast<std::size_t>(lens(sample, query)); key < 3; ++key) {
          spoilt(sample, query, key) = bad;
        }
      }
    }
    const Tensor<3> before = spoilt;
    CHECK(max_difference(masked_softmax(spoilt, lens), expected) == 0);
    CHECK(max_difference(spoilt, before) == 0);
    const Tensor<3> uniform = masked_softmax(spoilt, lens, {.empty_rows = EmptyRows::uniform});
    CHECK(uniform(1, 0, 2) == 1.0F / 3.0F);
  }
}

TEST_CASE("masked_softmax of nothing is nothing") {
  for (const EmptyRows empty_rows : {EmptyRows::zero, EmptyRows::uniform}) {
    for (const std::array<std::size_t, 3>& shape :
         {std::array<std::size_t, 3>{0, 2, 3}, {2, 0, 3}, {2, 3, 0}}) {
      const Tensor<3> weights = masked_softmax(randn<3>(shape, 1), {}, {.empty_rows = empty_rows});
      CHECK(weights.shape() == shape);
    }
  }
}

TEST_CASE("scaled_dot_product_attention agrees with float64") {
  // Queries come in blocks of 16 and in tiles of 4, keys and values in panels: sizes around those.
  const std::vector<PoolingSizes> all_sizes = {
      {.batch = 1, .heads = 1, .queries = 1, .keys = 1, .head_size = 1, .value_size = 1},
      {.batch = 2, .heads = 3, .queries = 5, .keys = 7, .head_size = 3, .value_size = 5},
      {.batch = 3, .heads = 2, .queries = 16, .keys = 8, .head_size = 8, .value_size = 16},
      {.batch = 1, .heads = 2, .queries = 33, .keys = 129, .head_size = 17, .value_size = 33},
      {.batch = 2, .heads = 1, .queries = 1, .keys = 33, .head_size = 64, .value_size = 1}};
  for (const PoolingSizes& sizes : all_sizes) {
    const auto [batch, heads, num_queries, num_keys, head_size, value_size] = sizes;
    const auto q = randn<4>({batch, heads, num_queries, head_size}, 1);
    const auto k = randn<4>({batch, heads, num_keys, head_size}, 2);
    const auto v = randn<4>({batch, heads, num_keys, value_size}, 3);
    for (const Mask& mask : masks(batch, num_queries, num_keys)) {
      const Pooled expected = pool(sizes, doubles(q), doubles(k), doubles(v), mask);
      const DotProductAttentionOptions options{
          .valid_lens = mask.valid_lens, .empty_rows = mask.empty_rows, .return_weights = true};
      const auto result = scaled_dot_product_attention(q, k, v, options);
      CAPTURE(num_queries, num_keys, mask.valid_lens.index());
      CHECK(result.output.shape() ==
            std::array<std::size_t, 4>{batch, heads, num_queries, value_size});
      CHECK(result.attention_weights->shape() ==
            std::array<std::size_t, 4>{batch, heads, num_queries, num_keys});
      CHECK(max_difference(result.output, expected.output) <= 4e-6);
      CHECK(max_difference(*result.attention_weights, expected.weights) <= 2e-6);

      auto without = options;
      without.return_weights = false;
      const auto plain = scaled_dot_product_attention(q, k, v, without);
      CHECK_FALSE(plain.attention_weights.has_value());
      CHECK(max_difference(plain.output, result.output) <= 1e-6);
    }
  }
}

TEST_CASE("dot_product_attention is scaled_dot_product_attention of one head") {
  const auto q = randn<3>({2, 5, 6}, 1);
  const auto k = randn<3>({2, 7, 6}, 2);
  const auto v = randn<3>({2, 7, 4}, 3);
  const auto with_head = [](const Tensor<3>& x) {
    auto result = Tensor<4>::from_shape({x.shape(0), 1, x.shape(1), x.shape(2)});
    std::copy(x.begin(), x.end(), result.begin());
    return result;
  };
  for (const Mask& mask : masks(2, 5, 7)) {
    const DotProductAttentionOptions options{
        .valid_lens = mask.valid_lens, .empty_rows = mask.empty_rows, .return_weights = true};
    const auto one = dot_product_attention(q, k, v, options);
    const auto heads =
        scaled_dot_product_attention(with_head(q), with_head(k), with_head(v), options);
    CHECK(one.output.shape() == std::array<std::size_t, 3>{2, 5, 4});
    CHECK(one.attention_weights->shape() == std::array<std::size_t, 3>{2, 5, 7});
    CHECK(max_difference(one.output, heads.output) == 0);
    CHECK(max_difference(*one.attention_weights, *heads.attention_weights) == 0);
  }
}

TEST_CASE("dot_product_attention gives the chapter's example: equal keys, the mean of the values") {
  // d2l, Attention Scoring Functions: keys of ones, values 0…39 in rows of four, lengths 2 and 6.
  const auto q = randn<3>({2, 1, 2}, 1);
  const Tensor<3> k = full<3>({2, 10, 2}, 1);
  auto v = Tensor<3>::from_shape({2, 10, 4});
  for (std::size_t i = 0; i < 40; ++i) {
    v.data()[i] = v.data()[40 + i] = static_cast<float>(i);
  }
  const auto result = dot_product_attention(q, k, v, {.valid_lens = LensBySample{2, 6}});
  CHECK(max_difference(result.output, Doubles{2, 3, 4, 5, 10, 11, 12, 13}) <= 1e-5);
}

TEST_CASE("Pooling over no queries, no keys or no samples gives empty or zero results") {
  for (const EmptyRows empty_rows : {EmptyRows::zero, EmptyRows::uniform}) {
    const auto pool_sizes = [&](std::size_t batch, std::size_t num_queries, std::size_t num_keys,
                                std::size_t value_size) {
      return scaled_dot_product_attention(randn<4>({batch, 2, num_queries, 3}, 1),
                                          randn<4>({batch, 2, num_keys, 3}, 2),
                                          randn<4>({batch, 2, num_keys, value_size}, 3),
                                          {.empty_rows = empty_rows, .return_weights = true});
    };
    CHECK(pool_sizes(0, 2, 3, 5).output.size() == 0);
    CHECK(pool_sizes(2, 0, 3, 5).output.size() == 0);
    CHECK(pool_sizes(2, 2, 3, 0).output.size() == 0);
    const auto without_keys = pool_sizes(2, 2, 0, 5);
    CHECK(without_keys.output.size() == 40);
    CHECK(all_equal(without_keys.output, 0));
    CHECK(without_keys.attention_weights->size() == 0);
  }
}

TEST_CASE("transpose_qkv and transpose_output follow the chapter and invert each other") {
  for (const std::size_t num_heads : {1, 2, 3, 5}) {
    const std::size_t head_size = 4;
    const Tensor<3> X = randn<3>({2, 3, num_heads * head_size}, num_heads);
    const auto heads = static_cast<std::int64_t>(num_heads);
    const Tensor<3> split = transpose_qkv(X, heads);
    CHECK(split.shape() == std::array<std::size_t, 3>{2 * num_heads, 3, head_size});
    bool in_place = true;
    for (std::size_t b = 0; b < 2; ++b) {
      for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < num_heads * head_size; ++j) {
          in_place &= split(b * num_heads + j / head_size, i, j % head_size) == X(b, i, j);
        }
      }
    }
    CHECK(in_place);
    const Tensor<3> back = transpose_output(split, heads);
    CHECK(back.shape() == X.shape());
    CHECK(max_difference(back, X) == 0);
    CHECK(max_difference(transpose_qkv(back, heads), split) == 0);
  }
  CHECK(transpose_qkv(randn<3>({2, 0, 4}, 1), 2).shape() == std::array<std::size_t, 3>{4, 0, 2});
}

}  // namespace
}  // namespace headwise::test
