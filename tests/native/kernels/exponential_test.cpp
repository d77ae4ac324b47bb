#include <algorithm>
#include <array>
#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <headwise/core/kernels/dispatch.hpp>
#include <limits>

#include "floats.hpp"

namespace headwise::test {
namespace {

/// As many as the widest vectors have.
constexpr std::size_t lanes = 16;

std::array<float, lanes> exponential(std::array<float, lanes> values) {
  kernels::exponential(values.data(), lanes);
  return values;
}

float exponential(float x) {
  std::array<float, lanes> xs{};
  xs.fill(x);
  return exponential(xs).back();
}

/// The distance to the exact result in units of the last place that floats have there.
double error_in_ulps(float result, float x) {
  const double exact = std::exp(static_cast<double>(x));
  int exponent = 0;
  std::frexp(exact, &exponent);
  const double unit = std::ldexp(1.0, std::max(exponent - 24, -149));
  return std::abs(result - exact) / unit;
}

constexpr float infinity = std::numeric_limits<float>::infinity();

TEST_CASE("exponential is within 2 units in the last place over its whole range") {
  double largest = 0;
  float worst = 0;
  // Every 97th float from -110 to 89, of either sign, and thereby subnormal arguments and results.
  for (std::uint64_t bits = 0; bits <= 0xFFFFFFFFU; bits += 97 * lanes) {
    std::array<float, lanes> xs{};
    for (std::size_t i = 0; i < lanes; ++i) {
      xs[i] = std::bit_cast<float>(static_cast<std::uint32_t>(bits + 97 * i));
    }
    const auto results = exponential(xs);
    for (std::size_t i = 0; i < lanes; ++i) {
      if (xs[i] >= -110 && xs[i] <= 88.72F) {
        const double error = error_in_ulps(results[i], xs[i]);
        worst = error > largest ? xs[i] : worst;
        largest = std::max(largest, error);
      }
    }
  }
  CAPTURE(worst);
  CHECK(largest <= 2);
  CHECK(largest > 0.5);
}

TEST_CASE("exp_minus_max is within 2 units in the last place") {
  double largest = 0;
  for (std::uint32_t bits = 0; bits <= std::bit_cast<std::uint32_t>(87.3F); bits += 97 * lanes) {
    // The largest score is 0, and what is left is exp itself.
    Floats scores(lanes + 1, 0.0F);
    for (std::size_t i = 0; i < lanes; ++i) {
      scores[i] = -std::bit_cast<float>(bits + static_cast<std::uint32_t>(97 * i));
    }
    Floats numerators = scores;
    kernels::exp_minus_max(numerators.data(), numerators.size());
    for (std::size_t i = 0; i < lanes; ++i) {
      if (scores[i] >= -87.3F) {
        largest = std::max(largest, error_in_ulps(numerators[i], scores[i]));
      }
    }
  }
  CHECK(largest <= 2);
  CHECK(largest > 0.5);
  Floats beyond = {0.0F, -88.1F, -1e30F, -infinity};
  kernels::exp_minus_max(beyond.data(), beyond.size());
  CHECK(beyond == Floats{1, 0, 0, 0});
}

TEST_CASE("exponential at and beyond the ends of its range") {
  CHECK(exponential(0.0F) == 1);
  CHECK(exponential(-0.0F) == 1);
  CHECK(exponential(std::numeric_limits<float>::denorm_min()) == 1);
  CHECK(exponential(-infinity) == 0);
  CHECK(exponential(std::numeric_limits<float>::lowest()) == 0);
  CHECK(exponential(-104.5F) == 0);
  CHECK(exponential(-103.0F) > 0);
  CHECK(exponential(88.8F) == infinity);
  CHECK(exponential(std::numeric_limits<float>::max()) == infinity);
  CHECK(exponential(infinity) == infinity);
  CHECK(std::isnan(exponential(std::numeric_limits<float>::quiet_NaN())));
}

TEST_CASE("exponential of a few numbers touches no others") {
  for (std::size_t count = 0; count <= 33; ++count) {
    Floats values(count + 1, guard);
    std::fill_n(values.begin(), count, 1.0F);
    kernels::exponential(values.data(), count);
    CHECK(values.back() == guard);
    CHECK(std::count(values.begin(), values.end(), exponential(1.0F)) ==
          static_cast<std::ptrdiff_t>(count));
  }
}

TEST_CASE("A NaN stays in its lane") {
  for (std::size_t i = 0; i < lanes; ++i) {
    std::array<float, lanes> xs{};
    xs[i] = std::numeric_limits<float>::quiet_NaN();
    const auto results = exponential(xs);
    for (std::size_t k = 0; k < lanes; ++k) {
      CHECK((k == i ? std::isnan(results[k]) : results[k] == 1));
    }
  }
}

}  // namespace
}  // namespace headwise::test
