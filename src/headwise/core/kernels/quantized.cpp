#include <headwise/core/kernels/quantized.hpp>
#include <headwise/core/kernels/simd.hpp>
#include <limits>

/// Leaves a short loop of constant length as it is.
#if defined(__clang__)
#define HEADWISE_NO_UNROLL _Pragma("clang loop unroll(disable)")
#else
#define HEADWISE_NO_UNROLL
#endif

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

/// Integers of 4 bits in a word.
constexpr std::size_t int4_in_word = 4;

/// Pairs of the words of a block, behind its factors: of depths from 2i on, and of a vector of
/// columns from `column` on.
xsimd::batch<std::uint16_t> load_int4(const float* block, std::size_t i,
                                      std::size_t column) noexcept {
  const auto* words = reinterpret_cast<const std::uint16_t*>(block + panel_columns);
  return xsimd::batch<std::uint16_t>::load_unaligned(words + (i * panel_columns + column) * pair);
}

/// For each block of a row, what `int4_offset` adds to its product with any column.
using Int4Offsets = Array<float, chunk_depth / int4_block>;

/// Pads the row to whole blocks and computes their offsets.
void prepare_for_int4(std::size_t depth, QuantizedRow& row, Int4Offsets& offsets) noexcept {
  std::size_t k = (depth + quantized_block - 1) / quantized_block * quantized_block;
  for (; k % int4_block != 0; ++k) {
    row.integers[k] = 0;
    row.scales[k / quantized_block] = 0;
  }
  fill(offsets, 0.0F);
  for (std::size_t first = 0; first < k; first += quantized_block) {
    std::int32_t sum = 0;
    HEADWISE_NO_UNROLL
    for (std::size_t i = 0; i < quantized_block; ++i) {
      sum += row.integers[first + i];
    }
    offsets[first / int4_block] +=
        static_cast<float>(sum * int4_offset) * row.scales[first / quantized_block];
  }
}

/// The products of a row and a panel of integers of 4 bits. The row is padded to whole blocks.
PanelSums multiply_int4_panel(const QuantizedRow& row, const Int4Offsets& offsets,
                              std::size_t depth, const float* block) noexcept {
  // Integers are multiplied where they stand in their word, the highest four bits, which may be a
  // sign, shifted down.
  constexpr Array<float, int4_in_word> of_place{{1.0F, 1.0F / 16, 1.0F / 256, 1.0F}};
  PanelSums sums{};
  fill(sums, Batch(0.0F));
  for (std::size_t k = 0; k < depth; k += int4_block, block += int4_block_floats * panel_columns) {
    const std::int16_t* x = row.integers.data() + k;
    const float* factors = row.scales.data() + k / quantized_block;
    const Batch offset(offsets[k / int4_block]);
    Array<Array<Integers, int4_in_word>, 2> products;
    fill(products[0], Integers(0));
    fill(products[1], Integers(0));
    HEADWISE_NO_UNROLL
    for (std::size_t i = 0; i < int4_in_word; ++i) {
      const Array<xsimd::batch<std::uint16_t>, 2> words{
          {load_int4(block, i, 0), load_int4(block, i, lanes)}};
      for (std::size_t place = 0; place < int4_in_word; ++place) {
        const Integers pairs = fill_with_pair(x + place * quantized_block + i * pair);
        const auto mask = static_cast<std::uint16_t>(15U << (4 * place));
        for (std::size_t j = 0; j < 2; ++j) {
          const auto integers =
              place == 3 ? words[j] >> 12 : words[j] & xsimd::batch<std::uint16_t>(mask);
          products[j][place] = multiply_add_pairs(xsimd::bitwise_cast<std::int32_t>(integers),
                                                  pairs, products[j][place]);
        }
      }
      keep_loads_in_order();
    }
    for (std::size_t j = 0; j < 2; ++j) {
      Batch of_block = -offset;
      for (std::size_t place = 0; place < int4_in_word; ++place) {
        of_block = multiply_add(xsimd::to_float(products[j][place]),
                                Batch(factors[place] * of_place[place]), of_block);
      }
      sums[j] = multiply_add(of_block, Batch::load_unaligned(block + j * lanes), sums[j]);
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

/// Rows of a tile: as many sums of integers as registers hold.
constexpr std::size_t integer_tile_rows = lanes >= 8 ? 6 : 4;

/// Pairs of depths that a turn of a tile's loop multiplies. Versions of V8 that have relaxed SIMD
/// check the stack at each turn; earlier ones unroll the loop themselves. Operands are padded to
/// whole turns.
#if defined(__wasm_relaxed_simd__)
constexpr std::size_t integer_steps = 2;
#else
constexpr std::size_t integer_steps = 1;
#endif
static_assert(quantized_block % (integer_steps * pair) == 0);

/// Rows of A that are rounded at a time, and their depths: as much as the inner cache holds.
constexpr std::size_t integer_block_rows = 4 * integer_tile_rows;
constexpr std::size_t integer_block_depth = 512;

/// The largest integer of a row. Sums of `integer_block_depth` products with 8 bits fit into 32.
constexpr int max_of_row = 32767;

/// Rows as integers, each with a factor of its own. What pads the last pair is 0.
struct QuantizedBlock {
  Array<Array<std::int16_t, integer_block_depth>, integer_block_rows> integers;
  Array<float, integer_block_rows> factors;
};

/// The largest magnitude of a row, NaN if it has a NaN.
float largest_of_row(const float* x, std::size_t depth) noexcept {
  // The bits of magnitudes are in their order.
  FourIntegers bits(0);
  std::size_t k = 0;
  for (; k + Four::size <= depth; k += Four::size) {
    bits = xsimd::max(bits, magnitude_bits(Four::load_unaligned(x + k)));
  }
  float largest = 0;
  const std::int32_t most = xsimd::reduce_max(bits);
  __builtin_memcpy(&largest, &most, sizeof(largest));
  for (; k < depth; ++k) {
    const float magnitude = x[k] < 0.0F ? -x[k] : x[k];
    largest = magnitude > largest || magnitude != magnitude ? magnitude : largest;
  }
  return largest;
}

/// Rounds a row; returns whether all of it is 0 or near 1.
bool quantize_row(const float* x, std::size_t depth, std::int16_t* integers,
                  float& factor) noexcept {
  const float largest = largest_of_row(x, depth);
  const bool is_zero = largest == 0.0F;
  const bool is_near = is_zero || is_near_1(largest);
  factor = largest / static_cast<float>(max_of_row * max_int8);
  const float reciprocal = is_near && !is_zero ? static_cast<float>(max_of_row) / largest : 0.0F;
  constexpr std::size_t eight = 2 * Four::size;
  for (std::size_t k = 0; k < depth; k += eight) {
    Array<float, eight> numbers;  // NOLINT(*-member-init): written below
    const float* data = x + k;
    if (depth - k < eight) {
      fill(numbers, 0.0F);
      copy(data, depth - k, numbers.data());
      data = numbers.data();
    }
    store_rounded(Four::load_unaligned(data), Four::load_unaligned(data + Four::size), reciprocal,
                  integers + k);
  }
  return is_near;
}

constexpr Array<float, panel_columns> no_addend{};

/// A part of a product: depths of one block, columns of one panel.
struct PanelProduct {
  std::size_t depth;
  const std::int8_t* panel;
  const float* column_scales;  ///< null is ones
  std::size_t columns;
  Addend addend;
  float* c;
  std::size_t c_stride;
};

/// c = totals · factor · column_scales + addend, as many columns as the product has.
void store_row(const std::int32_t* totals, float factor, const float* addend,
               const PanelProduct& product, float* c) noexcept {
  const float* const scales = product.column_scales;
  const std::size_t columns = min(product.columns, panel_columns);
  std::size_t j = 0;
  // The row's factor first: it is near 1, so nothing between is smaller than its result.
  for (; j + lanes <= columns; j += lanes) {
    multiply_add(xsimd::to_float(Integers::load_unaligned(totals + j)) * Batch(factor),
                 scales != nullptr ? Batch::load_unaligned(scales + j) : Batch(1.0F),
                 Batch::load_unaligned(addend + j))
        .store_unaligned(c + j);
  }
  for (; j < columns; ++j) {
    c[j] =
        static_cast<float>(totals[j]) * factor * (scales != nullptr ? scales[j] : 1.0F) + addend[j];
  }
}

/// Multiplies the rows of a tile, from `first` on, and stores the results of `rows` of them.
void multiply_tile(const QuantizedBlock& block, std::size_t first, std::size_t rows,
                   const PanelProduct& product) noexcept {
  Array<Array<Integers, 2>, integer_tile_rows> sums;
  for (std::size_t i = 0; i < integer_tile_rows; ++i) {
    fill(sums[i], Integers(0));
  }
  Array<const std::int16_t*, integer_tile_rows> rows_of_tile;
  for (std::size_t i = 0; i < integer_tile_rows; ++i) {
    rows_of_tile[i] = block.integers[first + i].data();
  }
  const std::int8_t* panel = product.panel;
  const auto multiply_step = [&](std::size_t step) __attribute__((always_inline)) {
    const Array<Integers, 2> b{{load_int16(panel), load_int16(panel + pair * lanes)}};
    for (std::size_t i = 0; i < integer_tile_rows; ++i) {
      const Integers a = fill_with_pair(rows_of_tile[i] + step * pair);
      sums[i][0] = multiply_add_pairs(b[0], a, sums[i][0]);
      sums[i][1] = multiply_add_pairs(b[1], a, sums[i][1]);
      keep_loads_in_order();
    }
    panel += pair * panel_columns;
  };
  for (std::size_t k = 0; k < product.depth; k += integer_steps * pair) {
    for (std::size_t step = 0; step < integer_steps; ++step) {
      multiply_step(step);
    }
    for (std::size_t i = 0; i < integer_tile_rows; ++i) {
      advance(rows_of_tile[i], integer_steps * pair);
    }
  }
  // Sums that a variable indexes would not stay in registers.
  Array<Array<std::int32_t, panel_columns>, integer_tile_rows> totals;
  for (std::size_t i = 0; i < integer_tile_rows; ++i) {
    sums[i][0].store_unaligned(totals[i].data());
    sums[i][1].store_unaligned(totals[i].data() + lanes);
  }
  for (std::size_t i = 0; i < rows; ++i) {
    const std::size_t row = first + i;
    store_row(totals[i].data(), block.factors[row],
              product.addend.data + row * product.addend.row_stride, product,
              product.c + row * product.c_stride);
  }
}

/// C = A · B + addend for the rows of one block; returns a mark for each row that is far from 1,
/// whose results are then of no use.
std::uint32_t multiply_block(std::size_t rows, std::size_t columns, std::size_t depth,
                             const StridedMatrix& a, const QuantizedMatrix& b, Addend addend,
                             float* c, std::size_t c_stride) noexcept {
  static_assert(integer_block_rows <= 32);
  std::uint32_t far_rows = 0;
  QuantizedBlock block;  // NOLINT(*-member-init): written before it is read
  for (std::size_t k = 0; k < depth; k += integer_block_depth) {
    const std::size_t chunk = min(integer_block_depth, depth - k);
    for (std::size_t i = 0; i < rows; ++i) {
      if (!quantize_row(a.data + i * a.row_stride + k, chunk, block.integers[i].data(),
                        block.factors[i])) {
        far_rows |= std::uint32_t{1} << i;
      }
    }
    for (std::size_t row = rows; row % integer_tile_rows != 0; ++row) {
      fill(block.integers[row], std::int16_t{0});
    }
    for (std::size_t first = 0; first < columns; first += panel_columns) {
      const PanelProduct product{
          .depth = chunk,
          .panel = b.int8 + first / panel_columns * b.panel_stride + k * panel_columns,
          .column_scales = b.column_scales != nullptr ? b.column_scales + first : nullptr,
          .columns = columns - first,
          .addend = {.data = addend.data != nullptr ? addend.data + first : no_addend.data(),
                     .row_stride = addend.row_stride},
          .c = c + first,
          .c_stride = c_stride};
      for (std::size_t row = 0; row < rows; row += integer_tile_rows) {
        multiply_tile(block, row, min(integer_tile_rows, rows - row), product);
      }
    }
    addend = {.data = c, .row_stride = c_stride};
  }
  return far_rows;
}

}  // namespace

void quantized_gemm(std::size_t rows, std::size_t columns, std::size_t depth, StridedMatrix a,
                    QuantizedMatrix b, Addend addend, float* c, std::size_t c_stride) noexcept {
  assert(b.int8 != nullptr || depth * columns == 0);
  assert(a.depth_stride == 1 && (rows <= 1 || c_stride >= columns));
  assert(holds(a.data, rows * depth) && holds(c, rows * columns));
  assert(disjoint(c, span_of(rows, columns, c_stride), a.data, span_of(rows, depth, a.row_stride)));
  for (std::size_t first = 0; first < rows; first += integer_block_rows) {
    const StridedMatrix rows_of_block{.data = a.data + first * a.row_stride,
                                      .row_stride = a.row_stride};
    const Addend of_block{
        .data = addend.data != nullptr ? addend.data + first * addend.row_stride : nullptr,
        .row_stride = addend.row_stride};
    float* const to = c + first * c_stride;
    std::uint32_t others = depth == 0
                               ? ~std::uint32_t{0}
                               : multiply_block(min(integer_block_rows, rows - first), columns,
                                                depth, rows_of_block, b, of_block, to, c_stride);
    for (std::size_t i = 0; others != 0 && i < min(integer_block_rows, rows - first);
         ++i, others >>= 1U) {
      if ((others & 1U) != 0) {
        quantized_gemv(rows_of_block.data + i * a.row_stride, nullptr, depth, b, columns, 1.0F,
                       of_block.data != nullptr ? of_block.data + i * of_block.row_stride : nullptr,
                       to + i * c_stride);
      }
    }
  }
}

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

void int4_gemv(const float* x, std::size_t depth, Int4Matrix b, std::size_t columns,
               const float* addend, float* c) noexcept {
  static_assert(chunk_depth % int4_block == 0);
  assert(holds(x, depth) && holds(c, columns));
  assert(disjoint(c, columns, x, depth));
  QuantizedRow row;     // NOLINT(*-member-init): written before it is read
  Int4Offsets offsets;  // NOLINT(*-member-init): written before it is read
  std::size_t first = 0;
  do {
    const std::size_t chunk = min(chunk_depth, depth - first);
    quantize(x + first, nullptr, chunk, 1.0F, 1, row);
    prepare_for_int4(chunk, row, offsets);
    const float* blocks = b.blocks + first / int4_block * int4_block_floats * panel_columns;
    for (std::size_t column = 0; column < columns; column += panel_columns) {
      const PanelSums sums = multiply_int4_panel(row, offsets, chunk,
                                                 blocks + column / panel_columns * b.panel_stride);
      for (std::size_t j = 0; j < 2 && column + j * lanes < columns; ++j) {
        const std::size_t at = column + j * lanes;
        Batch result = sums[j];
        if (row.is_far) {
          result = result * Batch(row.before) * Batch(row.behind);
        }
        if (addend != nullptr) {
          result += load_at_most(addend + at, columns - at);
        }
        store_at_most(result, columns - at, c + at);
      }
    }
    first += chunk;
    addend = c;
  } while (first < depth);
}

void unpack_columns(QuantizedMatrix b, std::size_t depth, std::size_t columns,
                    float* panel) noexcept {
  assert(b.int8 != nullptr && columns <= panel_columns);
  assert(holds(panel, depth * panel_columns));
  const Batch divisor(static_cast<float>(max_int8));
  for (std::size_t first = 0; first < panel_columns; first += lanes) {
    // Exact: a factor is 127 times one of 17 bits.
    const Batch scales = first < columns
                             ? load_at_most(b.column_scales + first, columns - first) / divisor
                             : Batch(0.0F);
    for (std::size_t k = 0; k < depth; k += pair) {
      const Integers numbers = load_int16(b.int8 + k * panel_columns + first * pair);
      const auto store = [&](std::size_t row, const Integers& integers) {
        (xsimd::to_float(integers) * scales).store_unaligned(panel + row * panel_columns + first);
      };
      store(k, (numbers << 16) >> 16);
      if (k + 1 < depth) {
        store(k + 1, numbers >> 16);
      }
    }
  }
}

void unpack_int4_columns(Int4Matrix b, std::size_t depth, std::size_t columns,
                         float* panel) noexcept {
  assert(columns <= panel_columns);
  assert(holds(panel, depth * panel_columns));
  const float* block = b.blocks;
  for (std::size_t k = 0; k < depth; k += int4_block, block += int4_block_floats * panel_columns) {
    for (std::size_t column = 0; column < columns; column += lanes) {
      const Batch factors = Batch::load_unaligned(block + column);
      HEADWISE_NO_UNROLL
      for (std::size_t i = 0; i < int4_in_word; ++i) {
        const auto words = xsimd::bitwise_cast<std::int32_t>(load_int4(block, i, column));
        HEADWISE_NO_UNROLL
        for (std::size_t place = 0; place < 2 * int4_in_word; ++place) {
          // Of a pair, the first integers are in the lower word.
          const std::size_t row =
              k + place % int4_in_word * quantized_block + i * pair + place / int4_in_word;
          if (row < depth) {
            const auto integers =
                ((words >> static_cast<int>(4 * place)) & Integers(15)) - Integers(int4_offset);
            (xsimd::to_float(integers) * factors)
                .store_unaligned(panel + row * panel_columns + column);
          }
        }
      }
    }
  }
}

}  // namespace headwise::kernels::HEADWISE_TARGET
