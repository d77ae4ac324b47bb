#include <headwise/core/kernels/dropout.hpp>
#include <headwise/core/kernels/philox.hpp>
#include <headwise/core/kernels/simd.hpp>

namespace headwise::kernels::HEADWISE_TARGET {
namespace {

/// Words that Philox generates for one counter.
constexpr std::size_t words_per_counter = 4;

/// The words of one counter per lane, stored as the bits of floats, since they are moved as floats.
constexpr std::size_t block_words = words_per_counter * lanes;
using RandomBlock = Array<float, block_words>;

Words iota(std::uint32_t first) noexcept {
  static constexpr auto lane_numbers = [] {
    Array<std::uint32_t, lanes> numbers{};
    for (std::size_t i = 0; i < lanes; ++i) {
      numbers[i] = static_cast<std::uint32_t>(i);
    }
    return numbers;
  }();
  return Words(first) + Words::load_unaligned(lane_numbers.data());
}

/// The words that `philox` generates for the counters `first`, `first` + 1, …, one counter per
/// lane.
void draw(std::uint32_t first, const DropoutMask& mask, RandomBlock& random) noexcept {
  Words a = iota(first);
  Words b(mask.row);
  Words c(mask.stream);
  Words d(mask.call);
  auto key_0 = static_cast<std::uint32_t>(mask.key);
  auto key_1 = static_cast<std::uint32_t>(mask.key >> 32U);
  for (int round = 0; round < philox_rounds; ++round) {
    const WideProducts product_0 = multiply_wide(a, philox_multiplier_0);
    const WideProducts product_1 = multiply_wide(c, philox_multiplier_1);
    a = product_1.high ^ b ^ Words(key_0);
    b = product_1.low;
    c = product_0.high ^ d ^ Words(key_1);
    d = product_0.low;
    key_0 += philox_weyl_0;
    key_1 += philox_weyl_1;
  }
  RandomBlock words;
  xsimd::bitwise_cast<float>(a).store_unaligned(words.data());
  xsimd::bitwise_cast<float>(b).store_unaligned(words.data() + lanes);
  xsimd::bitwise_cast<float>(c).store_unaligned(words.data() + 2 * lanes);
  xsimd::bitwise_cast<float>(d).store_unaligned(words.data() + 3 * lanes);
  for (std::size_t i = 0; i < lanes; i += words_per_counter) {
    transpose_4x4(words.data() + i, lanes, random.data() + i * words_per_counter,
                  words_per_counter);
  }
}

}  // namespace

void dropout(float* weights, std::size_t first, std::size_t count,
             const DropoutMask& mask) noexcept {
  assert(holds(weights, count));
  assert(mask.threshold <= std::uint64_t{1} << 32U);
  if (mask.threshold == 0) {
    for_each_vector(weights, count,
                    [&](const Batch& weight) { return weight * Batch(mask.kept_scale); });
    return;
  }
  const Words last_dropped(static_cast<std::uint32_t>(mask.threshold - 1));
  const Batch kept_scale(mask.kept_scale);
  const auto drop = [&](const Batch& weight, const Batch& random) {
    const auto is_kept = xsimd::bitwise_cast<std::uint32_t>(random) > last_dropped;
    return xsimd::select(xsimd::batch_bool_cast<float>(is_kept), weight * kept_scale, Batch(0.0F));
  };
  RandomBlock random;
  // The first entry may be any of its counter's four words.
  for (std::size_t skipped = first % words_per_counter, i = 0; i < count; skipped = 0) {
    draw(static_cast<std::uint32_t>((first + i) / words_per_counter), mask, random);
    const std::size_t width = min(block_words - skipped, count - i);
    for_each_vector(weights + i, random.data() + skipped, width, drop);
    i += width;
  }
}

}  // namespace headwise::kernels::HEADWISE_TARGET
