#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <headwise/core/elementary_functions.hpp>
#include <limits>

// Against the standard library's.
namespace headwise::test {
namespace {

/// The largest of `error(i)` for i from 0 to `last`.
template <typename Function>
double largest(int last, const Function& error) {
  double result = 0;
  for (int i = 0; i <= last; ++i) {
    result = std::fmax(result, error(i));
  }
  return result;
}

TEST_CASE("natural_logarithm is accurate to a few roundings") {
  const auto relative = [](double x) { return std::abs(natural_logarithm(x) / std::log(x) - 1); };
  CHECK(largest(2000, [&](int i) { return relative(std::exp((i - 1000) * 0.69)); }) <= 1e-15);
  CHECK(largest(1500, [](int i) {
          const double x = 0.5 + i / 1000.0;
          return std::abs(natural_logarithm(x) - std::log(x));
        }) <= 1e-15);
  CHECK(largest(30, [&](int i) { return relative(1 - 0.1 * std::exp(-i)); }) <= 1e-15);
  CHECK(natural_logarithm(1) == 0);
  CHECK(std::isnan(natural_logarithm(std::numeric_limits<double>::quiet_NaN())));
  CHECK(std::isinf(natural_logarithm(std::numeric_limits<double>::infinity())));
}

TEST_CASE("exp_neg is accurate to a few roundings") {
  CHECK(largest(640, [](int i) { return std::abs(exp_neg(i / 64.0) / std::exp(-i / 64.0) - 1); }) <=
        2e-14);
  CHECK(exp_neg(0) == 1);
}

TEST_CASE("sin_cos is accurate, and so is the sum of two angles") {
  const auto error = [](const SinCos& angle, double x) {
    return std::fmax(std::abs(angle.sine - std::sin(x)), std::abs(angle.cosine - std::cos(x)));
  };
  CHECK(largest(64, [&](int i) {
          const double x = i / 64.0;
          return std::fmax(error(sin_cos(x), x), error(sin_cos(x) + sin_cos(1), x + 1));
        }) <= 5e-16);
}

}  // namespace
}  // namespace headwise::test
