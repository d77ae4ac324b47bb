#include <headwise/core/random.hpp>
#include <random>

std::uint64_t headwise::random_seed() {
  std::random_device device;
  return device();
}
