#include <algorithm>
#include <array>
#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <headwise/core/kernels/dispatch.hpp>
#include <initializer_list>
#include <limits>
#include <numbers>
#include <string>

#include "floats.hpp"

namespace headwise::test {
namespace {

constexpr std::initializer_list<std::size_t> awkward_counts = {0, 1, 3, 5, 7, 8, 16, 33, 129};
constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

struct Point {
  double value, derivative;
};

/// x · σ(v), given v′.
Point times_logistic_reference(double x, double v, double slope) {
  const double logistic = 1 / (1 + std::exp(-v));
  const double opposite = 1 / (1 + std::exp(v));
  return {.value = x * logistic, .derivative = logistic * (1 + x * slope * opposite)};
}

Point relu_reference(double x) { return {.value = x > 0 ? x : 0, .derivative = x > 0 ? 1.0 : 0.0}; }

Point gelu_reference(double x) {
  const double distribution = std::erfc(-x / std::numbers::sqrt2) / 2;
  const double density = std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi);
  return {.value = x * distribution, .derivative = distribution + x * density};
}

Point gelu_tanh_reference(double x) {
  const double scale = 2 * std::sqrt(2 / std::numbers::pi);
  return times_logistic_reference(x, scale * (x + 0.044715 * x * x * x),
                                  scale * (1 + 3 * 0.044715 * x * x));
}

Point silu_reference(double x) { return times_logistic_reference(x, x, 1); }

/// A kernel and its gradient by their dispatching functions, and what they are measured against.
struct Activation {
  std::string name;
  void (*forward)(const float* x, const float* up, std::size_t count, float* y);
  void (*backward)(const float* x, const float* up, const float* grad, std::size_t count,
                   float* grad_x, float* grad_up);
  Point (*reference)(double x);
};

#define HEADWISE_ACTIVATION(kernel)                                                              \
  Activation {                                                                                   \
    .name = #kernel,                                                                             \
    .forward = [](const float* x, const float* up, std::size_t count,                            \
                  float* y) { kernels::kernel(x, up, count, y); },                               \
    .backward =                                                                                  \
        [](const float* x, const float* up, const float* grad, std::size_t count, float* grad_x, \
           float* grad_up) { kernels::kernel##_gradient(x, up, grad, count, grad_x, grad_up); }, \
    .reference = kernel##_reference                                                              \
  }
const std::array activations = {HEADWISE_ACTIVATION(relu), HEADWISE_ACTIVATION(gelu),
                                HEADWISE_ACTIVATION(gelu_tanh), HEADWISE_ACTIVATION(silu)};
#undef HEADWISE_ACTIVATION

/// The distance to the exact result in units of the last place that floats have there.
double error_in_ulps(float result, double exact) {
  int exponent = 0;
  std::frexp(exact, &exponent);
  return std::abs(result - exact) / std::ldexp(1.0, std::max(exponent - 24, -149));
}

/// Every 99 991st float of either sign whose size is at most `limit`, subnormal ones included, and
/// evenly spaced negative ones.
Floats floats_within(float limit) {
  Floats xs;
  for (std::uint32_t bits = 0; bits <= std::bit_cast<std::uint32_t>(limit); bits += 99'991) {
    xs.push_back(std::bit_cast<float>(bits));
    xs.push_back(-xs.back());
  }
  for (int i = 1; i <= 20'000; ++i) {
    xs.push_back(-limit * static_cast<float>(i) / 20'000);
  }
  return xs;
}

struct LargestErrors {
  double value_in_ulps = 0, derivative = 0, tail_derivative_in_ulps = 0;
};

LargestErrors largest_errors(const Activation& activation) {
  const Floats xs = floats_within(120);
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

TEST_CASE("gelu, gelu_tanh and silu are within 4 units in the last place over their whole range") {
  for (const Activation& activation : activations) {
    CAPTURE(activation.name);
    const LargestErrors largest = largest_errors(activation);
    CHECK(largest.value_in_ulps <= 4);
    CHECK(largest.derivative <= 1.2e-7);
    CHECK(largest.tail_derivative_in_ulps <= 7);
    CHECK((activation.name == "relu" || largest.value_in_ulps > 0.5));
  }
}

TEST_CASE("relu gives the bits of its reference") {
  const LargestErrors largest = largest_errors(activations.front());
  CHECK(largest.value_in_ulps == 0);
  CHECK(largest.derivative == 0);
}

TEST_CASE("relu, gelu, gelu_tanh and silu at and beyond the ends of their range") {
  for (const Activation& activation : activations) {
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

/// A problem of so many numbers; behind each array lies what must not be read or written.
struct Problem {
  explicit Problem(std::size_t count)
      : x(random_floats(count, 1)), up(random_floats(count, 2)), grad(random_floats(count, 3)) {
    if (count > 5) {
      x[1] = nan;
      x[count / 2] = infinity;
      x[count - 1] = -infinity;
    }
    for (Floats* part : {&x, &up, &grad}) {
      part->push_back(guard);
    }
  }
  Floats x, up, grad;
};

/// What the kernel and its gradient should give for an element, from their own results for it
/// alone.
struct Alone {
  Alone(const Activation& activation, float x) {
    const float one = 1;
    activation.forward(&x, nullptr, 1, &value);
    activation.backward(&x, nullptr, &one, 1, &derivative, nullptr);
  }
  float value = 0, derivative = 0;
};

bool same(float a, float b) { return a == b || (std::isnan(a) && std::isnan(b)); }

bool all_same(const Floats& a, const Floats& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same);
}

TEST_CASE("relu, gelu, gelu_tanh and silu of any count, with and without `up`, also in place") {
  for (const Activation& activation : activations) {
    for (const std::size_t count : awkward_counts) {
      for (const bool is_gated : {false, true}) {
        CAPTURE(activation.name, count, is_gated);
        const Problem given(count);
        const float* up = is_gated ? given.up.data() : nullptr;
        Floats expected(count + 1, guard);
        for (std::size_t i = 0; i < count; ++i) {
          expected[i] = Alone(activation, given.x[i]).value * (is_gated ? given.up[i] : 1);
        }
        Floats apart(count + 1, guard);
        activation.forward(given.x.data(), up, count, apart.data());
        CHECK(all_same(apart, expected));
        Floats over_x = given.x;
        activation.forward(over_x.data(), up, count, over_x.data());
        CHECK(all_same(over_x, expected));
        if (is_gated) {
          Floats over_up = given.up;
          activation.forward(given.x.data(), over_up.data(), count, over_up.data());
          CHECK(all_same(over_up, expected));
        }
      }
    }
  }
}

TEST_CASE(
    "relu_gradient, gelu_gradient, gelu_tanh_gradient and silu_gradient of any count, with and "
    "without `up`, also in place") {
  for (const Activation& activation : activations) {
    for (const std::size_t count : awkward_counts) {
      for (const bool is_gated : {false, true}) {
        CAPTURE(activation.name, count, is_gated);
        const Problem given(count);
        const float* up = is_gated ? given.up.data() : nullptr;
        Floats expected_x(count + 1, guard);
        Floats expected_up(count + 1, guard);
        for (std::size_t i = 0; i < count; ++i) {
          const Alone alone(activation, given.x[i]);
          expected_x[i] = given.grad[i] * (is_gated ? given.up[i] : 1) * alone.derivative;
          expected_up[i] = is_gated ? given.grad[i] * alone.value : guard;
        }
        Floats grad_x(count + 1, guard);
        Floats grad_up(count + 1, guard);
        activation.backward(given.x.data(), up, given.grad.data(), count, grad_x.data(),
                            is_gated ? grad_up.data() : nullptr);
        CHECK(all_same(grad_x, expected_x));
        CHECK(all_same(grad_up, expected_up));
        Floats over_grad = given.grad;
        Floats with_it(count + 1, guard);
        activation.backward(given.x.data(), up, over_grad.data(), count, over_grad.data(),
                            is_gated ? with_it.data() : nullptr);
        CHECK(all_same(over_grad, expected_x));
        CHECK(all_same(with_it, expected_up));
      }
    }
  }
}

}  // namespace
}  // namespace headwise::test
