#pragma once

#include <cstddef>
#include <cstdint>
#include <headwise/core/kernels/simd.hpp>
#include <headwise/core/kernels/target.hpp>

namespace headwise::kernels::HEADWISE_TARGET {

/// exp(x) = (1 + fraction) · first_power · second_power, all of them normal floats even where
/// exp(x) is none.
struct ExponentialParts {
  Batch fraction, first_power, second_power;

  /// exp(x) · factor, which is rounded to a subnormal float at most once, as a whole.
  [[nodiscard]] Batch times(const Batch& factor) const noexcept {
    return multiply_add(factor, fraction, factor) * first_power * second_power;
  }
};

/// exp(x) within 2 units in the last place over the whole range, subnormal results included;
/// exp(−∞) is 0, exp(∞) is ∞, exp(NaN) is NaN.
///
/// x = n · ln 2 + r, exp(x) = 2ⁿ · exp(r) with a polynomial of degree 5 for r within ±ln 2 / 2, as
/// in Cephes and XNNPACK. Its coefficients are those with the least error after rounding, fused and
/// not. 2ⁿ is applied as two factors, since 2ⁿ may be out of float's range where the result is not.
template <bool HoldsConstants = false>
class Exponential {
 public:
  Batch operator()(const Batch& x) const noexcept {
    const Batch below = min_keeping_nan(x, constants_[max_input]);
    const Batch bounded = max_keeping_nan(below, constants_[min_input]);
    const Batch shifted = shifted_power(bounded);
    const Batch r = remainder(bounded, shifted);
    const ExponentialParts parts = parts_of(slope_of(r), shifted);
    return multiply_add(parts.fraction, r, constants_[one]) * parts.first_power *
           parts.second_power;
  }

  /// exp(x) for x ≤ 0, with 0 in place of subnormal results, which softmax does not need.
  [[nodiscard]] Batch of_nonpositive(const Batch& x) const noexcept {
    const Batch bounded = max_keeping_nan(x, constants_[min_normal_input]);
    const Batch shifted = shifted_power(bounded);
    const Integers ones = xsimd::bitwise_cast<std::int32_t>(constants_[one]);
    const Integers n = xsimd::bitwise_cast<std::int32_t>(shifted);
    const Batch r = remainder(bounded, shifted);
    return multiply_add(slope_of(r), r, constants_[one]) *
           xsimd::bitwise_cast<float>(ones + (n << mantissa_bits));
  }

  /// exp(x) for |x| ≤ 125, more accurate than the result above: `fraction` has an error of 2⁻²⁵.
  [[nodiscard]] ExponentialParts parts(const Batch& x) const noexcept {
    const Batch shifted = shifted_power(x);
    return parts_of_remainder(remainder(x, shifted), shifted);
  }

  /// exp(high + low) for |high + low| ≤ 125, with multiples of 2⁻¹⁷ for `high` and a small `low`:
  /// what a float would round off their sum is not lost.
  [[nodiscard]] ExponentialParts parts(const Batch& high, const Batch& low) const noexcept {
    const Batch shifted = shifted_power(high + low);
    const Batch n = shifted - constants_[magic_bias];
    return parts_of_remainder(multiply_add(n, constants_[minus_ln2_high], high) +
                                  multiply_add(n, constants_[minus_ln2_low], low),
                              shifted);
  }

  /// exp(r) · 2ⁿ for |r| ≤ ln 2 / 2, where `shifted` is n + 1.5 · 2²³, by a polynomial of degree 6
  /// with a relative error of 2⁻²⁸.
  [[nodiscard]] ExponentialParts parts_of_remainder(const Batch& r,
                                                    const Batch& shifted) const noexcept {
    const Batch r2 = r * r;
    const Batch low = multiply_add(constants_[d3], r, constants_[d2]);
    const Batch middle = multiply_add(constants_[d5], r, constants_[d4]);
    const Batch high = multiply_add(constants_[d6], r2, middle);
    return parts_of(multiply_add(multiply_add(high, r2, low), r2, r), shifted);
  }

 private:
  static constexpr int mantissa_bits = 23;

  /// n + 1.5 · 2²³, rounded to an integer.
  [[nodiscard]] Batch shifted_power(const Batch& x) const noexcept {
    return multiply_add(x, constants_[log2_e], constants_[magic_bias]);
  }

  /// (1 + fraction) · 2ⁿ
  [[nodiscard]] ExponentialParts parts_of(const Batch& fraction,
                                          const Batch& shifted) const noexcept {
    // The low bits of `shifted` are n; those that were added are 0.
    const Integers n = xsimd::bitwise_cast<std::int32_t>(shifted);
    const Integers half_power = n >> 1;
    const Integers ones = xsimd::bitwise_cast<std::int32_t>(constants_[one]);
    return {.fraction = fraction,
            .first_power = xsimd::bitwise_cast<float>(ones + (half_power << mantissa_bits)),
            .second_power = xsimd::bitwise_cast<float>(ones + ((n - half_power) << mantissa_bits))};
  }

  /// x − n · ln 2
  [[nodiscard]] Batch remainder(const Batch& x, const Batch& shifted) const noexcept {
    const Batch n = shifted - constants_[magic_bias];
    const Batch r = multiply_add(n, constants_[minus_ln2_high], x);
    return multiply_add(n, constants_[minus_ln2_low], r);
  }

  /// (exp(r) − 1) / r. By Horner's rule: it has the fewest operations, and vectors do not wait for
  /// each other.
  [[nodiscard]] Batch slope_of(const Batch& r) const noexcept {
    Batch slope = multiply_add(constants_[c5], r, constants_[c4]);
    slope = multiply_add(slope, r, constants_[c3]);
    slope = multiply_add(slope, r, constants_[c2]);
    return multiply_add(slope, r, constants_[c1]);
  }

  enum Constant : std::uint8_t {
    max_input,
    min_input,
    min_normal_input,
    log2_e,
    magic_bias,
    minus_ln2_high,
    minus_ln2_low,
    c5,
    c4,
    c3,
    c2,
    c1,
    d6,
    d5,
    d4,
    d3,
    d2,
    one,
    num_constants
  };

  // exp overflows to ∞ above `max_input` and is 0 below `min_input`; `min_normal_input` makes n
  // −127, and 2ⁿ as a float's exponent 0. Adding `magic_bias` rounds to an integer.
  static constexpr Array<float, num_constants> values = {
      89.0F,           -104.0F,        -87.9F,
      1.44269504F,     12582912.0F,    -0.693359375F,
      2.12194440e-4F,  0x1.0dad96p-7F, 0x1.574a94p-5F,
      0x1.555ffap-3F,  0x1.fffd8ep-2F, 0x1.ffffe8p-1F,
      0x1.6a4154p-10F, 0x1.1239c6p-7F, 0x1.5558bcp-5F,
      0x1.555492p-3F,  0x1.fffffcp-2F, 1.0F};

  Constants<num_constants, values, HoldsConstants> constants_;
};

}  // namespace headwise::kernels::HEADWISE_TARGET
