#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <headwise/core/attention/rotary.hpp>
#include <limits>

#include "floats.hpp"

namespace headwise::test {
namespace {

TEST_CASE("A rotation is that of its position, whichever others are computed with it") {
  const RotarySettings rotary{.base = 10000, .size = 16, .interleaved = false};
  constexpr std::size_t count = 300;
  Floats table(count * rotary.size);
  rotations_into(nullptr, 0, count, rotary, table.data());
  for (const std::int32_t position : {0, 1, 63, 64, 65, 127, 200, 299}) {
    Floats alone(rotary.size);
    rotations_into(&position, 0, 1, rotary, alone.data());
    const float* row = table.data() + static_cast<std::size_t>(position) * rotary.size;
    CHECK(std::equal(alone.begin(), alone.end(), row));
    rotations_into(nullptr, position, 1, rotary, alone.data());
    CHECK(std::equal(alone.begin(), alone.end(), row));
  }
}

TEST_CASE("Rotations are accurate to a float up to a position of 2^31 - 1") {
  for (const double base : {1.0, 10.0, 10000.0, 1e6, 0.5}) {
    const RotarySettings rotary{.base = base, .size = 6, .interleaved = false};
    for (const std::int32_t position :
         {0, 1, 2, 17, 1000, 65535, 1048577, std::numeric_limits<std::int32_t>::max()}) {
      Floats row(rotary.size);
      rotations_into(&position, 0, 1, rotary, row.data());
      for (std::size_t i = 0; i < 3; ++i) {
        const double angle = position * std::pow(base, -2.0 * static_cast<double>(i) / 6);
        // Half a unit in the last place of a float, and what a double knows of the angle.
        const double tolerance = 6.1e-8 + 4e-15 * angle;
        CHECK(std::abs(row[i] - std::cos(angle)) < tolerance);
        CHECK(std::abs(row[i + 3] - std::sin(angle)) < tolerance);
      }
    }
  }
}

TEST_CASE("Rotations of extreme bases are finite") {
  for (const double base : {5e-324, 1e-300, 1e300, std::numeric_limits<double>::max()}) {
    const RotarySettings rotary{.base = base, .size = 64, .interleaved = false};
    Floats table(100 * rotary.size);
    rotations_into(nullptr, 0, 100, rotary, table.data());
    CHECK(std::ranges::all_of(table, [](float number) { return std::abs(number) <= 1.0F; }));
  }
}

}  // namespace
}  // namespace headwise::test
