#include <catch2/catch_test_macros.hpp>
#include <cstdio>
#include <cstdlib>
#include <string>

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

// HEADWISE_SEED and HEADWISE_CONFIGURATIONS choose others. Configuration n of seed s is the first
// of seed s + n.
TEST_CASE("Random configurations agree with the float64 reference") {
  const std::uint64_t seed = from_environment("HEADWISE_SEED", 20260101);
  const std::uint64_t count = from_environment("HEADWISE_CONFIGURATIONS", default_count);
  std::printf("random configurations: %llu from HEADWISE_SEED=%llu\n",
              static_cast<unsigned long long>(count), static_cast<unsigned long long>(seed));
  for (std::uint64_t n = 0; n < count; ++n) {
    const Configuration configuration = random_configuration(seed + n);
    const std::string fault = fault_of(configuration);
    CHECK(fault.empty());
    if (!fault.empty()) {
      const Configuration smallest = shrunk(configuration);
      FAIL("HEADWISE_SEED=" << seed + n << "\n"
                            << to_code(configuration) << "\n  " << fault << "\nshrunk to\n"
                            << to_code(smallest) << "\n  " << fault_of(smallest));
    }
  }
}

}  // namespace
}  // namespace headwise::test
