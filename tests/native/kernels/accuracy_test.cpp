#include <algorithm>
#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <functional>
#include <headwise/core/kernels/dispatch.hpp>
#include <limits>

#include "activation_references.hpp"
#include "floats.hpp"

/// Functions of one number over their whole range, against float64.
namespace headwise::test {
namespace {

/// The distance to the exact result in units of the last place that floats have there.
double error_in_ulps(float result, double exact) {
  int exponent = 0;
  std::frexp(exact, &exponent);
  return std::abs(result - exact) / std::ldexp(1.0, std::max(exponent - 24, -149));
}

/// Every `step`th float from `first` to `last` and their negatives, subnormal ones included, and
/// evenly spaced ones.
Floats floats_within(float first, float last, std::uint32_t step) {
  Floats xs;
  for (std::uint32_t bits = 0; bits < 0x7F800000U; bits += step) {
    for (const float x : {std::bit_cast<float>(bits), -std::bit_cast<float>(bits)}) {
      if (x >= first && x <= last) {
        xs.push_back(x);
      }
    }
  }
  for (int i = 0; i <= 20'000; ++i) {
    xs.push_back(first + (last - first) * static_cast<float>(i) / 20'000);
  }
  return xs;
}

TEST_CASE("exponential and exp_minus_max are within 2 units in the last place") {
  const auto check = [](const Floats& xs, Floats results) {
    double largest = 0;
    for (std::size_t i = 0; i < xs.size(); ++i) {
      largest = std::max(largest, error_in_ulps(results[i], std::exp(static_cast<double>(xs[i]))));
    }
    CHECK(largest <= 2);
    CHECK(largest > 0.5);
  };
  const Floats xs = floats_within(-110, 88.72F, 997);
  Floats results = xs;
  kernels::exponential(results.data(), results.size());
  check(xs, results);
  // The largest score is 0, and what is left is exp itself.
  const Floats scores = floats_within(-87.3F, 0, 997);
  Floats numerators = scores;
  kernels::exp_minus_max(numerators.data(), numerators.size());
  check(scores, numerators);
  Floats beyond = {0.0F, -88.1F, -1e30F, -infinity};
  kernels::exp_minus_max(beyond.data(), beyond.size());
  CHECK(beyond == Floats{1, 0, 0, 0});
}

TEST_CASE("exponential at and beyond the ends of its range") {
  using Limits = std::numeric_limits<float>;
  Floats xs = {0.0F,    -0.0F, Limits::denorm_min(), -infinity, Limits::lowest(),
               -104.5F, 88.8F, Limits::max(),        infinity,  nan,
               -103.0F};
  kernels::exponential(xs.data(), xs.size());
  const Floats expected = {1, 1, 1, 0, 0, 0, infinity, infinity, infinity};
  CHECK(std::equal(expected.begin(), expected.end(), xs.begin()));
  CHECK(std::isnan(xs[9]));
  CHECK(xs[10] > 0);
}

struct LargestErrors {
  double value_in_ulps = 0, derivative = 0, tail_derivative_in_ulps = 0;
};

LargestErrors largest_errors(const Activation& activation) {
  const Floats xs = floats_within(-120, 120, 99'991);
  const Floats ones(xs.size(), 1.0F);
  Floats values(xs.size());
  Floats derivatives(xs.size());
  activation.forward(xs.data(), nullptr, xs.size(), values.data());
  activation.backward(xs.data(), nullptr, ones.data(), xs.size(), derivatives.data(), nullptr);
  LargestErrors largest;
  for (std::size_t i = 0; i < xs.size(); ++i) {
    const Point exact = activation.reference(xs[i]);
    largest.value_in_ulps = std::max(largest.value_in_ulps, error_in_ulps(values[i], exact.value));
    largest.derivative = std::max(largest.derivative, std::abs(derivatives[i] - exact.derivative));
    if (xs[i] <= -2) {
      largest.tail_derivative_in_ulps = std::max(largest.tail_derivative_in_ulps,
                                                 error_in_ulps(derivatives[i], exact.derivative));
    }
  }
  return largest;
}

TEST_CASE("gelu, gelu_tanh and silu are within 4 units in the last place, relu is exact") {
  for (const Activation& activation : activations()) {
    CAPTURE(activation.name);
    const LargestErrors largest = largest_errors(activation);
    const bool is_exact = activation.name == "relu";
    CHECK(largest.value_in_ulps <= (is_exact ? 0 : 4));
    CHECK(largest.derivative <= (is_exact ? 0 : 1.2e-7));
    CHECK(largest.tail_derivative_in_ulps <= 7);
    CHECK((is_exact || largest.value_in_ulps > 0.5));
  }
}

TEST_CASE("Activations at and beyond the ends of their range") {
  for (const Activation& activation : activations()) {
    CAPTURE(activation.name);
    const Floats xs = {nan, infinity, -infinity, 0.0F, -0.0F, 3e38F, -3e38F, 1e-45F, -1e-45F};
    const Floats ones(xs.size(), 1.0F);
    Floats values(xs.size());
    Floats derivatives(xs.size());
    activation.forward(xs.data(), nullptr, xs.size(), values.data());
    activation.backward(xs.data(), nullptr, ones.data(), xs.size(), derivatives.data(), nullptr);
    CHECK(std::isnan(values[0]));
    CHECK(std::isnan(derivatives[0]));
    const Floats expected = {infinity, 0, 0, 0, 3e38F, 0};
    CHECK(std::equal(expected.begin(), expected.end(), values.begin() + 1));
    const float at_zero = activation.name == "relu" ? 0.0F : 0.5F;
    const Floats slopes = {1, 0, at_zero, at_zero, 1, 0};
    CHECK(std::equal(slopes.begin(), slopes.end(), derivatives.begin() + 1));
    CHECK(std::abs(values[7]) <= 1e-45F);
    CHECK(std::abs(values[8]) <= 1e-45F);
  }
}

}  // namespace
}  // namespace headwise::test
