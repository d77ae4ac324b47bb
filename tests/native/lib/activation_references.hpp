#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <headwise/core/kernels/dispatch.hpp>
#include <numbers>
#include <string>

namespace headwise::test {

struct Point {
  double value, derivative;
};

/// An activation's kernel, that of its gradient, and the function in float64.
struct ActivationKernel {
  std::string name;
  void (*forward)(const float* x, const float* up, std::size_t count, float* y);
  void (*backward)(const float* x, const float* up, const float* grad, std::size_t count,
                   float* grad_x, float* grad_up);
  Point (*reference)(double x);
};

/// x · σ(v), given v′.
inline Point times_logistic_reference(double x, double v, double slope) {
  const double logistic = 1 / (1 + std::exp(-v));
  const double opposite = 1 / (1 + std::exp(v));
  // Far out, the function is 0 or x, also where x is infinite.
  const double bend = opposite == 0 || logistic == 0 ? 0 : x * slope * opposite;
  return {.value = logistic == 0 ? 0 : x * logistic, .derivative = logistic * (1 + bend)};
}

inline Point relu_reference(double x) {
  return {.value = x <= 0 ? 0 : x, .derivative = std::isnan(x) ? x : x <= 0 ? 0 : 1};
}

inline Point gelu_reference(double x) {
  const double distribution = std::erfc(-x / std::numbers::sqrt2) / 2;
  const double density = std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi);
  return {.value = distribution == 0 ? 0 : x * distribution,
          .derivative = distribution + (density == 0 ? 0 : x * density)};
}

inline Point gelu_tanh_reference(double x) {
  const double scale = 2 * std::sqrt(2 / std::numbers::pi);
  return times_logistic_reference(x, scale * (x + 0.044715 * x * x * x),
                                  scale * (1 + 3 * 0.044715 * x * x));
}

inline Point silu_reference(double x) { return times_logistic_reference(x, x, 1); }

/// In the order of the enumeration.
inline std::array<ActivationKernel, 4> activations() {
#define HEADWISE_ACTIVATION(kernel)                                                              \
  ActivationKernel {                                                                             \
    .name = #kernel,                                                                             \
    .forward = [](const float* x, const float* up, std::size_t count,                            \
                  float* y) { kernels::kernel(x, up, count, y); },                               \
    .backward =                                                                                  \
        [](const float* x, const float* up, const float* grad, std::size_t count, float* grad_x, \
           float* grad_up) { kernels::kernel##_gradient(x, up, grad, count, grad_x, grad_up); }, \
    .reference = kernel##_reference                                                              \
  }
  return {HEADWISE_ACTIVATION(relu), HEADWISE_ACTIVATION(gelu), HEADWISE_ACTIVATION(gelu_tanh),
          HEADWISE_ACTIVATION(silu)};
#undef HEADWISE_ACTIVATION
}

}  // namespace headwise::test
