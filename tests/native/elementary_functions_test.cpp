#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <headwise/elementary_functions.hpp>
#include <limits>

// Against the standard library's.
namespace headwise::test {
namespace {

TEST_CASE("natural_logarithm is right to a few roundings") {
  double largest = 0;
  for (double x = 1e-300; x < 1e300; x *= 1.37) {
    largest = std::fmax(largest, std::abs(natural_logarithm(x) / std::log(x) - 1));
  }
  for (double x = 0.5; x < 2; x += 1.0 / 1027) {
    largest = std::fmax(largest, std::abs(natural_logarithm(x) - std::log(x)));
  }
  for (double distance = 0.1; distance > 1e-15; distance /= 3) {
    largest =
        std::fmax(largest, std::abs(natural_logarithm(1 - distance) / std::log(1 - distance) - 1));
  }
  CHECK(largest <= 1e-15);
  CHECK(natural_logarithm(1) == 0);
  CHECK(std::isnan(natural_logarithm(std::numeric_limits<double>::quiet_NaN())));
  CHECK(std::isinf(natural_logarithm(std::numeric_limits<double>::infinity())));
}

TEST_CASE("decay is right to a few roundings") {
  double largest = 0;
  for (double x = 0; x <= 10; x += 1.0 / 64) {
    largest = std::fmax(largest, std::abs(decay(x) / std::exp(-x) - 1));
  }
  CHECK(largest <= 2e-14);
  CHECK(decay(0) == 1);
}

TEST_CASE("Angles have their sine and cosine, and so have their sums") {
  double largest = 0;
  for (double x = 0; x <= 1; x += 1.0 / 64) {
    const Angle angle = angle_of(x);
    const Angle sum = angle + angle_of(1);
    largest = std::fmax(largest, std::abs(angle.sine - std::sin(x)));
    largest = std::fmax(largest, std::abs(angle.cosine - std::cos(x)));
    largest = std::fmax(largest, std::abs(sum.sine - std::sin(x + 1)));
    largest = std::fmax(largest, std::abs(sum.cosine - std::cos(x + 1)));
  }
  CHECK(largest <= 5e-16);
}

}  // namespace
}  // namespace headwise::test
