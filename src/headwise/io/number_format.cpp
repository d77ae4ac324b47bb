#include <array>
#include <bit>
#include <cstring>
#include <headwise/io/number_format.hpp>
#include <utility>

namespace headwise::io {
namespace {

constexpr std::uint64_t count_limit = std::uint64_t{1} << 53U;

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

std::optional<NumberFormat> format_of_dtype(std::string_view dtype) noexcept {
  constexpr std::array<std::pair<std::string_view, NumberFormat>, 13> formats = {{
      {"F32", {NumberKind::floating, 4}},
      {"F16", {NumberKind::floating, 2}},
      {"BF16", {NumberKind::brain_floating, 2}},
      {"F64", {NumberKind::floating, 8}},
      {"I64", {NumberKind::signed_integer, 8}},
      {"I32", {NumberKind::signed_integer, 4}},
      {"I16", {NumberKind::signed_integer, 2}},
      {"I8", {NumberKind::signed_integer, 1}},
      {"U64", {NumberKind::unsigned_integer, 8}},
      {"U32", {NumberKind::unsigned_integer, 4}},
      {"U16", {NumberKind::unsigned_integer, 2}},
      {"U8", {NumberKind::unsigned_integer, 1}},
      {"BOOL", {NumberKind::boolean, 1}},
  }};
  for (const auto& [name, format] : formats) {
    if (name == dtype) {
      return format;
    }
  }
  return std::nullopt;
}

std::optional<NumberFormat> format_of_descr(std::string_view descr) noexcept {
  if (descr.size() != 3) {
    return std::nullopt;
  }
  const char order = descr[0];
  const auto size = static_cast<std::uint8_t>(descr[2] - '0');
  const bool power_of_two = size == 1 || size == 2 || size == 4 || size == 8;
  if (!power_of_two || (order != '<' && order != '>' && !(order == '|' && size == 1))) {
    return std::nullopt;
  }
  const bool big_endian = order == '>';
  if (descr[1] == 'f' && size > 1) {
    return NumberFormat{NumberKind::floating, size, big_endian};
  }
  if (descr[1] == 'i') {
    return NumberFormat{NumberKind::signed_integer, size, big_endian};
  }
  if (descr[1] == 'u') {
    return NumberFormat{NumberKind::unsigned_integer, size, big_endian};
  }
  if (descr[1] == 'b' && size == 1) {
    return NumberFormat{NumberKind::boolean, size, big_endian};
  }
  return std::nullopt;
}

std::optional<std::uint64_t> count_of(std::span<const std::uint64_t> shape) noexcept {
  std::uint64_t count = 1;
  for (const std::uint64_t size : shape) {
    if (size >= count_limit || (size != 0 && count >= count_limit / size)) {
      return std::nullopt;
    }
    count *= size;
  }
  return count;
}

void to_floats(const StoredNumbers& numbers, float* floats) noexcept {
  const auto [data, format, shape, fortran_order] = numbers;
  const std::uint64_t count = count_of(shape).value_or(0);
  if (count == 0) {
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
