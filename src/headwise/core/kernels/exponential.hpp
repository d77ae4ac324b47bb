#pragma once

#include <cstddef>
#include <cstdint>
#include <headwise/core/kernels/simd.hpp>
#include <headwise/core/kernels/target.hpp>

namespace headwise::kernels::HEADWISE_TARGET {

/// exp(x) within 2 units in the last place over the whole range, subnormal results included;
/// exp(−∞) is 0, exp(∞) is ∞, exp(NaN) is NaN.
///
/// x = n · ln 2 + r, exp(x) = 2ⁿ · exp(r) with a polynomial of degree 5 for r within ±ln 2 / 2, as
/// in Cephes and XNNPACK. 2ⁿ is applied as two factors, since 2ⁿ may be out of float's range where
/// the result is not.
class Exponential {
 public:
  Batch operator()(const Batch& x) const noexcept {
    const Batch bounded = min_keeping_nan(x, constant(max_input));
    const Reduced reduced = reduce(max_keeping_nan(bounded, constant(min_input)));
    const Integers half = reduced.n >> 1;
    const Integers ones = xsimd::bitwise_cast<std::int32_t>(constant(one));
    return reduced.p * xsimd::bitwise_cast<float>(ones + (half << mantissa_bits)) *
           xsimd::bitwise_cast<float>(ones + ((reduced.n - half) << mantissa_bits));
  }

  /// exp(x) for x ≤ 0, with 0 in place of subnormal results, which softmax does not need.
  [[nodiscard]] Batch of_nonpositive(const Batch& x) const noexcept {
    const Reduced reduced = reduce(max_keeping_nan(x, constant(min_normal_input)));
    const Integers ones = xsimd::bitwise_cast<std::int32_t>(constant(one));
    return reduced.p * xsimd::bitwise_cast<float>(ones + (reduced.n << mantissa_bits));
  }

 private:
  using Integers = xsimd::batch<std::int32_t>;

  static constexpr int mantissa_bits = 23;

  /// exp(x) = p · 2ⁿ
  struct Reduced {
    Batch p;
    Integers n;
  };

  [[nodiscard]] Reduced reduce(const Batch& x) const noexcept {
    const Batch magic = constant(magic_bias);
    const Batch shifted = multiply_add(x, constant(log2_e), magic);
    const Batch n = shifted - magic;
    Batch r = multiply_add(n, constant(minus_ln2_high), x);
    r = multiply_add(n, constant(minus_ln2_low), r);
    const Batch r2 = r * r;
    const Batch high = multiply_add(constant(c5), r, constant(c4));
    const Batch low = multiply_add(constant(c3), r, constant(c2));
    const Batch p = multiply_add(multiply_add(high, r2, low), r2, constant(c1) * r) + constant(one);
    // The low bits of `shifted` are n; those of `magic` are 0.
    return {.p = p, .n = xsimd::bitwise_cast<std::int32_t>(shifted)};
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
    one,
    num_constants
  };

  // exp overflows to ∞ above `max_input` and is 0 below `min_input`; `min_normal_input` makes n
  // −127, and 2ⁿ as a float's exponent 0. Adding `magic_bias` rounds to an integer.
  static constexpr Array<float, num_constants> values = {89.0F,
                                                         -104.0F,
                                                         -87.9F,
                                                         1.44269504F,
                                                         12582912.0F,
                                                         -0.693359375F,
                                                         2.12194440e-4F,
                                                         0x1.0e4020p-7F,
                                                         0x1.573e2ep-5F,
                                                         0x1.555e66p-3F,
                                                         0x1.fffdb6p-2F,
                                                         0x1.ffffecp-1F,
                                                         1.0F};

#if defined(__wasm__)
  // V8 rematerializes constants at each use, inside loops too. These are loaded through a pointer
  // that the compiler cannot see through.
  static constexpr auto table = [] {
    Array<Array<float, lanes>, num_constants> rows{};
    for (std::size_t i = 0; i < num_constants; ++i) {
      fill(rows[i], values[i]);
    }
    return rows;
  }();
  const float* table_ = opaque(table[0].data());

  static const float* opaque(const float* pointer) noexcept {
    asm volatile("" : "+r"(pointer));
    return pointer;
  }
  [[nodiscard]] Batch constant(Constant which) const noexcept {
    return Batch::load_unaligned(table_ + which * lanes);
  }
#else
  [[nodiscard]] static Batch constant(Constant which) noexcept { return {values[which]}; }
#endif
};

}  // namespace headwise::kernels::HEADWISE_TARGET
