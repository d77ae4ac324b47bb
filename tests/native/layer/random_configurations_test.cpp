#include <catch2/catch_test_macros.hpp>
#include <cstdio>
#include <cstdlib>
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

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* value = std::getenv(name);  // NOLINT(*-mt-unsafe): one thread
  return value != nullptr ? std::stoull(value) : otherwise;
}

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

TEST_CASE("Configurations of several blocks of queries and panels of keys agree with float64") {
  std::vector<Configuration> all = {large(37, 67), large(130, 130), large(130, 130),
                                    large(3, 300), large(270, 3),   large(5, 5)};
  // A window that begins within a panel of keys, for the second block of queries.
  for (std::size_t i : {1U, 2U}) {
    all[i].window = true;
    all[i].window_left = 5;
    all[i].window_right = 2;
  }
  all[2].pooling = Pooling::additive;
  all[3].lens = LensKind::by_query;
  all[3].poisoned = true;
  // More outputs than are transposed at a time for their weight's gradient, and in two groups.
  all[4].output_size = 1100;
  all[5].projection = Projection::convolution;
  all[5].head_size = 1100;
#if defined(HEADWISE_SANITIZE)
  all.resize(4);  // with sanitizers, the reference takes minutes for the last two
#endif
  for (const Configuration& configuration : all) {
    check("large", settled(configuration));
  }
}

}  // namespace
}  // namespace headwise::test
