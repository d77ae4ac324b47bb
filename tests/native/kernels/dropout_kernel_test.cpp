#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <headwise/core/kernels/dispatch.hpp>
#include <headwise/core/kernels/philox.hpp>
#include <initializer_list>

#include "floats.hpp"

namespace headwise::test {
namespace {

/// Word by word.
void dropout_reference(float* weights, std::size_t first, std::size_t count,
                       const kernels::DropoutMask& mask) {
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t k = first + i;
    const kernels::PhiloxCounter random =
        kernels::philox({static_cast<std::uint32_t>(k / 4), mask.row, mask.stream, mask.call},
                        kernels::philox_key(mask.key));
    weights[i] = random[k % 4] < mask.threshold ? 0.0F : weights[i] * mask.kept_scale;
  }
}

void check_dropout(std::size_t first, std::size_t count, std::uint64_t threshold,
                   std::uint64_t key = 0x0123456789ABCDEF) {
  CAPTURE(first, count, threshold);
  const kernels::DropoutMask mask{.key = key,
                                  .row = 0xFFFFFFF0U + static_cast<std::uint32_t>(count),
                                  .stream = 0x20001,
                                  .call = 7,
                                  .threshold = threshold,
                                  .kept_scale = 1.25F};
  Floats weights = random_floats(count, 1);
  if (count > 2) {
    weights[0] = nan;
    weights[1] = infinity;
    weights[2] = -0.0F;
  }
  weights.resize(count + 3, guard);
  Floats expected = weights;
  kernels::dropout(weights.data(), first, count, mask);
  dropout_reference(expected.data(), first, count, mask);
  CHECK(max_difference(weights, expected) == 0);
}

constexpr std::initializer_list<std::size_t> awkward_counts = {0, 1, 3, 5, 7, 33, 64, 129, 300};

TEST_CASE("dropout drops what its reference drops, wherever the row begins") {
  for (const std::size_t count : awkward_counts) {
    for (const std::size_t first : {0, 1, 2, 3, 4, 7, 62, 63}) {
      check_dropout(first, count, std::uint64_t{1} << 31U);
      check_dropout(first, count, std::uint64_t{0xE6666666U});
    }
  }
}

TEST_CASE("dropout with thresholds at the ends of their range") {
  for (const std::uint64_t threshold :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{0xFFFFFFFF}, std::uint64_t{1} << 32U}) {
    check_dropout(1, 129, threshold);
  }
}

TEST_CASE("dropout counts beyond 32 bits as its reference does") {
  if constexpr (sizeof(std::size_t) > sizeof(std::uint32_t)) {
    check_dropout((std::size_t{1} << 34U) - 6, 33, std::uint64_t{1} << 31U);
  }
  check_dropout(std::size_t{0xFFFFFFFA}, 3, std::uint64_t{1} << 31U, 0);
}

}  // namespace
}  // namespace headwise::test
