#include <bit>
#include <cmath>
#include <cstring>
#include <headwise/core/io/number_types.hpp>
#include <limits>

namespace headwise::io {
namespace {

static_assert(std::endian::native == std::endian::little,
              "files hold little-endian numbers, which are copied as they are");

constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

/// The bytes of one number, the lowest first.
std::uint64_t bits_of(const std::byte* bytes, std::size_t size, bool big_endian) noexcept {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const std::size_t place = big_endian ? size - 1 - i : i;
    bits |= std::to_integer<std::uint64_t>(bytes[i]) << (8 * place);
  }
  return bits;
}

constexpr std::uint64_t sign_bit = 0x80;

/// Decodes an 8-bit float with `fraction_bits` and this exponent bias, and no infinities. Exact, as
/// for halves.
float small_float(std::uint64_t bits, unsigned fraction_bits, int bias) noexcept {
  const auto magnitude = static_cast<std::uint32_t>(bits & ~sign_bit);
  const auto scale = std::bit_cast<float>(static_cast<std::uint32_t>(254 - bias) << 23U);
  const float number = std::bit_cast<float>(magnitude << (23U - fraction_bits)) * scale;
  return (bits & sign_bit) != 0 ? -number : number;
}

float float_of(NumberType type, std::uint64_t bits, std::size_t size) noexcept {
  switch (type) {
    case NumberType::boolean:
      return bits != 0 ? 1.0F : 0.0F;
    case NumberType::signed_integer: {
      const auto unused = static_cast<unsigned>(64 - 8 * size) % 64;
      return static_cast<float>(static_cast<std::int64_t>(bits << unused) >> unused);
    }
    case NumberType::unsigned_integer:
      return static_cast<float>(bits);
    case NumberType::bfloat:
      return std::bit_cast<float>(static_cast<std::uint32_t>(bits << 16U));
    case NumberType::e4m3:
      return (bits & ~sign_bit) == 0x7F ? not_a_number : small_float(bits, 3, 7);
    case NumberType::e4m3_fnuz:
      return bits == sign_bit ? not_a_number : small_float(bits, 3, 8);
    case NumberType::e5m2_fnuz:
      return bits == sign_bit ? not_a_number : small_float(bits, 2, 16);
    case NumberType::power_of_2:
      // 2^−127 is subnormal as a float32.
      return bits == 0xFF ? not_a_number
             : bits == 0  ? 0x1p-127F
                          : std::bit_cast<float>(static_cast<std::uint32_t>(bits << 23U));
    case NumberType::floating:
      break;
  }
  switch (size) {
    case sizeof(std::uint8_t):
      return half_to_float(static_cast<std::uint16_t>(bits << 8U));
    case sizeof(std::uint16_t):
      return half_to_float(static_cast<std::uint16_t>(bits));
    case sizeof(float):
      return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    default:
      return static_cast<float>(std::bit_cast<double>(bits));
  }
}

}  // namespace

std::uint16_t float_to_half(float number) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(number);
  const std::uint32_t sign = (bits >> 16U) & 0x8000U;
  std::uint32_t magnitude = bits & 0x7FFFFFFFU;
  const auto absolute = std::bit_cast<float>(magnitude);
  if (!(absolute < 65520.0F)) {
    return static_cast<std::uint16_t>(sign | (std::isnan(number) ? 0x7E00U : 0x7C00U));
  }
  if (absolute < 0x1p-14F) {
    // Subnormal numbers are multiples of 2^-24, as the floats from 0.5 to 1.
    return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(absolute + 0.5F) -
                                              std::bit_cast<std::uint32_t>(0.5F)));
  }
  constexpr std::uint32_t half_a_unit = 0x0FFF;
  magnitude += half_a_unit + ((magnitude >> 13U) & 1U);
  constexpr std::uint32_t exponent_difference = 112U << 10U;
  return static_cast<std::uint16_t>(sign | ((magnitude >> 13U) - exponent_difference));
}

float half_to_float(std::uint16_t half) noexcept {
  const std::uint32_t sign = (half & 0x8000U) << 16U;
  const std::uint32_t magnitude = half & 0x7FFFU;
  constexpr std::uint32_t infinity = 0x7C00U;
  if (magnitude >= infinity) {
    return std::bit_cast<float>(sign | 0x7F800000U | ((magnitude - infinity) << 13U));
  }
  // As float32 bits the magnitude is too small by 2^112, subnormal numbers included.
  const float scaled = std::bit_cast<float>(magnitude << 13U) * 0x1p112F;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(scaled) | sign);
}

void to_floats(const NumberFormat& format, const std::byte* from, std::size_t count,
               float* to) noexcept {
  const bool is_float =
      format.type == NumberType::floating && format.size == sizeof(float) && !format.big_endian;
  if (is_float && count > 0) {
    std::memcpy(to, from, count * sizeof(float));
    return;
  }
  for (std::size_t i = 0; i < count; ++i) {
    to[i] = float_of(format.type, bits_of(from + i * format.size, format.size, format.big_endian),
                     format.size);
  }
}

void to_row_major(const std::size_t* shape, std::size_t rank, const float* from,
                  float* to) noexcept {
  std::size_t count = 1;
  for (std::size_t axis = 0; axis < rank; ++axis) {
    count *= shape[axis];
  }
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t rest = i;
    std::size_t offset = 0;
    std::size_t stride = count;
    for (std::size_t axis = 0; axis < rank; ++axis) {
      stride /= shape[axis];
      offset += (rest % shape[axis]) * stride;
      rest /= shape[axis];
    }
    to[offset] = from[i];
  }
}

}  // namespace headwise::io
