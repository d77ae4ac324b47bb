#include <algorithm>
#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <headwise/core/io/number_types.hpp>
#include <numeric>

#include "compare.hpp"
#include "files.hpp"

namespace headwise::test {
namespace {

using io::NumberFormat;
using io::NumberType;

/// The numbers read from where nothing is aligned.
Floats read(const NumberFormat& format, const std::vector<std::uint64_t>& numbers) {
  std::string bytes = "?";
  for (const std::uint64_t bits : numbers) {
    const std::string number = little_endian(bits, format.size);
    bytes += format.big_endian ? std::string(number.rbegin(), number.rend()) : number;
  }
  const File file = file_of(bytes);
  Floats result(numbers.size() + 1, guard);
  io::to_floats(format, file.data() + 1, numbers.size(), result.data());
  CHECK(result.back() == guard);
  result.pop_back();
  return result;
}

/// A float of one or two bytes.
struct SmallFloat {
  NumberType type;
  std::size_t size;
  int exponent_bits;
  int bias;
  bool has_infinities = true;
  std::vector<unsigned> nans = {};
};

double value_of(const SmallFloat& kind, unsigned bits) {
  const int fraction_bits = 8 * static_cast<int>(kind.size) - 1 - kind.exponent_bits;
  const auto magnitude = static_cast<int>(bits & ((1U << (8 * kind.size - 1)) - 1));
  const int exponent = magnitude >> fraction_bits;
  const int fraction = magnitude & ((1 << fraction_bits) - 1);
  const double sign = magnitude == static_cast<int>(bits) ? 1 : -1;
  if (std::find(kind.nans.begin(), kind.nans.end(), bits) != kind.nans.end()) {
    return nan;
  }
  if (kind.has_infinities && exponent == (1 << kind.exponent_bits) - 1) {
    return fraction == 0 ? sign * infinity : nan;
  }
  return sign * (exponent == 0 ? std::ldexp(fraction, 1 - kind.bias - fraction_bits)
                               : std::ldexp((1 << fraction_bits) + fraction,
                                            exponent - kind.bias - fraction_bits));
}

TEST_CASE("Every float of one or two bytes is read as the number it is") {
  for (const SmallFloat& kind :
       {SmallFloat{NumberType::floating, 2, 5, 15}, SmallFloat{NumberType::bfloat, 2, 8, 127},
        SmallFloat{NumberType::floating, 1, 5, 15},
        SmallFloat{NumberType::e4m3, 1, 4, 7, false, {0x7F, 0xFF}},
        SmallFloat{NumberType::e5m2_fnuz, 1, 5, 16, false, {0x80}},
        SmallFloat{NumberType::e4m3_fnuz, 1, 4, 8, false, {0x80}}}) {
    std::vector<std::uint64_t> patterns(std::size_t{1} << (8 * kind.size));
    std::iota(patterns.begin(), patterns.end(), 0);
    for (const bool big_endian : {false, true}) {
      CAPTURE(kind.type, kind.size, big_endian);
      const Floats floats =
          read({.type = kind.type, .size = kind.size, .big_endian = big_endian}, patterns);
      std::vector<unsigned> wrong;
      for (unsigned bits = 0; bits < floats.size(); ++bits) {
        const double expected = value_of(kind, bits);
        const double got = floats[bits];
        const bool same = std::isnan(expected) ? std::isnan(got) : got == expected;
        const bool is_negative = bits >> (8 * kind.size - 1) != 0;
        if (!same ||
            ((!std::isnan(expected) || kind.size == 2) && std::signbit(got) != is_negative) ||
            // Every bit is kept, those of NaNs too.
            (kind.type == NumberType::bfloat &&
             std::bit_cast<std::uint32_t>(floats[bits]) != bits * 65'536)) {
          wrong.push_back(bits);
        }
      }
      CHECK(wrong == std::vector<unsigned>{});
    }
  }
  std::vector<std::uint64_t> bytes(256);
  std::iota(bytes.begin(), bytes.end(), 0);
  const Floats powers = read({.type = NumberType::power_of_2, .size = 1}, bytes);
  for (int byte = 0; byte < 255; ++byte) {
    CHECK(powers[static_cast<std::size_t>(byte)] == std::ldexp(1.0, byte - 127));
  }
  CHECK(std::isnan(powers.at(255)));
}

TEST_CASE("float_to_half rounds to nearest, the even one of two") {
  // Between neighbours: just below the middle, the middle, just above it.
  for (std::uint32_t half = 0; half < 0x7BFF; ++half) {
    const float low = io::half_to_float(static_cast<std::uint16_t>(half));
    const float high = io::half_to_float(static_cast<std::uint16_t>(half + 1));
    const float middle = low + (high - low) / 2;  // exact
    REQUIRE(io::float_to_half(low) == half);
    REQUIRE(io::float_to_half(std::nextafter(middle, low)) == half);
    REQUIRE(io::float_to_half(std::nextafter(middle, high)) == half + 1);
    REQUIRE(io::float_to_half(middle) == half + half % 2);
    REQUIRE(io::float_to_half(-middle) == 0x8000 + half + half % 2);
  }
  CHECK(std::isnan(io::half_to_float(io::float_to_half(nan))));
  CHECK(io::float_to_half(65519.99F) == 0x7BFF);
  CHECK(io::float_to_half(65520.0F) == 0x7C00);
  CHECK(io::float_to_half(-infinity) == 0xFC00);
  CHECK(io::float_to_half(std::numeric_limits<float>::denorm_min()) == 0);
}

}  // namespace
}  // namespace headwise::test
