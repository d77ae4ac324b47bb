#pragma once

#include <cstddef>
#include <headwise/core/kernels/target.hpp>

namespace headwise::kernels::HEADWISE_TARGET {

/// Whether every float of `matrix` (rows, columns) is finite. `row_stride` floats lie between rows.
[[nodiscard]] bool all_finite(const float* matrix, std::size_t row_stride, std::size_t rows,
                              std::size_t columns) noexcept;

/// The same, as its name says it.
[[nodiscard]] bool all_finite_reference(const float* matrix, std::size_t row_stride,
                                        std::size_t rows, std::size_t columns) noexcept;

}  // namespace headwise::kernels::HEADWISE_TARGET
