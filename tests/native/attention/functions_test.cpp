#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cmath>

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

TEST_CASE("positional_encoding gives d2l's sinusoids") {
  const Tensor<2> first = positional_encoding(1, 4);
  CHECK(first == Tensor<2>{{0, 1, 0, 1}});
  for (const std::size_t size : {1, 6, 7}) {
    const Tensor<2> P = positional_encoding(61, static_cast<std::int64_t>(size));
    REQUIRE(P.shape() == std::array<std::size_t, 2>{61, size});
    double largest = 0;
    for (std::size_t i = 0; i < 61; ++i) {
      for (std::size_t column = 0; column < size; ++column) {
        const double exponent =
            2 * std::floor(static_cast<double>(column) / 2) / static_cast<double>(size);
        const double angle = static_cast<double>(i) / std::pow(10000, exponent);
        const double expected = column % 2 == 0 ? std::sin(angle) : std::cos(angle);
        largest = std::max(largest, std::abs(P(i, column) - expected));
      }
    }
    CHECK(largest <= 6e-8);
  }
  // Far on, turning has made most roundings.
  const Tensor<2> far = positional_encoding(100000, 2);
  CHECK(std::abs(far(99999, 0) - std::sin(99999.0)) <= 6e-8);
  CHECK(std::abs(far(99999, 1) - std::cos(99999.0)) <= 6e-8);
  CHECK(positional_encoding(0, 4).shape() == std::array<std::size_t, 2>{0, 4});
}

}  // namespace
}  // namespace headwise::test
