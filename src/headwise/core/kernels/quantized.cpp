#include <headwise/core/kernels/quantized.hpp>
#include <headwise/core/kernels/simd.hpp>
#include <limits>

namespace headwise::kernels::HEADWISE_TARGET {
namespace {

/// Integers of two depths side by side, which one instruction multiplies and adds.
constexpr std::size_t pair = 2;

/// Depths that are rounded to integers at a time, on the stack.
constexpr std::size_t chunk_depth = 2048;

/// A row of floats as integers: each block stands for its integers / `max_int16` · its scale ·
/// 2^exponent. The exponent is 0 unless the largest number is far from 1: no sum overflows.
struct QuantizedRow {
  Array<std::int16_t, chunk_depth> integers;
  Array<float, chunk_depth / quantized_block> scales;
  int exponent;
};

/// Half a block.
constexpr std::size_t half = Four::size;

constexpr int exponent_bias = 127;
constexpr int fraction_bits = 23;

/// 2^exponent, of a normal number.
float power_of_2(int exponent) noexcept {
  const std::int32_t bits = (exponent + exponent_bias) << fraction_bits;
  float power = 0;
  __builtin_memcpy(&power, &bits, sizeof(power));
  return power;
}

/// Exponents that leave room for products of three such numbers.
constexpr int near_1 = 32;

/// Whether a magnitude is within 2^±`near_1`.
bool is_near_1(float magnitude) noexcept {
  return power_of_2(-near_1) < magnitude && magnitude < power_of_2(near_1);
}

/// The exponent of a number from 0 on, such that it and its negative are those of normal numbers.
int exponent_of(float number) noexcept {
  std::int32_t bits = 0;
  __builtin_memcpy(&bits, &number, sizeof(bits));
  const int exponent = (bits >> fraction_bits) - exponent_bias;
  constexpr int most = exponent_bias - 1;
  return exponent < -most ? -most : exponent > most ? most : exponent;
}

/// Rounds a block to integers and returns the largest of its numbers, NaN where one is not finite.
float quantize_block(Four a, Four b, std::int16_t* integers) noexcept {
  const float largest = largest_magnitude(a, b);
  constexpr float largest_finite = std::numeric_limits<float>::max();
  const bool is_finite = largest <= largest_finite;
  float divisor = largest;
  if (largest < power_of_2(-near_1)) {
    // The reciprocals of denormal numbers are infinite.
    constexpr int exponent = 100;
    a *= Four(power_of_2(exponent));
    b *= Four(power_of_2(exponent));
    divisor *= power_of_2(exponent);
  }
  const Four factor(is_finite && divisor > 0.0F ? static_cast<float>(max_int16) / divisor : 0.0F);
  store_as_int16(round_to_integers(a * factor), round_to_integers(b * factor), integers);
  return is_finite ? largest : std::numeric_limits<float>::quiet_NaN();
}

/// The last block may be incomplete.
void quantize(const float* x, const float* depth_scales, std::size_t depth,
              QuantizedRow& row) noexcept {
  float largest = 0;
  for (std::size_t k = 0; k < depth; k += quantized_block) {
    const std::size_t left = depth - k;
    const auto load = [&](const float* data) {
      Array<float, quantized_block> numbers;  // NOLINT(*-member-init): written below
      if (left < quantized_block) {
        fill(numbers, 0.0F);
        copy(data, left, numbers.data());
        data = numbers.data();
      }
      return Array<Four, 2>{{Four::load_unaligned(data), Four::load_unaligned(data + half)}};
    };
    Array<Four, 2> block = load(x + k);
    if (depth_scales != nullptr) {
      const Array<Four, 2> scales = load(depth_scales + k);
      block[0] *= scales[0];
      block[1] *= scales[1];
    }
    const float scale = quantize_block(block[0], block[1], row.integers.data() + k);
    row.scales[k / quantized_block] = scale;
    largest = scale > largest ? scale : largest;
  }
  row.exponent = is_near_1(largest) ? 0 : exponent_of(largest);
  for (std::size_t k = 0; row.exponent != 0 && k < depth; k += quantized_block) {
    row.scales[k / quantized_block] *= power_of_2(-row.exponent);
  }
}

/// Two vectors of columns.
using PanelSums = Array<Batch, 2>;

/// The products of a row and a panel. With more panels at once V8 spills.
template <typename Integer>
PanelSums multiply_panel(const QuantizedRow& row, std::size_t depth,
                         const Integer* panel) noexcept {
  PanelSums sums{};
  fill(sums, Batch(0.0F));
  for (std::size_t k = 0; k < depth;
       k += quantized_block, panel += quantized_block * panel_columns) {
    Array<Integers, 2> products;
    for (std::size_t i = 0; i < quantized_block; i += pair) {
      const Integers x = fill_with_pair(row.integers.data() + k + i);
      for (std::size_t j = 0; j < 2; ++j) {
        const Integers product =
            multiply_pairs(load_int16(panel + i * panel_columns + j * pair * lanes), x);
        products[j] = i == 0 ? product : products[j] + product;
      }
      keep_loads_in_order();
    }
    const Batch factor(row.scales[k / quantized_block]);
    for (std::size_t j = 0; j < 2; ++j) {
      sums[j] = multiply_add(xsimd::to_float(products[j]), factor, sums[j]);
    }
  }
  return sums;
}

/// c = scale · column_scales · (row · b) + addend, from a depth on where `b` begins at `offset`.
/// The row's exponent is applied in two parts, before the columns' factors and behind them: what
/// stands between is no larger or smaller than floats are, unless the result is, too.
void multiply(const QuantizedRow& row, std::size_t depth, const QuantizedMatrix& b,
              std::size_t offset, std::size_t columns, float scale, const float* addend,
              float* c) noexcept {
  constexpr int most_before = 2 * near_1;
  const int before = row.exponent > most_before    ? most_before
                     : row.exponent < -most_before ? -most_before
                                                   : row.exponent;
  const float rest = power_of_2(row.exponent - before);
  const bool is_plain = row.exponent == 0 && is_near_1(scale < 0.0F ? -scale : scale);
  const int max_integer = b.int8 != nullptr ? max_int8 : max_int16;
  const Batch unit(power_of_2(before) * (is_plain ? scale : 1.0F) /
                   static_cast<float>(max_int16 * max_integer));
  for (std::size_t first = 0; first < columns; first += panel_columns) {
    const std::size_t panel = first / panel_columns * b.panel_stride + offset;
    const PanelSums sums = b.int8 != nullptr ? multiply_panel(row, depth, b.int8 + panel)
                                             : multiply_panel(row, depth, b.int16 + panel);
    for (std::size_t j = 0; j < 2 && first + j * lanes < columns; ++j) {
      const std::size_t column = first + j * lanes;
      const std::size_t left = columns - column;
      Batch result = sums[j] * unit;
      if (b.column_scales != nullptr) {
        result *= load_at_most(b.column_scales + column, left);
      }
      if (!is_plain) {
        result = result * Batch(rest) * Batch(scale);
      }
      if (addend != nullptr) {
        result += load_at_most(addend + column, left);
      }
      store_at_most(result, left, c + column);
    }
  }
}

}  // namespace

void quantized_gemv(const float* x, const float* depth_scales, std::size_t depth, QuantizedMatrix b,
                    std::size_t columns, float scale, const float* addend, float* c) noexcept {
  assert((b.int8 == nullptr) != (b.int16 == nullptr) || depth * columns == 0);
  assert(holds(x, depth) && holds(c, columns));
  assert(disjoint(c, columns, x, depth));
  QuantizedRow row;  // NOLINT(*-member-init): written before it is read
  std::size_t first = 0;
  do {
    const std::size_t chunk = min(chunk_depth, depth - first);
    const auto scales = depth_scales != nullptr ? depth_scales + first : nullptr;
    quantize(x + first, scales, chunk, row);
    multiply(row, chunk, b, first * panel_columns, columns, scale, addend, c);
    first += chunk;
    addend = c;
  } while (first < depth);
}

}  // namespace headwise::kernels::HEADWISE_TARGET
