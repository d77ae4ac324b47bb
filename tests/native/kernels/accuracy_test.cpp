#include <algorithm>
#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <headwise/core/attention/rotary.hpp>
#include <headwise/core/elementary_functions.hpp>
#include <headwise/core/kernels/dispatch.hpp>
#include <limits>

#include "activation_references.hpp"
#include "compare.hpp"

/// Functions of one number over their whole range, rotations among them, against float64.
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

LargestErrors largest_errors(const ActivationKernel& activation) {
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
  for (const ActivationKernel& activation : activations()) {
    CAPTURE(activation.name);
    const LargestErrors largest = largest_errors(activation);
    const bool is_exact = activation.name == "relu";
    CHECK(largest.value_in_ulps <= (is_exact ? 0 : 4));
    CHECK(largest.derivative <= (is_exact ? 0 : 1.2e-7));
    CHECK(largest.tail_derivative_in_ulps <= 7);
    CHECK((is_exact || largest.value_in_ulps > 0.5));
  }
}

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

TEST_CASE("A rotation is that of its position, whichever others are computed with it") {
  const RotarySettings rotary{.base = 10000, .size = 16, .interleaved = false};
  constexpr std::size_t count = 300;
  Floats table(count * rotary.size);
  rotations_into(nullptr, 0, count, rotary, table.data());
  for (const std::int32_t position : {0, 1, 63, 64, 65, 127, 200, 299}) {
    Floats alone(rotary.size);
    rotations_into(&position, 0, 1, rotary, alone.data());
    const float* row = table.data() + static_cast<std::size_t>(position) * rotary.size;
    CHECK(std::equal(alone.begin(), alone.end(), row));
    rotations_into(nullptr, position, 1, rotary, alone.data());
    CHECK(std::equal(alone.begin(), alone.end(), row));
  }
}

TEST_CASE("Rotations are accurate to a float up to a position of 2^31 - 1") {
  for (const double base : {1.0, 10.0, 10000.0, 1e6, 0.5}) {
    const RotarySettings rotary{.base = base, .size = 6, .interleaved = false};
    for (const std::int32_t position :
         {0, 1, 2, 17, 1000, 65535, 1048577, std::numeric_limits<std::int32_t>::max()}) {
      Floats row(rotary.size);
      rotations_into(&position, 0, 1, rotary, row.data());
      for (std::size_t i = 0; i < 3; ++i) {
        const double angle = position * std::pow(base, -2.0 * static_cast<double>(i) / 6);
        // Half a unit in the last place of a float, and what a double knows of the angle.
        const double tolerance = 6.1e-8 + 4e-15 * angle;
        CHECK(std::abs(row[i] - std::cos(angle)) < tolerance);
        CHECK(std::abs(row[i + 3] - std::sin(angle)) < tolerance);
      }
    }
  }
}

TEST_CASE("Rotations of extreme bases are finite") {
  for (const double base : {5e-324, 1e-300, 1e300, std::numeric_limits<double>::max()}) {
    const RotarySettings rotary{.base = base, .size = 64, .interleaved = false};
    Floats table(100 * rotary.size);
    rotations_into(nullptr, 0, 100, rotary, table.data());
    CHECK(std::ranges::all_of(table, [](float number) { return std::abs(number) <= 1.0F; }));
  }
}

}  // namespace
}  // namespace headwise::test
