#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <headwise/core/kernels/philox.hpp>
#include <headwise/random.hpp>
#include <vector>

#include "compare.hpp"

namespace headwise::test {
namespace {

/// The mean of (x / unit)^power.
double moment(const Floats& numbers, int power, double unit = 1) {
  double sum = 0;
  for (const float number : numbers) {
    sum += std::pow(number / unit, power);
  }
  return sum / static_cast<double>(numbers.size());
}

Floats uniform(std::size_t count, float bound, std::uint64_t seed, std::uint32_t stream) {
  Floats numbers(count);
  fill_uniform(numbers.data(), count, bound, seed, stream);
  return numbers;
}

TEST_CASE("Philox gives the known answers of Random123") {
  using kernels::philox;
  using Words = kernels::PhiloxCounter;
  CHECK(philox({0, 0, 0, 0}, {0, 0}) == Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  CHECK(philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}) ==
        Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
        Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("fill_normal is standard normal") {
  const Floats numbers = random_floats(200000, 1);
  CHECK(all_finite(numbers));
  CHECK(std::abs(moment(numbers, 1)) < 0.01);
  CHECK(std::abs(moment(numbers, 2) - 1) < 0.015);
  CHECK(std::abs(moment(numbers, 3)) < 0.03);
  CHECK(std::abs(moment(numbers, 4) - 3) < 0.1);
}

TEST_CASE("Seeds and streams give numbers of their own, and the same each time") {
  CHECK(uniform(9, 1, 5, 2) == uniform(9, 1, 5, 2));
  CHECK(uniform(9, 1, 5, 2) != uniform(9, 1, 5, 3));
  CHECK(uniform(9, 1, 5, 2) != uniform(9, 1, 6, 2));
  CHECK(random_floats(9, 5) == random_floats(9, 5));
  CHECK(random_floats(9, 5) != random_floats(9, 6));
  CHECK(random_floats(9, 5) != random_floats(9, 5 + (std::uint64_t{1} << 32)));
  for (std::size_t count = 0; count < 9; ++count) {
    Floats longer = random_floats(9, 5);
    longer.resize(count);
    CHECK(longer == random_floats(count, 5));
  }
}

}  // namespace
}  // namespace headwise::test
