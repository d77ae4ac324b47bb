#pragma once

#include <cstddef>
#include <headwise/core/attention/rows.hpp>
#include <headwise/core/kernels/packed_matrix.hpp>

/// Products that gradients are made of, with the right-hand matrix as it lies. Internal.
namespace headwise {

/// C (rows, columns) = scale · A (rows, depth) · B (depth, columns) + addend. `packed` is workspace
/// for B, of the size that `packed_size` says.
void multiply_unpacked(std::size_t rows, std::size_t columns, std::size_t depth,
                       kernels::StridedMatrix a, Rows b, float scale, kernels::Addend addend,
                       float* c, std::size_t c_stride, float* packed) noexcept;

/// C += scale · A · B. Where A is 0 it adds nothing, whatever B holds: 0 times NaN or infinity
/// would be NaN.
void add_product_of_nonzeros(std::size_t rows, std::size_t columns, std::size_t depth,
                             kernels::StridedMatrix a, Rows b, float scale, float* c,
                             std::size_t c_stride) noexcept;

}  // namespace headwise
