#include <headwise/core/kernels/quantized.hpp>
#include <headwise/core/kernels/simd.hpp>
#include <limits>

namespace headwise::kernels::HEADWISE_TARGET {
namespace {

/// Integers of two depths side by side, which one instruction multiplies and adds.
constexpr std::size_t pair = 2;

/// Depths that are rounded to integers at a time, on the stack.
constexpr std::size_t chunk_depth = 2048;

/// A row of floats as integers, each block with a factor of its own. Where the largest number is
/// far from 1, factors are relative to it, lest sums overflow or become 0: the rest of them is
/// applied in two parts, before the columns' factors and behind them. What stands between is then
/// no larger or smaller than floats are, unless the result is, too.
struct QuantizedRow {
  Array<std::int16_t, chunk_depth> integers;
  Array<float, chunk_depth / quantized_block> scales;
  bool is_far;
  float before, behind;  ///< of a row that is far
};

constexpr int exponent_bias = 127;
constexpr int fraction_bits = 23;

/// 2^exponent, of a normal number.
float power_of_2(int exponent) noexcept {
  const std::int32_t bits = (exponent + exponent_bias) << fraction_bits;
  float power = 0;
  __builtin_memcpy(&power, &bits, sizeof(power));
  return power;
}

/// Exponents up to which products of numbers leave room for others.
constexpr int near_1 = 32;

/// Whether a number is from 2^−`near_1` to 2^`near_1`.
bool is_near_1(float number) noexcept {
  return number >= power_of_2(-near_1) && number <= power_of_2(near_1);
}

/// The exponent of a number from 0 on, such that it and its negative are those of normal numbers.
int exponent_of(float number) noexcept {
  std::int32_t bits = 0;
  __builtin_memcpy(&bits, &number, sizeof(bits));
  const int exponent = (bits >> fraction_bits) - exponent_bias;
  constexpr int most = exponent_bias - 1;
  return exponent < -most ? -most : exponent > most ? most : exponent;
}

void store_rounded(const Four& a, const Four& b, float factor, std::int16_t* integers) noexcept {
  store_as_int16(round_to_integers(a * Four(factor)), round_to_integers(b * Four(factor)),
                 integers);
}

/// Rounds a block whose largest number is too small for a reciprocal, or not finite.
[[gnu::noinline]] float quantize_far_block(const Four& a, const Four& b, float largest,
                                           std::int16_t* integers) noexcept {
  constexpr int exponent = 100;
  const Four up(power_of_2(exponent));
  const float divisor = largest * power_of_2(exponent);
  store_rounded(a * up, b * up, divisor > 0.0F ? static_cast<float>(max_int16) / divisor : 0.0F,
                integers);
  constexpr float largest_finite = std::numeric_limits<float>::max();
  return largest <= largest_finite ? largest : std::numeric_limits<float>::quiet_NaN();
}

/// Rounds a block to integers and returns the largest of its numbers, NaN where one is not finite.
float quantize_block(const Four& a, const Four& b, std::int16_t* integers) noexcept {
  const float largest = largest_magnitude(a, b);
  constexpr float largest_finite = std::numeric_limits<float>::max();
  if (!(largest >= power_of_2(-near_1) && largest <= largest_finite)) {
    return quantize_far_block(a, b, largest, integers);
  }
  store_rounded(a, b, static_cast<float>(max_int16) / largest, integers);
  return largest;
}

/// Rounds scale · x · depth_scales / max_integer. The last block may be incomplete.
void quantize(const float* x, const float* depth_scales, std::size_t depth, float scale,
              int max_integer, QuantizedRow& row) noexcept {
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
      return Array<Four, 2>{{Four::load_unaligned(data), Four::load_unaligned(data + Four::size)}};
    };
    Array<Four, 2> block = load(x + k);
    if (depth_scales != nullptr) {
      const Array<Four, 2> scales = load(depth_scales + k);
      block[0] *= scales[0];
      block[1] *= scales[1];
    }
    const float of_block = quantize_block(block[0], block[1], row.integers.data() + k);
    row.scales[k / quantized_block] = of_block;
    largest = of_block > largest ? of_block : largest;
  }
  float factor = 1.0F / static_cast<float>(max_int16 * max_integer);
  row.is_far = !(is_near_1(largest) && is_near_1(scale < 0.0F ? -scale : scale));
  if (row.is_far) {
    constexpr int most_before = 2 * near_1;
    const int exponent = exponent_of(largest);
    const int before = exponent > most_before    ? most_before
                       : exponent < -most_before ? -most_before
                                                 : exponent;
    row.before = power_of_2(before) * factor;
    row.behind = power_of_2(exponent - before) * scale;
    factor = power_of_2(-exponent);
  } else {
    factor *= scale;
  }
  for (std::size_t i = 0; i * quantized_block < depth; ++i) {
    row.scales[i] *= factor;
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

/// c = column_scales · (row · b) + addend, from a depth on where `b` begins at `offset`.
void multiply(const QuantizedRow& row, std::size_t depth, const QuantizedMatrix& b,
              std::size_t offset, std::size_t columns, const float* addend, float* c) noexcept {
  for (std::size_t first = 0; first < columns; first += panel_columns) {
    const std::size_t panel = first / panel_columns * b.panel_stride + offset;
    const PanelSums sums = b.int8 != nullptr ? multiply_panel(row, depth, b.int8 + panel)
                                             : multiply_panel(row, depth, b.int16 + panel);
    for (std::size_t j = 0; j < 2 && first + j * lanes < columns; ++j) {
      const std::size_t column = first + j * lanes;
      const std::size_t left = columns - column;
      Batch result = row.is_far ? sums[j] * Batch(row.before) : sums[j];
      if (b.column_scales != nullptr) {
        result *= load_at_most(b.column_scales + column, left);
      }
      if (row.is_far) {
        result *= Batch(row.behind);
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
    quantize(x + first, scales, chunk, scale, b.int8 != nullptr ? max_int8 : max_int16, row);
    multiply(row, chunk, b, first * panel_columns, columns, addend, c);
    first += chunk;
    addend = c;
  } while (first < depth);
}

}  // namespace headwise::kernels::HEADWISE_TARGET
