#pragma once

#include <cstddef>
#include <headwise/core/kernels/packed_matrix.hpp>
#include <headwise/core/kernels/target.hpp>

/// GEMM with the right-hand matrix packed into panels.
///
/// B (depth, columns) is laid out once as [columns / panel_columns][depth][panel_columns], the last
/// panel padded with zeros, so that the inner loop reads it front to back in whole vectors. A
/// (rows, depth) is read in place. Every element of the product is summed in the order of the
/// depth, whatever the tile it falls in: results do not depend on how rows are grouped into calls.
namespace headwise::kernels::HEADWISE_TARGET {

/// Packs B given row by row: `matrix` (depth, columns), its rows `row_stride` floats apart.
void pack_rows(const float* matrix, std::size_t row_stride, std::size_t depth, std::size_t columns,
               float* packed) noexcept;

/// Packs B given column by column: `matrix` (columns, depth) is Bᵀ, its rows `row_stride` floats
/// apart. Weights (out, in) of linear maps and keys (keys, head size) are stored this way.
void pack_columns(const float* matrix, std::size_t row_stride, std::size_t depth,
                  std::size_t columns, float* packed) noexcept;

/// transposed (columns, rows) = matrix (rows, columns), rows of each so many floats apart.
void transpose(const float* matrix, std::size_t row_stride, std::size_t rows, std::size_t columns,
               float* transposed, std::size_t transposed_stride) noexcept;

/// C (rows, columns) = A (rows, depth) · B (depth, columns) · scale + addend. Writes exactly
/// `columns` floats of each row of C. C may be the addend; it overlaps neither A nor B.
void gemm(std::size_t rows, std::size_t columns, std::size_t depth, StridedMatrix a, PackedMatrix b,
          float scale, Addend addend, float* c, std::size_t c_stride) noexcept;

}  // namespace headwise::kernels::HEADWISE_TARGET
