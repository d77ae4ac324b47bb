#pragma once

#include <bit>
#include <cstdint>

namespace example {

/// The bits of the nearest float16 number, of two the even one; numbers beyond its range become
/// infinite. Source: IEEE 754, binary16.
inline std::uint16_t to_float16(float number) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(number);
  const std::uint32_t sign = (bits >> 16U) & 0x8000U;
  const std::uint32_t magnitude = bits & 0x7FFFFFFFU;
  constexpr std::uint32_t infinity = 0x7F800000U;
  constexpr std::uint32_t first_infinite = 0x477FF000U;   // 65520, halfway from the largest number
  constexpr std::uint32_t smallest_normal = 0x38800000U;  // 2^-14
  if (magnitude > infinity) {
    return static_cast<std::uint16_t>(sign | 0x7E00U);
  }
  if (magnitude >= first_infinite) {
    return static_cast<std::uint16_t>(sign | 0x7C00U);
  }
  if (magnitude < smallest_normal) {
    // A multiple of 2^-24, to which the sum with 0.5 is rounded by the processor.
    const float rounded = std::bit_cast<float>(magnitude) + 0.5F;
    return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(rounded) & 0x7FFU));
  }
  // 13 bits fewer, and an exponent whose bias is 15 in place of 127.
  const std::uint32_t is_odd = (magnitude >> 13U) & 1U;
  const std::uint32_t rounded = magnitude + 0xFFFU + is_odd - (112U << 23U);
  return static_cast<std::uint16_t>(sign | (rounded >> 13U));
}

}  // namespace example
