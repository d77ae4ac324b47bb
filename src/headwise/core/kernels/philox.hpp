#pragma once

#include <array>
#include <cstdint>

/// Philox 4x32-10 (Salmon et al. 2011, "Parallel random numbers: as easy as 1, 2, 3"): random
/// numbers as a pure function of a key and a counter. Any element of any stream can be computed
/// without the ones before it, so results do not depend on the order, the blocks or the threads in
/// which they are drawn.
namespace headwise::kernels {

using PhiloxCounter = std::array<std::uint32_t, 4>;
using PhiloxKey = std::array<std::uint32_t, 2>;

inline constexpr int philox_rounds = 10;
/// Multipliers of the first and third word of a counter.
inline constexpr std::uint32_t philox_multiplier_0 = 0xD2511F53U;
inline constexpr std::uint32_t philox_multiplier_1 = 0xCD9E8D57U;
/// Added to the words of the key between two rounds.
inline constexpr std::uint32_t philox_weyl_0 = 0x9E3779B9U;
inline constexpr std::uint32_t philox_weyl_1 = 0xBB67AE85U;

constexpr PhiloxKey philox_key(std::uint64_t seed) noexcept {
  return {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32U)};
}

/// Four random words for one counter.
constexpr PhiloxCounter philox(PhiloxCounter counter, PhiloxKey key) noexcept {
  for (int round = 0; round < philox_rounds; ++round) {
    const std::uint64_t product_0 = std::uint64_t{philox_multiplier_0} * counter[0];
    const std::uint64_t product_1 = std::uint64_t{philox_multiplier_1} * counter[2];
    counter = {static_cast<std::uint32_t>(product_1 >> 32U) ^ counter[1] ^ key[0],
               static_cast<std::uint32_t>(product_1),
               static_cast<std::uint32_t>(product_0 >> 32U) ^ counter[3] ^ key[1],
               static_cast<std::uint32_t>(product_0)};
    key = {key[0] + philox_weyl_0, key[1] + philox_weyl_1};
  }
  return counter;
}

}  // namespace headwise::kernels
