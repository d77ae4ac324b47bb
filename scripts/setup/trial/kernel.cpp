// A kernel in relaxed SIMD, on memory of the allocator that the link flags name.
#include <malloc.h>
#include <wasm_simd128.h>

#include <cstdlib>

float multiply_add(float a, float b, float c) {
  auto* lanes = static_cast<float*>(memalign(64, 16));
  wasm_v128_store(lanes, wasm_f32x4_relaxed_madd(wasm_f32x4_splat(a), wasm_f32x4_splat(b),
                                                 wasm_f32x4_splat(c)));
  const float sum = lanes[0] + lanes[3];
  std::free(lanes);
  return sum;
}
