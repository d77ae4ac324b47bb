#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <numbers>

/// Elementary functions of doubles by power series, accurate to a few rounding errors. The
/// table-driven versions of the standard library add 10 KB to a WebAssembly module, for speed that
/// is not needed here.
namespace headwise {

/// ln x for normal numbers x > 0: x = m · 2^k with m near 1, and ln m = 2 artanh((m − 1) / (m +
/// 1)). NaN and +∞ are returned unchanged.
[[nodiscard]] inline double natural_logarithm(double x) noexcept {
  if (!(x < std::numeric_limits<double>::infinity())) {
    return x;
  }
  constexpr unsigned mantissa_bits = 52;
  constexpr std::int64_t bias = 1023;
  const auto bits = std::bit_cast<std::int64_t>(x);
  std::int64_t exponent = (bits >> mantissa_bits) - bias;
  auto mantissa = std::bit_cast<double>(bits - (exponent << mantissa_bits));
  if (mantissa > std::numbers::sqrt2) {
    mantissa /= 2;
    ++exponent;
  }
  const double s = (mantissa - 1) / (mantissa + 1);
  double sum = 0;
  // s² is below 0.03.
  for (int i = 23; i > 0; i -= 2) {
    sum = sum * s * s + 1.0 / i;
  }
  return static_cast<double>(exponent) * std::numbers::ln2 + 2 * s * sum;
}

/// e^−x for 0 ≤ x ≤ 10.
[[nodiscard]] inline double exp_neg(double x) noexcept {
  constexpr int squarings = 6;
  const double part = -x / (1 << squarings);
  double sum = 1;
  // |part| is below 0.16.
  for (int i = 14; i > 0; --i) {
    sum = 1 + sum * part / i;
  }
  for (int i = 0; i < squarings; ++i) {
    sum *= sum;
  }
  return sum;
}

/// Sine and cosine of one angle.
struct SinCos {
  double sine;
  double cosine;
};

/// Sine and cosine of an angle from 0 to 1.
[[nodiscard]] inline SinCos sin_cos(double angle) noexcept {
  double sine = 1;
  double cosine = 1;
  for (int i = 20; i > 0; i -= 2) {
    cosine = 1 - cosine * angle * angle / (i * (i - 1));
    sine = 1 - sine * angle * angle / (i * (i + 1));
  }
  return {.sine = angle * sine, .cosine = cosine};
}

/// Sine and cosine of the sum of two angles.
[[nodiscard]] inline SinCos operator+(const SinCos& a, const SinCos& b) noexcept {
  return {.sine = a.sine * b.cosine + a.cosine * b.sine,
          .cosine = a.cosine * b.cosine - a.sine * b.sine};
}

}  // namespace headwise
