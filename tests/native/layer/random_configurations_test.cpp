#include <catch2/catch_test_macros.hpp>
#include <cstdio>
#include <string>
#include <vector>

#include "configuration.hpp"
#include "configuration_check.hpp"

namespace headwise::test {
namespace {

#if defined(HEADWISE_SANITIZE)
constexpr std::uint64_t default_count = 500;  // sanitizers take their time
#else
constexpr std::uint64_t default_count = 5000;
#endif

/// Prints the configuration if it has a fault.
void check(const std::string& origin, const Configuration& configuration) {
  INFO(origin << "\n" << to_code(configuration));
  CHECK(fault_of(configuration) == "");
}

// HEADWISE_SEED and HEADWISE_CONFIGURATIONS choose others. Configuration n of seed s is the first
// of seed s + n.
TEST_CASE("Random configurations agree with the float64 reference") {
  const std::uint64_t seed = from_environment("HEADWISE_SEED", 20260101);
  const std::uint64_t count = from_environment("HEADWISE_CONFIGURATIONS", default_count);
  std::printf("random configurations: %llu from HEADWISE_SEED=%llu\n",
              static_cast<unsigned long long>(count), static_cast<unsigned long long>(seed));
  for (std::uint64_t n = seed; n < seed + count; ++n) {
    check("HEADWISE_SEED=" + std::to_string(n), with_random_history(random_configuration(n), n));
  }
}

/// A layer of so many queries and keys, with gradients.
Configuration large(std::size_t queries, std::size_t keys) {
  return {.queries = queries,
          .keys = keys,
          .heads = 2,
          .kv_heads = 2,
          .head_size = 3,
          .query_size = 4,
          .key_size = 4,
          .value_size = 4,
          .gradients = true};
}

TEST_CASE("Configurations larger than the random ones agree with float64") {
  std::vector<Configuration> all = {large(130, 130), large(3, 300), large(270, 3), large(5, 5)};
  // A window that begins within a panel of keys, for the second block of queries.
  all[0].window = true;
  all[0].window_left = 5;
  all[0].window_right = 2;
  all[1].lens = LensKind::by_query;
  all[1].poisoned = true;
  // More outputs than are transposed at a time for their weight's gradient, and in two groups.
  all[2].output_size = 1100;
  all[3].projection = Projection::convolution;
  all[3].head_size = 1100;
#if defined(HEADWISE_SANITIZE)
  all.resize(2);  // with sanitizers, the reference takes minutes for the last two
#endif
  for (const Configuration& configuration : all) {
    check("large", settled(configuration));
  }
}

}  // namespace
}  // namespace headwise::test
