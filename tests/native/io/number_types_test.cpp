#include <algorithm>
#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <headwise/core/io/number_types.hpp>
#include <numeric>

#include "compare.hpp"
#include "files.hpp"
#include "floats.hpp"

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

struct NumberCase {
  std::uint64_t bits;
  float expected;
};

/// Holds the numbers, in both byte orders, against what they should be, in every bit.
void check_numbers(NumberType type, std::size_t size, const std::vector<NumberCase>& cases) {
  std::vector<std::uint64_t> bits;
  Floats expected;
  for (const NumberCase& each : cases) {
    bits.push_back(each.bits);
    expected.push_back(each.expected);
  }
  for (const bool big_endian : {false, true}) {
    CAPTURE(type, size, big_endian);
    const Floats floats = read({.type = type, .size = size, .big_endian = big_endian}, bits);
    CAPTURE(floats, expected);
    CHECK(same_bits(floats, expected));
  }
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

TEST_CASE("Floats keep every bit, NaNs too") {
  std::vector<NumberCase> cases;
  for (const std::uint32_t bits : {0x3F800000U, 0x80000000U, 0x00000001U, 0x7F7FFFFFU, 0xFF800000U,
                                   0x7F800001U, 0x7FC00000U, 0xFFFFFFFFU, 0x12345678U}) {
    cases.push_back({bits, std::bit_cast<float>(bits)});
  }
  check_numbers(NumberType::floating, 4, cases);
}

TEST_CASE("Doubles are rounded to the nearest float, ties to even") {
  const auto bits = [](double number) { return std::bit_cast<std::uint64_t>(number); };
  constexpr float largest = std::numeric_limits<float>::max();
  check_numbers(NumberType::floating, 8,
                {{bits(1.5), 1.5F},
                 {bits(0.1), 0.1F},
                 {bits(-0.0), -0.0F},
                 {bits(1 + 0x1p-24), 1},
                 {bits(1 + 0x1p-24 + 0x1p-52), 1 + 0x1p-23F},
                 {bits(1 + 0x3p-24), 1 + 0x1p-22F},
                 {bits(-1 - 0x3p-24), -1 - 0x1p-22F},
                 {bits(0x1.fffffep127), largest},
                 {bits(0x1.fffffefffffffp127), largest},
                 {bits(0x1.ffffffp127), infinity},
                 {bits(-0x1.ffffffp127), -infinity},
                 {bits(1e300), infinity},
                 {bits(-std::numeric_limits<double>::infinity()), -infinity},
                 {bits(0x1p-149), 0x1p-149F},
                 {bits(0x1p-150), 0},
                 {bits(0x1.0000000000001p-150), 0x1p-149F},
                 {bits(-1e-300), -0.0F}});
  CHECK(std::isnan(read({.size = 8}, {bits(std::numeric_limits<double>::quiet_NaN())}).at(0)));
}

TEST_CASE("Integers of every size, signed and unsigned") {
  for (const std::size_t size : {1, 2, 4, 8}) {
    const auto num_bits = static_cast<int>(8 * size);
    const auto unused = static_cast<unsigned>(64 - num_bits);
    const std::uint64_t ones = ~std::uint64_t{0} >> unused;
    const std::uint64_t lowest = (ones >> 1U) + 1;
    // One less than a power of two rounds up to it where a float has no room for it.
    const auto below_power = [](int power) {
      return static_cast<float>(std::ldexp(1.0, power) - 1);
    };
    const auto power = static_cast<float>(std::ldexp(1.0, num_bits - 1));
    check_numbers(NumberType::signed_integer, size,
                  {{0, 0},
                   {1, 1},
                   {ones, -1},
                   {ones - 1, -2},
                   {lowest, -power},
                   {lowest - 1, below_power(num_bits - 1)}});
    check_numbers(NumberType::unsigned_integer, size,
                  {{0, 0},
                   {1, 1},
                   {100, 100},
                   {lowest, power},
                   {lowest - 1, below_power(num_bits - 1)},
                   {ones, below_power(num_bits)}});
  }
  check_numbers(NumberType::signed_integer, 2, {{0x0102, 258}, {0xFF00, -256}});
  check_numbers(NumberType::unsigned_integer, 4, {{0x01020304, 16'909'060}});
  check_numbers(NumberType::signed_integer, 8,
                {{0x0102030405060708, 72'623'859'790'382'856.0F},
                 {16'777'217, 16'777'216},
                 {16'777'219, 16'777'220}});
  // A boolean is 1 whatever byte says that it is true.
  check_numbers(NumberType::boolean, 1, {{0, 0}, {1, 1}, {2, 1}, {255, 1}});
}

TEST_CASE("Numbers in column-major order are put into row-major order") {
  const std::vector<std::vector<std::size_t>> shapes = {
      {}, {5}, {2, 3}, {4, 1}, {3, 1, 2}, {2, 3, 4, 5}, {0}, {3, 0}, {2, 3, 0, 4}};
  for (const std::vector<std::size_t>& shape : shapes) {
    CAPTURE(shape);
    auto columns = xt::xarray<float, xt::layout_type::column_major>::from_shape(shape);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      columns.data()[i] = static_cast<float>(i);
    }
    const xt::xarray<float> expected = columns;
    Floats rows(columns.size() + 1, guard);
    io::to_row_major(shape.data(), shape.size(), columns.data(), rows.data());
    CHECK(rows.back() == guard);
    rows.pop_back();
    CHECK(same_bits(rows, expected));
  }
}

}  // namespace
}  // namespace headwise::test
