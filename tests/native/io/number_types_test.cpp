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

/// What a half of IEEE 754 is worth; NaN among them.
double half_value(unsigned half) {
  const unsigned exponent = (half >> 10U) & 31U;
  const unsigned fraction = half & 1023U;
  const double sign = half < 0x8000U ? 1 : -1;
  if (exponent == 31) {
    return fraction == 0 ? sign * infinity : sign * nan;
  }
  return sign * (exponent == 0 ? std::ldexp(fraction, -24)
                               : std::ldexp(1024 + fraction, static_cast<int>(exponent) - 25));
}

std::vector<std::uint64_t> all_16_bits() {
  std::vector<std::uint64_t> patterns(65'536);
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    patterns[i] = i;
  }
  return patterns;
}

TEST_CASE("Every half is read as the number it is") {
  const auto patterns = all_16_bits();
  for (const bool big_endian : {false, true}) {
    const Floats floats = read({.size = 2, .big_endian = big_endian}, patterns);
    std::vector<std::size_t> wrong;
    std::size_t num_nans = 0;
    for (std::size_t half = 0; half < floats.size(); ++half) {
      const double expected = half_value(static_cast<unsigned>(half));
      const double got = floats[half];
      const bool same = std::isnan(expected) ? std::isnan(got) : got == expected;
      num_nans += std::isnan(got) ? 1 : 0;
      if (!same || std::signbit(got) != (half >= 0x8000U)) {
        wrong.push_back(half);
      }
    }
    CHECK(wrong == std::vector<std::size_t>{});
    CHECK(num_nans == 2 * 1023);
  }
}

TEST_CASE("Every bfloat is the upper half of a float") {
  const auto patterns = all_16_bits();
  for (const bool big_endian : {false, true}) {
    const Floats floats =
        read({.type = NumberType::bfloat, .size = 2, .big_endian = big_endian}, patterns);
    std::vector<std::size_t> wrong;
    for (std::size_t bits = 0; bits < floats.size(); ++bits) {
      if (std::bit_cast<std::uint32_t>(floats[bits]) != bits * 65'536) {
        wrong.push_back(bits);
      }
    }
    CHECK(wrong == std::vector<std::size_t>{});
    CHECK(floats[0x3FC0] == 1.5F);
    CHECK(floats[0xC2F7] == -123.5F);
  }
}

struct SmallFloat {
  NumberType type;
  int exponent_bits;
  int bias;
  bool has_infinities;
  std::vector<unsigned> nans;
};

/// What a byte is worth.
double small_value(const SmallFloat& kind, unsigned byte) {
  const int fraction_bits = 7 - kind.exponent_bits;
  const auto exponent = static_cast<int>((byte & 0x7FU) >> static_cast<unsigned>(fraction_bits));
  const auto fraction = static_cast<int>(byte) & ((1 << fraction_bits) - 1);
  const double sign = byte < 0x80U ? 1 : -1;
  const bool is_largest = exponent == (1 << kind.exponent_bits) - 1;
  if (std::find(kind.nans.begin(), kind.nans.end(), byte) != kind.nans.end()) {
    return nan;
  }
  if (kind.has_infinities && is_largest) {
    return fraction == 0 ? sign * infinity : nan;
  }
  return sign * (exponent == 0 ? std::ldexp(fraction, 1 - kind.bias - fraction_bits)
                               : std::ldexp((1 << fraction_bits) + fraction,
                                            exponent - kind.bias - fraction_bits));
}

TEST_CASE("Every float of one byte is read as the number it is") {
  std::vector<std::uint64_t> bytes(256);
  std::iota(bytes.begin(), bytes.end(), 0);
  for (const SmallFloat& kind : {SmallFloat{NumberType::floating, 5, 15, true, {}},
                                 SmallFloat{NumberType::e4m3, 4, 7, false, {0x7F, 0xFF}},
                                 SmallFloat{NumberType::e5m2_fnuz, 5, 16, false, {0x80}},
                                 SmallFloat{NumberType::e4m3_fnuz, 4, 8, false, {0x80}}}) {
    CAPTURE(kind.type);
    const Floats floats = read({.type = kind.type, .size = 1}, bytes);
    std::vector<unsigned> wrong;
    for (unsigned byte = 0; byte < floats.size(); ++byte) {
      const double expected = small_value(kind, byte);
      const double got = floats[byte];
      const bool same = std::isnan(expected)
                            ? std::isnan(got)
                            : got == expected && std::signbit(got) == std::signbit(expected);
      if (!same) {
        wrong.push_back(byte);
      }
    }
    CHECK(wrong == std::vector<unsigned>{});
  }
  const Floats powers = read({.type = NumberType::power_of_2, .size = 1}, bytes);
  for (int byte = 0; byte < 255; ++byte) {
    CHECK(powers[static_cast<std::size_t>(byte)] == std::ldexp(1.0, byte - 127));
  }
  CHECK(std::isnan(powers.at(255)));
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
}

TEST_CASE("Booleans are 0 and 1, whatever byte says that they are true") {
  check_numbers(NumberType::boolean, 1, {{0, 0}, {1, 1}, {2, 1}, {255, 1}});
}

TEST_CASE("Numbers in column-major order are put into row-major order") {
  for (const std::vector<std::size_t>& shape : {std::vector<std::size_t>{},
                                                {5},
                                                {2, 3},
                                                {3, 2},
                                                {1, 4},
                                                {4, 1},
                                                {2, 3, 4},
                                                {3, 1, 2},
                                                {1, 1, 1},
                                                {2, 3, 4, 5},
                                                {2, 1, 3, 1},
                                                {0},
                                                {3, 0},
                                                {0, 2, 3},
                                                {2, 3, 0, 4}}) {
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
