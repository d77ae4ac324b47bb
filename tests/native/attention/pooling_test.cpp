#include <catch2/catch_test_macros.hpp>
#include <vector>

#include "compare.hpp"

namespace headwise::test {
namespace {

TEST_CASE("dot_product_attention gives the chapter's example: equal keys, the mean of the values") {
  // d2l, Attention Scoring Functions: keys of ones, values 0…39 in rows of four, lengths 2 and 6.
  const auto q = randn<3>({2, 1, 2}, 1);
  const Tensor<3> k = full<3>({2, 10, 2}, 1);
  auto v = Tensor<3>::from_shape({2, 10, 4});
  for (std::size_t i = 0; i < 40; ++i) {
    v.data()[i] = v.data()[40 + i] = static_cast<float>(i);
  }
  const auto result = dot_product_attention(q, k, v, {.valid_lens = LensBySample{2, 6}});
  CHECK(max_difference(result.output, std::vector<double>{2, 3, 4, 5, 10, 11, 12, 13}) <= 1e-5);
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
    CHECK(back == X);
    // The same numbers with an axis of heads.
    CHECK(split_heads(X, heads).storage() == split.storage());
  }
  CHECK(transpose_qkv(randn<3>({2, 0, 4}, 1), 2).shape() == std::array<std::size_t, 3>{4, 0, 2});
}

}  // namespace
}  // namespace headwise::test
