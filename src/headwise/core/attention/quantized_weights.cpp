#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <headwise/core/attention/quantized_weights.hpp>
#include <headwise/core/io/number_types.hpp>
#include <headwise/core/kernels/dispatch.hpp>
#include <headwise/core/memory/arena.hpp>
#include <limits>

namespace headwise {
namespace {

constexpr int max_int8 = 127;

/// The factor of an output's int8 weights, with 17 bits: seven fewer, as many as the integers have.
float int8_scale(const float* row, std::size_t count) noexcept {
  const float scale = quantization_scale(row, count, 1, max_int8);
  constexpr std::uint32_t unused = (1U << 7U) - 1;
  return std::isnan(scale)
             ? scale
             : std::bit_cast<float>((std::bit_cast<std::uint32_t>(scale) + unused) & ~unused);
}

/// Floats before the integers: the factors, whole panels of them.
std::size_t scales_size(std::size_t out) noexcept { return kernels::round_up_to_panel(out); }

std::size_t bytes_of(Precision precision) noexcept {
  return precision == Precision::int8 ? sizeof(std::int8_t) : sizeof(std::int16_t);
}

template <typename Integer>
void write_row(std::size_t column, std::size_t in, const float* row, float scale,
               Integer* panels) noexcept {
  const std::size_t stride = kernels::quantized_panel_size(in);
  for (std::size_t k = 0; k < in; ++k) {
    panels[kernels::quantized_place(k, column, stride)] =
        static_cast<Integer>(quantized(row[k], scale));
  }
}

}  // namespace

float quantization_scale(const float* numbers, std::size_t count, std::size_t stride,
                         int max_integer) noexcept {
  float largest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const float magnitude = std::abs(numbers[i * stride]);
    if (!std::isfinite(magnitude)) {
      return std::numeric_limits<float>::quiet_NaN();
    }
    largest = std::max(largest, magnitude);
  }
  constexpr float least_magnitude = 1e-30F;
  return largest < least_magnitude ? 0.0F : largest / static_cast<float>(max_integer);
}

int quantized(float number, float scale) noexcept {
  return scale > 0.0F ? static_cast<int>(std::nearbyint(number / scale)) : 0;
}

void round_weights(Precision precision, std::size_t out, std::size_t in, float* weight) noexcept {
  if (precision == Precision::float16) {
    std::for_each_n(weight, out * in,
                    [](float& number) { number = io::half_to_float(io::float_to_half(number)); });
  }
  for (std::size_t row = 0; precision == Precision::int8 && row < out; ++row) {
    float* numbers = weight + row * in;
    const float scale = int8_scale(numbers, in);
    for (std::size_t k = 0; !std::isnan(scale) && k < in; ++k) {
      numbers[k] = static_cast<float>(quantized(numbers[k], scale)) * scale;
    }
  }
}

std::size_t quantized_size(Precision precision, std::size_t out, std::size_t in) noexcept {
  const std::size_t panels = scales_size(out) / kernels::panel_width();
  const std::size_t bytes =
      saturating_product(kernels::quantized_panel_size(in), panels, bytes_of(precision));
  return saturating_sum(scales_size(out), bytes / sizeof(float));
}

void quantize_weights(Precision precision, std::size_t out, std::size_t in, const float* weight,
                      float* packed) noexcept {
  float* integers = packed + scales_size(out);
  for (std::size_t column = 0; column < out; ++column) {
    const float* row = weight + column * in;
    if (precision == Precision::int8) {
      packed[column] = int8_scale(row, in);
      write_row(column, in, row, packed[column], reinterpret_cast<std::int8_t*>(integers));
    } else {
      packed[column] = quantization_scale(row, in, 1, kernels::max_int16);
      write_row(column, in, row, packed[column], reinterpret_cast<std::int16_t*>(integers));
    }
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
