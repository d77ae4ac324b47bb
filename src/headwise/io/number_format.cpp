#include <array>
#include <bit>
#include <cstring>
#include <headwise/io/number_format.hpp>
#include <utility>

namespace headwise::io {
namespace {

constexpr std::uint64_t count_limit = std::uint64_t{1} << 53U;

constexpr std::array<NumberKind, 4> numeric_kinds = {
    NumberKind::floating, NumberKind::signed_integer, NumberKind::unsigned_integer,
    NumberKind::boolean};

float from_half(std::uint32_t half) noexcept {
  const std::uint32_t sign = (half & 0x8000U) << 16U;
  const std::uint32_t exponent = (half >> 10U) & 0x1FU;
  const std::uint32_t fraction = half & 0x3FFU;
  if (exponent == 0) {
    const float magnitude = static_cast<float>(fraction) * 0x1p-24F;
    return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(magnitude));
  }
  const std::uint32_t wide_exponent = exponent == 0x1F ? 0xFFU : exponent + (127 - 15);
  return std::bit_cast<float>(sign | wide_exponent << 23U | fraction << 13U);
}

float from_floating(std::uint64_t bits, unsigned size) noexcept {
  switch (size) {
    case 2:
      return from_half(static_cast<std::uint32_t>(bits));
    case 4:
      return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    default:
      return static_cast<float>(std::bit_cast<double>(bits));
  }
}

float to_float(std::uint64_t bits, const NumberFormat& format) noexcept {
  switch (format.kind) {
    case NumberKind::floating:
      return from_floating(bits, format.size);
    case NumberKind::brain_floating:
      return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U);
    case NumberKind::signed_integer: {
      // Shifting up and down again copies the sign into the upper bits.
      const unsigned unused = 64U - 8U * format.size;
      return static_cast<float>(static_cast<std::int64_t>(bits << unused) >> unused);
    }
    case NumberKind::unsigned_integer:
      return static_cast<float>(bits);
    case NumberKind::boolean:
      return bits != 0 ? 1.0F : 0.0F;
  }
  return 0;
}

std::uint64_t load(const std::byte* from, const NumberFormat& format) noexcept {
  std::uint64_t bits = 0;
  for (unsigned i = 0; i < format.size; ++i) {
    const unsigned place = format.big_endian ? format.size - 1U - i : i;
    bits |= std::to_integer<std::uint64_t>(from[i]) << 8U * place;
  }
  return bits;
}

/// Where the number of this place in Fortran order stands in row-major order: its index counts axes
/// from the first on.
std::size_t place_in_rows(std::size_t place, std::span<const std::uint64_t> shape,
                          std::uint64_t count) noexcept {
  std::uint64_t rest = place;
  std::uint64_t in_rows = 0;
  for (const std::uint64_t size : shape) {
    count /= size;
    in_rows += rest % size * count;
    rest /= size;
  }
  return static_cast<std::size_t>(in_rows);
}

}  // namespace

bool find_dtype(std::string_view dtype, NumberFormat& format) noexcept {
  const auto is = [dtype](std::string_view name) { return dtype == name; };
  const auto set = [&format](NumberKind kind, std::uint8_t size) {
    format = {.kind = kind, .size = size};
    return true;
  };
  if (is("BF16")) {
    return set(NumberKind::brain_floating, 2);
  }
  if (is("BOOL")) {
    return set(NumberKind::boolean, 1);
  }
  // F16, U8 and so on.
  const std::size_t kind = dtype.empty() ? 3 : std::string_view("FIU").find(dtype[0]);
  for (const auto& [bits, size] : {std::pair("8", 1), {"16", 2}, {"32", 4}, {"64", 8}}) {
    if (kind < 3 && dtype.substr(1) == bits && (kind > 0 || size > 1)) {
      return set(numeric_kinds[kind], static_cast<std::uint8_t>(size));
    }
  }
  return false;
}

bool find_descr(std::string_view descr, NumberFormat& format) noexcept {
  // <f4, |b1 and so on.
  if (descr.size() != 3) {
    return false;
  }
  const auto size = static_cast<std::uint8_t>(descr[2] - '0');
  const std::size_t order = std::string_view("<>|").find(descr[0]);
  const std::size_t kind = std::string_view("fiub").find(descr[1]);
  const bool power_of_two = size == 1 || size == 2 || size == 4 || size == 8;
  // Floats have more bytes than one, bools have one, and only one byte has no order.
  if (!power_of_two || kind > 3 || order > 2 || (kind == 0 && size == 1) ||
      (kind == 3 && size > 1) || (order == 2 && size > 1)) {
    return false;
  }
  format = {.kind = numeric_kinds[kind], .size = size, .big_endian = order == 1};
  return true;
}

bool find_count(std::span<const std::uint64_t> shape, std::uint64_t& count) noexcept {
  count = 1;
  for (const std::uint64_t size : shape) {
    if (size >= count_limit || (size != 0 && count >= count_limit / size)) {
      return false;
    }
    count *= size;
  }
  return true;
}

void to_floats(const StoredNumbers& numbers, float* floats) noexcept {
  const auto [data, format, shape, fortran_order] = numbers;
  std::uint64_t count = 0;
  if (!find_count(shape, count) || count == 0) {
    return;
  }
  const bool same = format.kind == NumberKind::floating && format.size == sizeof(float) &&
                    !format.big_endian && std::endian::native == std::endian::little;
  if (same && !fortran_order) {
    std::memcpy(floats, data, static_cast<std::size_t>(count) * sizeof(float));
    return;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const float number = to_float(load(data + i * format.size, format), format);
    floats[fortran_order ? place_in_rows(i, shape, count) : i] = number;
  }
}

}  // namespace headwise::io
