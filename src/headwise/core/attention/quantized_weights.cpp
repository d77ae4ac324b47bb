#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <headwise/core/attention/quantized_weights.hpp>
#include <headwise/core/kernels/dispatch.hpp>
#include <headwise/core/memory/arena.hpp>
#include <limits>

namespace headwise {
namespace {

/// The factor of an output's int8 weights, with 17 bits: seven fewer, as many as the integers have.
float int8_scale(const float* row, std::size_t count) noexcept {
  const float largest = largest_magnitude(row, count);
  if (!(largest > 0)) {
    return largest;
  }
  constexpr float max_integer = kernels::max_int8;
  // Denormal numbers have fewer bits: their factor is found among larger ones.
  const float up = largest < 0x1p-64F ? 0x1p64F : 1.0F;
  constexpr std::uint32_t unit = 1U << 7U;
  const auto wide = std::bit_cast<std::uint32_t>(largest * up / max_integer);
  float scale = std::bit_cast<float>((wide + unit - 1) & ~(unit - 1)) / up;
  if (scale * max_integer < largest) {
    scale = std::bit_cast<float>(std::bit_cast<std::uint32_t>(scale) + 1);
  } else if (std::isinf(scale * max_integer)) {
    scale = std::bit_cast<float>(std::bit_cast<std::uint32_t>(scale) - unit);
  }
  return scale;
}

/// An int8 weight by its output's factor; 0 for one of 0 or NaN.
std::int8_t int8_of(float number, float scale) noexcept {
  return scale > 0 ? static_cast<std::int8_t>(std::nearbyint(number / scale)) : std::int8_t{0};
}

/// Whether int4 holds all weights exactly, as multiples of a factor. Not inlined, because it would
/// be repeated 16 times.
[[gnu::noinline]] bool are_int4(const float* weights, std::size_t count, float factor) noexcept {
  return std::all_of(weights, weights + count, [factor](float weight) {
    const float integer = std::nearbyint(weight / factor);
    // From −8 to 7.
    return std::abs(integer + 0.5F) < kernels::int4_offset && integer * factor == weight;
  });
}

/// The factor of a block of int4 weights whose largest is not close to 0.
float int4_factor(const float* weights, std::size_t count, float largest) noexcept {
  // Weights that were rounded elsewhere stay as they are, whatever their largest integer. The
  // factor of 0 is infinite, which fits no weights.
  for (int integer = -kernels::int4_offset; integer < kernels::int4_offset; ++integer) {
    const float factor = largest / static_cast<float>(integer);
    if (are_int4(weights, count, factor)) {
      return factor;
    }
  }
  return largest / -kernels::int4_offset;
}

/// Floats before the integers: the factors, whole panels of them.
std::size_t scales_size(std::size_t out) noexcept { return kernels::round_up_to_panel(out); }

std::size_t bytes_of(Precision precision) noexcept {
  return precision == Precision::int8 ? sizeof(std::int8_t) : sizeof(std::int16_t);
}

/// The factors of the block of int4 weights that has a column and a depth: one for each column of
/// the panel. The words of the block are behind them.
template <typename Float>
Float* int4_factors(Float* packed, std::size_t in, std::size_t column, std::size_t depth) noexcept {
  const std::size_t width = kernels::panel_width();
  return packed + column / width * kernels::int4_panel_size(in) +
         depth / kernels::int4_block * kernels::int4_block_floats * width;
}

/// Which word of its block has the integer of a depth, and by how many bits it is shifted.
struct Int4Place {
  std::size_t word;
  unsigned shift;
};

Int4Place int4_place(std::size_t depth, std::size_t column) noexcept {
  const std::size_t in_block = depth % kernels::int4_block;
  return {.word = kernels::quantized_place(in_block % kernels::quantized_block,
                                           column % kernels::panel_width(), 0),
          .shift = static_cast<unsigned>(in_block / kernels::quantized_block * 4)};
}

/// The nearest number that float16 holds, the even one of two, as `io::float_to_half` has it.
float round_to_half(float number) noexcept {
  const float magnitude = std::abs(number);
  if (!(magnitude < 65520.0F)) {
    return std::isnan(number) ? number : std::copysign(HUGE_VALF, number);
  }
  if (magnitude < 0x1p-14F) {
    // Multiples of 2^-24, as the floats from 0.5 to 1.
    return std::copysign((magnitude + 0.5F) - 0.5F, number);
  }
  constexpr std::uint32_t unused = (1U << 13U) - 1;
  const auto bits = std::bit_cast<std::uint32_t>(number);
  return std::bit_cast<float>((bits + unused / 2 + ((bits >> 13U) & 1U)) & ~unused);
}

}  // namespace

float largest_magnitude(const float* numbers, std::size_t count) noexcept {
  float largest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const float magnitude = std::abs(numbers[i]);
    if (!std::isfinite(magnitude)) {
      return std::numeric_limits<float>::quiet_NaN();
    }
    largest = std::max(largest, magnitude);
  }
  return largest;
}

std::int16_t to_integer(float number, float largest, int max_integer) noexcept {
  const auto most = static_cast<float>(max_integer);
  return largest > 0 ? static_cast<std::int16_t>(std::nearbyint(number / largest * most))
                     : std::int16_t{0};
}

void round_to_float16(float* numbers, std::size_t count) noexcept {
  std::transform(numbers, numbers + count, numbers, round_to_half);
}

float to_int8(const float* row, std::size_t in, std::int8_t* integers) noexcept {
  const float scale = int8_scale(row, in);
  for (std::size_t k = 0; k < in; ++k) {
    integers[k] = int8_of(row[k], scale);
  }
  return scale;
}

float to_int4(const float* weights, std::size_t count, std::int8_t* integers) noexcept {
  float largest = 0;
  bool is_finite = true;
  for (std::size_t k = 0; k < count; ++k) {
    is_finite = is_finite && std::isfinite(weights[k]);
    largest = std::abs(weights[k]) > std::abs(largest) ? weights[k] : largest;
  }
  // An eighth of a smaller number would not be exact.
  const bool is_zero = !is_finite || std::abs(largest) < 0x1p-120F;
  const float scale = is_zero ? 0.0F : int4_factor(weights, count, largest);
  for (std::size_t k = 0; k < count; ++k) {
    integers[k] =
        is_zero ? std::int8_t{0}
                : static_cast<std::int8_t>(std::min(std::nearbyint(weights[k] / scale), 7.0F));
  }
  return is_finite ? scale : std::numeric_limits<float>::quiet_NaN();
}

void pack_int4(const float* row, std::size_t column, std::size_t in, float* packed) noexcept {
  for (std::size_t first = 0; first < in; first += kernels::int4_block) {
    std::array<std::int8_t, kernels::int4_block> integers{};
    const std::size_t count = std::min(kernels::int4_block, in - first);
    float* const factors = int4_factors(packed, in, column, first);
    factors[column % kernels::panel_width()] = to_int4(row + first, count, integers.data());
    auto* const words = reinterpret_cast<std::uint16_t*>(factors + kernels::panel_width());
    for (std::size_t k = 0; k < kernels::int4_block; ++k) {
      const auto [word, shift] = int4_place(k, column);
      const auto bits = static_cast<unsigned>(integers[k] + kernels::int4_offset) << shift;
      // The lowest bits are written first.
      words[word] = static_cast<std::uint16_t>(shift == 0 ? bits : words[word] | bits);
    }
  }
}

void unpack_int4(const float* packed, std::size_t column, std::size_t in, std::size_t first,
                 std::size_t count, float* row) noexcept {
  for (std::size_t k = 0; k < count; ++k) {
    const float* const factors = int4_factors(packed, in, column, first + k);
    const auto* const words =
        reinterpret_cast<const std::uint16_t*>(factors + kernels::panel_width());
    const auto [word, shift] = int4_place(first + k, column);
    const unsigned bits = (unsigned{words[word]} >> shift) & 15U;
    row[k] = static_cast<float>(static_cast<int>(bits) - kernels::int4_offset) *
             factors[column % kernels::panel_width()];
  }
}

kernels::Int4Matrix int4_weights(std::size_t in, const float* packed,
                                 std::size_t first_column) noexcept {
  const std::size_t stride = kernels::int4_panel_size(in);
  return {.blocks = packed + first_column / kernels::panel_width() * stride,
          .panel_stride = stride};
}

std::size_t quantized_size(Precision precision, std::size_t out, std::size_t in) noexcept {
  const std::size_t panels = scales_size(out) / kernels::panel_width();
  if (precision == Precision::int4) {
    return saturating_product(kernels::int4_panel_size(in), panels);
  }
  const std::size_t bytes =
      saturating_product(kernels::quantized_panel_size(in), panels, bytes_of(precision));
  return saturating_sum(scales_size(out), bytes / sizeof(float));
}

void pack_float16(std::size_t out, std::size_t in, const float* weight, float* packed) noexcept {
  const std::size_t stride = kernels::quantized_panel_size(in);
  auto* integers = reinterpret_cast<std::int16_t*>(packed + scales_size(out));
  for (std::size_t column = 0; column < out; ++column) {
    const float* row = weight + column * in;
    packed[column] = largest_magnitude(row, in);
    for (std::size_t k = 0; k < in; ++k) {
      integers[kernels::quantized_place(k, column, stride)] =
          to_integer(row[k], packed[column], kernels::max_int16);
    }
  }
}

void pack_int8(const float* row, std::size_t column, std::size_t out, std::size_t in,
               float* packed) noexcept {
  const float scale = int8_scale(row, in);
  packed[column] = scale * kernels::max_int8;
  std::int8_t* integers = reinterpret_cast<std::int8_t*>(packed + scales_size(out)) +
                          kernels::quantized_place(0, column, kernels::quantized_panel_size(in));
  for (std::size_t k = 0; k < in; ++k) {
    integers[kernels::quantized_place(k, 0, 0)] = int8_of(row[k], scale);
  }
}

void unpack_int8(const float* packed, std::size_t column, std::size_t out, std::size_t in,
                 std::size_t first, std::size_t count, float* row) noexcept {
  // Exact, as the product was.
  const float scale = packed[column] / kernels::max_int8;
  const std::int8_t* integers =
      reinterpret_cast<const std::int8_t*>(packed + scales_size(out)) +
      kernels::quantized_place(0, column, kernels::quantized_panel_size(in));
  for (std::size_t k = 0; k < count; ++k) {
    row[k] = static_cast<float>(integers[kernels::quantized_place(first + k, 0, 0)]) * scale;
  }
}

kernels::QuantizedMatrix quantized_weights(Precision precision, std::size_t out, std::size_t in,
                                           const float* packed, std::size_t first_column) noexcept {
  const std::size_t stride = kernels::quantized_panel_size(in);
  const std::size_t offset = first_column / kernels::panel_width() * stride;
  const float* integers = packed + scales_size(out);
  kernels::QuantizedMatrix matrix{.panel_stride = stride, .column_scales = packed + first_column};
  if (precision == Precision::int8) {
    matrix.int8 = reinterpret_cast<const std::int8_t*>(integers) + offset;
  } else {
    matrix.int16 = reinterpret_cast<const std::int16_t*>(integers) + offset;
  }
  return matrix;
}

}  // namespace headwise
