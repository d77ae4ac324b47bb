#include <cmath>
#include <headwise/core/elementary_functions.hpp>
#include <headwise/core/kernels/philox.hpp>
#include <headwise/core/random.hpp>

namespace headwise {
namespace {

constexpr std::size_t words = 4;

kernels::PhiloxCounter draw(std::size_t block, std::uint32_t stream, std::uint32_t attempt,
                            kernels::PhiloxKey key) noexcept {
  const std::uint64_t wide = block;
  return kernels::philox(
      {static_cast<std::uint32_t>(wide), static_cast<std::uint32_t>(wide >> 32U), stream, attempt},
      key);
}

/// Two independent standard normal numbers by Marsaglia's polar method: a point drawn in the unit
/// disc gives both.
std::array<double, 2> normal_pair(std::size_t pair, std::uint32_t stream, kernels::PhiloxKey key) {
  constexpr double two_to_minus_31 = 1.0 / 2147483648.0;
  for (std::uint32_t attempt = 0;; ++attempt) {
    const kernels::PhiloxCounter random = draw(pair, stream, attempt, key);
    for (std::size_t i = 0; i < words; i += 2) {
      const double x = random[i] * two_to_minus_31 - 1.0;
      const double y = random[i + 1] * two_to_minus_31 - 1.0;
      const double square = x * x + y * y;
      if (square > 0.0 && square < 1.0) {
        const double factor = std::sqrt(-2.0 * natural_logarithm(square) / square);
        return {x * factor, y * factor};
      }
    }
  }
}

}  // namespace

void fill_normal(float* data, std::size_t count, std::uint64_t seed, std::uint32_t stream,
                 std::size_t first) {
  const kernels::PhiloxKey key = kernels::philox_key(seed);
  std::array<double, 2> pair{};
  for (std::size_t i = first; i < first + count; ++i) {
    if (i % 2 == 0 || i == first) {
      pair = normal_pair(i / 2, stream, key);
    }
    data[i - first] = static_cast<float>(pair[i % 2]);
  }
}

void fill_uniform(float* data, std::size_t count, float bound, std::uint64_t seed,
                  std::uint32_t stream, std::size_t first) noexcept {
  const kernels::PhiloxKey key = kernels::philox_key(seed);
  kernels::PhiloxCounter random{};
  for (std::size_t i = first; i < first + count; ++i) {
    if (i % words == 0 || i == first) {
      random = draw(i / words, stream, 0, key);
    }
    // The upper 24 bits as a float in [−1, 1), exactly.
    const auto centred = static_cast<std::int32_t>(random[i % words] >> 8U) - (1 << 23);
    data[i - first] = bound * (static_cast<float>(centred) * 0x1p-23F);
  }
}

float inverse_root(std::size_t inputs) noexcept {
  return static_cast<float>(1.0 / std::sqrt(static_cast<double>(inputs)));
}

}  // namespace headwise
