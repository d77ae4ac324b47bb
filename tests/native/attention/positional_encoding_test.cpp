#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cmath>

#include "compare.hpp"

namespace headwise::test {
namespace {

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
