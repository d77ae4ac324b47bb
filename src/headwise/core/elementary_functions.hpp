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
/// 1)). NaN and +∞ are returned unchanged; NaN for x < 0.
[[nodiscard]] inline double natural_logarithm(double x) noexcept {
  if (!(x >= 0 && x < std::numeric_limits<double>::infinity())) {
    return x < 0 ? std::numeric_limits<double>::quiet_NaN() : x;
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

/// e^x, saturated at the smallest normal number and at +∞.
[[nodiscard]] inline double exponential_of(double x) noexcept {
  constexpr unsigned mantissa_bits = 52;
  constexpr std::int64_t bias = 1023;
  constexpr double smallest = -708;
  constexpr double largest = 709.75;
  if (!(x > smallest)) {
    return std::numeric_limits<double>::min();
  }
  if (x > largest) {
    return std::numeric_limits<double>::infinity();
  }
  // x = k · ln 2 + part. The first of the two parts of ln 2 has so few digits that its product is
  // exact.
  constexpr double first = 0x1.62e42fee00000p-1;
  constexpr double second = 0x1.a39ef35793c76p-33;
  const double quotient = x / std::numbers::ln2;
  const auto k = static_cast<std::int64_t>(quotient < 0 ? quotient - 0.5 : quotient + 0.5);
  const double part = (x - static_cast<double>(k) * first) - static_cast<double>(k) * second;
  double sum = 1;
  // |part| is below 0.35.
  for (int i = 16; i > 0; --i) {
    sum = 1 + sum * part / i;
  }
  // In two steps, since 2^1024 is no double.
  const auto power = [](std::int64_t exponent) {
    return std::bit_cast<double>((exponent + bias) << mantissa_bits);
  };
  return sum * power(k / 2) * power(k - k / 2);
}

/// Sine and cosine of one angle.
struct SinCos {
  double sine;
  double cosine;
};

/// Sine and cosine of an angle from −1 to 1.
[[nodiscard]] inline SinCos sin_cos(double angle) noexcept {
  double sine = 1;
  double cosine = 1;
  for (int i = 20; i > 0; i -= 2) {
    cosine = 1 - cosine * angle * angle / (i * (i - 1));
    sine = 1 - sine * angle * angle / (i * (i + 1));
  }
  return {.sine = angle * sine, .cosine = cosine};
}

/// Sine and cosine of any angle; of less than 2^31, to a few rounding errors of the angle itself.
[[nodiscard]] inline SinCos sin_cos_of(double angle) noexcept {
  // Parts of π/2; products of the first two with small integers are exact.
  constexpr double first = 0x1.921fb54400000p+0;
  constexpr double second = 0x1.0b4611a600000p-34;
  constexpr double third = 0x1.3198a2e037073p-69;
  // Beyond this an angle is known to no turn.
  constexpr double limit = 4503599627370496;
  if (!(angle < limit && angle > -limit)) {
    return {.sine = 0, .cosine = 1};
  }
  const double quotient = angle / (std::numbers::pi / 2);
  const auto quarters = static_cast<std::int64_t>(quotient < 0 ? quotient - 0.5 : quotient + 0.5);
  const auto k = static_cast<double>(quarters);
  const SinCos rest = sin_cos(((angle - k * first) - k * second) - k * third);
  switch (static_cast<std::uint64_t>(quarters) % 4) {
    case 0:
      return rest;
    case 1:
      return {.sine = rest.cosine, .cosine = -rest.sine};
    case 2:
      return {.sine = -rest.sine, .cosine = -rest.cosine};
    default:
      return {.sine = -rest.cosine, .cosine = rest.sine};
  }
}

/// Sine and cosine of the sum of two angles.
[[nodiscard]] inline SinCos operator+(const SinCos& a, const SinCos& b) noexcept {
  return {.sine = a.sine * b.cosine + a.cosine * b.sine,
          .cosine = a.cosine * b.cosine - a.sine * b.sine};
}

}  // namespace headwise
