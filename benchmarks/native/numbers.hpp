#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace headwise::benchmarks {

/// Numbers from −1 to 1 that depend on the seed alone.
[[nodiscard]] inline std::vector<float> random_numbers(std::size_t count, std::uint32_t seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> numbers(count);
  for (float& number : numbers) {
    number = uniform(generator);
  }
  return numbers;
}

}  // namespace headwise::benchmarks
