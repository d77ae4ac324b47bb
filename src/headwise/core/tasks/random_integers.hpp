#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <headwise/core/kernels/philox.hpp>
#include <headwise/core/random.hpp>
#include <span>
#include <utility>

namespace headwise {

/// Random integers of one sample, a pure function of seed and sample.
class RandomIntegers {
 public:
  RandomIntegers(std::uint64_t seed, std::uint64_t sample) noexcept
      : key_(kernels::philox_key(seed)), sample_(sample) {}

  /// Uniform from 0 to below `end`, which is at least 1; words that would bias the result are
  /// rejected (Lemire 2019).
  [[nodiscard]] std::uint32_t below(std::uint32_t end) noexcept {
    const std::uint32_t threshold = (0U - end) % end;
    std::uint64_t product = 0;
    do {
      product = std::uint64_t{next()} * end;
    } while (static_cast<std::uint32_t>(product) < threshold);
    return static_cast<std::uint32_t>(product >> 32U);
  }

  /// Uniform from `first` to `last`.
  [[nodiscard]] std::uint32_t between(std::uint32_t first, std::uint32_t last) noexcept {
    return first + below(last - first + 1);
  }

 private:
  std::uint32_t next() noexcept {
    if (used_ == words_.size()) {
      words_ = kernels::philox(
          {static_cast<std::uint32_t>(sample_), static_cast<std::uint32_t>(sample_ >> 32U),
           random_stream::tasks, block_++},
          key_);
      used_ = 0;
    }
    return words_[used_++];
  }

  kernels::PhiloxKey key_;
  std::uint64_t sample_;
  std::uint32_t block_ = 0;
  kernels::PhiloxCounter words_{};
  std::size_t used_ = words_.size();
};

/// Moves `count` random elements of `numbers`, without repetition, to its front: the first steps of
/// a Fisher–Yates shuffle.
inline void partial_shuffle(std::span<std::int32_t> numbers, std::size_t count,
                            RandomIntegers& random) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    const auto left = static_cast<std::uint32_t>(numbers.size() - i);
    std::swap(numbers[i], numbers[i + random.below(left)]);
  }
}

}  // namespace headwise
