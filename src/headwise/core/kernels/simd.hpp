#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <headwise/core/kernels/target.hpp>
#include <limits>
#include <xsimd/xsimd.hpp>

#if defined(__wasm_relaxed_simd__)
#include <wasm_simd128.h>

#endif

/// The one place that knows the instruction set: its widest float vector, and the multiply-add.
namespace headwise::kernels::HEADWISE_TARGET {

using Batch = xsimd::batch<float>;

inline constexpr float minus_infinity = -std::numeric_limits<float>::infinity();

/// Floats in one vector: 4 for WebAssembly and SSE, 8 for AVX, 16 for AVX-512.
inline constexpr std::size_t lanes = Batch::size;

/// a · b + c. Fused where the instruction set has it. xsimd knows no relaxed WebAssembly SIMD, so
/// that build's fused multiply-add is ours.
inline Batch multiply_add(const Batch& a, const Batch& b, const Batch& c) noexcept {
#if defined(__wasm_relaxed_simd__)
  return wasm_f32x4_relaxed_madd(a, b, c);
#else
  return xsimd::fma(a, b, c);
#endif
}

/// The smaller of x and a bound, NaN where x is NaN. Instruction sets disagree about which operand
/// NaN takes.
inline Batch at_most_keeping_nan(const Batch& x, const Batch& bound) noexcept {
#if defined(__wasm__)
  return xsimd::min(x, bound);
#else
  return xsimd::min(bound, x);
#endif
}

/// The larger of x and a bound, NaN where x is NaN.
inline Batch at_least_keeping_nan(const Batch& x, const Batch& bound) noexcept {
#if defined(__wasm__)
  return xsimd::max(x, bound);
#else
  return xsimd::max(bound, x);
#endif
}

/// Ones in the last n lanes, zeros in the others.
inline Batch last_lanes(std::size_t n) noexcept {
  static constexpr auto factors = [] {
    std::array<float, 2 * lanes> zeros_then_ones{};
    std::fill(zeros_then_ones.begin() + lanes, zeros_then_ones.end(), 1.0F);
    return zeros_then_ones;
  }();
  return Batch::load_unaligned(&factors[n]);
}

/// Element j is the sum over the lanes of sums[j].
inline Batch sum_lanes(const std::array<Batch, lanes>& sums) noexcept {
  if constexpr (lanes <= 8) {
    return xsimd::haddp(sums.data());
  }
  // xsimd 13 puts some of the sums in each other's places for AVX-512.
  std::array<float, lanes> totals;
  for (std::size_t j = 0; j < lanes; ++j) {
    totals[j] = xsimd::reduce_add(sums[j]);
  }
  return Batch::load_unaligned(totals.data());
}

/// to (4, 4) = from (4, 4) transposed, by vectors of four floats, which every instruction set has.
inline void transpose_4x4(const float* from, std::size_t from_stride, float* to,
                          std::size_t to_stride) noexcept {
  using Four = xsimd::make_sized_batch_t<float, 4>;
  const Four a = Four::load_unaligned(from);
  const Four b = Four::load_unaligned(from + from_stride);
  const Four c = Four::load_unaligned(from + 2 * from_stride);
  const Four d = Four::load_unaligned(from + 3 * from_stride);
  const Four ac_low = xsimd::zip_lo(a, c);
  const Four ac_high = xsimd::zip_hi(a, c);
  const Four bd_low = xsimd::zip_lo(b, d);
  const Four bd_high = xsimd::zip_hi(b, d);
  xsimd::zip_lo(ac_low, bd_low).store_unaligned(to);
  xsimd::zip_hi(ac_low, bd_low).store_unaligned(to + to_stride);
  xsimd::zip_lo(ac_high, bd_high).store_unaligned(to + 2 * to_stride);
  xsimd::zip_hi(ac_high, bd_high).store_unaligned(to + 3 * to_stride);
}

}  // namespace headwise::kernels::HEADWISE_TARGET
