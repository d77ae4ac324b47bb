#pragma once

#include <cstddef>
#include <cstdint>

namespace headwise::kernels {

/// A matrix (depth, columns) packed as [columns / panel width][depth][panel width], or the part of
/// one from some row on: panels are `panel_stride` floats apart.
struct PackedMatrix {
  const float* panels;
  std::size_t panel_stride;
};

/// Depths that share a factor where floats become integers, and what the depth of a matrix of
/// integers is padded to.
inline constexpr std::size_t quantized_block = 8;

/// The largest of integers of 16 bits. A block's sum of products fits into 32 bits.
inline constexpr int max_int16 = 16383;
/// The largest of integers of 8 bits.
inline constexpr int max_int8 = 127;

/// A matrix (depth, columns) of integers, packed as [columns / panel width][depth / 2][panel
/// width][2], or the part of one from some panel or block on: panels are `panel_stride` integers
/// apart. Column j stands for its integers / (`max_int16` or `max_int8`) · column_scales[j]: a
/// factor is as large as the largest number, and so of full precision wherever that is.
struct QuantizedMatrix {
  /// One of both, up to ±`max_int16` or ±`max_int8`. What pads the depth may be any integer.
  const std::int16_t* int16 = nullptr;
  const std::int8_t* int8 = nullptr;
  std::size_t panel_stride = 0;
  const float* column_scales = nullptr;  ///< null is ones
};

/// Depths of a matrix of 4-bit integers that share a factor, as in GGUF's Q4_0.
inline constexpr std::size_t int4_block = 32;
/// Floats that a column's factor and integers take in one block.
inline constexpr std::size_t int4_block_floats = 1 + int4_block / 2 / sizeof(float);
/// What is added to such an integer where it is stored, so that it is not negative.
inline constexpr int int4_offset = 8;

/// A matrix (depth, columns) of integers from −8 to 7 with a factor for each `int4_block` depths of
/// a column, packed as [columns / panel width][depth / `int4_block`] blocks, or the part of one
/// from some panel or block on: panels are `panel_stride` floats apart. A block holds its [panel
/// width] factors and then [4][panel width][2] words of 16 bits: word (i, column, e) has the
/// integers of the depths 2i + e, 8 + 2i + e, 16 + 2i + e and 24 + 2i + e, each plus `int4_offset`,
/// from the lowest four bits on. What pads the depth may be any integer.
struct Int4Matrix {
  const float* blocks;
  std::size_t panel_stride;
};

/// Whether many rows are multiplied faster by integers of 8 bits than by floats: where one
/// instruction multiplies pairs of integers and adds their products.
#if defined(__wasm__) || defined(__SSE2__)
inline constexpr bool integers_are_faster = true;
#else
inline constexpr bool integers_are_faster = false;
#endif

/// A matrix (rows, depth) read in place: element (i, k) is data[i · row_stride + k · depth_stride].
/// One of the strides is 1; with a row stride of 1 a matrix is read as its transpose.
struct StridedMatrix {
  const float* data;
  std::size_t row_stride;
  std::size_t depth_stride = 1;
};

/// What a product is added to: element (i, j) is data[i · row_stride + j]. A stride of 0 repeats
/// one row, null adds nothing. It may be C itself, to accumulate.
struct Addend {
  const float* data = nullptr;
  std::size_t row_stride = 0;
};

}  // namespace headwise::kernels
