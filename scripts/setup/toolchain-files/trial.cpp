#include <cstdio>
#include <xsimd/xsimd.hpp>
#include <xtensor/xtensor.hpp>

// Exits with 0 if SIMD, tensors and the linked program work together.
int main() {
  const xt::xtensor<float, 1> numbers = {1, 2, 3, 4};
  const float sum = xsimd::reduce_add(xsimd::load_unaligned(numbers.data()));
  std::printf("%g\n", sum);
  return sum == 10 ? 0 : 1;
}
