#pragma once

#include <cstddef>
#include <headwise/core/kernels/packed_matrix.hpp>
#include <headwise/core/kernels/target.hpp>

/// Products of floats with matrices of integers. Outputs do not overlap inputs, except as noted.
namespace headwise::kernels::HEADWISE_TARGET {

/// c[j] = scale · Σ_k x[k] · depth_scales[k] · b[k][j] + addend[j] for `columns` columns. Null
/// `depth_scales` are ones, null `addend` zeros; it may be c itself.
///
/// The products are those of integers: every `quantized_block` numbers x · depth_scales are rounded
/// to integers up to ±`max_int16` with a factor of their own, an error of at most 2⁻¹⁵ of the
/// largest among them. That holds for numbers of any size, denormal ones too: up to the factors of
/// c, sums are relative to the largest number. Where one is not finite, all of c are NaN. Source:
/// integers with a common factor, block floating point (Wilkinson 1963).
void quantized_gemv(const float* x, const float* depth_scales, std::size_t depth, QuantizedMatrix b,
                    std::size_t columns, float scale, const float* addend, float* c) noexcept;

/// C (rows, columns) = A (rows, depth) · B + addend for a B of 8 bits and an A whose rows are not
/// strided in depth.
///
/// The products are those of integers: every 512 numbers of a row are rounded to integers of 15
/// bits and a sign with a factor of their own, an error of at most 2⁻¹⁶ of the largest among them.
/// Rows with numbers far from 1, or that are not finite, are multiplied by `quantized_gemv`.
void quantized_gemm(std::size_t rows, std::size_t columns, std::size_t depth, StridedMatrix a,
                    QuantizedMatrix b, Addend addend, float* c, std::size_t c_stride) noexcept;

/// c[j] = Σ_k x[k] · b[k][j] + addend[j] for `columns` columns, rounded as `quantized_gemv` does.
void int4_gemv(const float* x, std::size_t depth, Int4Matrix b, std::size_t columns,
               const float* addend, float* c) noexcept;

/// Writes the numbers (depth, columns) that integers of 8 bits stand for, of one panel at most, as
/// one panel of a `PackedMatrix`.
void unpack_columns(QuantizedMatrix b, std::size_t depth, std::size_t columns,
                    float* panel) noexcept;
/// The same for integers of 4 bits.
void unpack_int4_columns(Int4Matrix b, std::size_t depth, std::size_t columns,
                         float* panel) noexcept;

}  // namespace headwise::kernels::HEADWISE_TARGET
