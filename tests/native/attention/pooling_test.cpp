#include <array>
#include <catch2/catch_test_macros.hpp>

#include "compare.hpp"

namespace headwise::test {
namespace {

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
    CHECK(transpose_output(split, heads) == X);
    // The same numbers with an axis of heads.
    CHECK(split_heads(X, heads).storage() == split.storage());
  }
}

}  // namespace
}  // namespace headwise::test
