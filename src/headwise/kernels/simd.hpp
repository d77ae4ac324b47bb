#pragma once

#include <cstddef>
#include <xsimd/xsimd.hpp>

#if defined(__wasm_relaxed_simd__)
#include <wasm_simd128.h>
#endif

/// The one place that knows the instruction set: its widest float vector, and the multiply-add.
namespace headwise::kernels {

using Batch = xsimd::batch<float>;

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

}  // namespace headwise::kernels
