#pragma once

#include <cstddef>
#include <headwise/core/kernels/kernel_list.hpp>
#include <headwise/core/kernels/packed_matrix.hpp>

#if defined(__wasm__)
#include <headwise/core/kernels/simd.hpp>
#else
#include <headwise/core/kernels/kernel_table.hpp>
#endif

/// Run-time dispatch: each kernel under its declared name, for the instruction set of this
/// processor. Natively that is detected at the first call; a WebAssembly module contains only one.
namespace headwise::kernels {

#if defined(__wasm__)

using namespace HEADWISE_TARGET;  // NOLINT(google-build-using-namespace)

constexpr std::size_t panel_width() noexcept { return panel_columns; }
inline constexpr std::size_t max_panel_width = panel_columns;

#else

/// The fastest kernels that the processor supports, or those that the environment variable
/// HEADWISE_ARCHITECTURE names, if supported: baseline, sse4_2, avx2, avx2_vnni, avx512 or
/// avx512_vnni.
[[nodiscard]] const KernelTable& kernels() noexcept;

/// Columns of one panel of a packed matrix.
inline std::size_t panel_width() noexcept { return kernels().panel_width; }
/// The most of any instruction set.
inline constexpr std::size_t max_panel_width = 32;

/// Calls the kernel at this member of the table.
template <auto Member>
struct Kernel;

template <typename Result, typename... Arguments,
          Result (*KernelTable::*Member)(Arguments...) noexcept>
struct Kernel<Member> {
  Result operator()(Arguments... arguments) const noexcept {
    return (kernels().*Member)(arguments...);
  }
};

#define HEADWISE_DISPATCH(kernel) inline constexpr Kernel<&KernelTable::kernel> kernel{};
HEADWISE_FOR_EACH_KERNEL(HEADWISE_DISPATCH)
#undef HEADWISE_DISPATCH

#endif

inline std::size_t round_up_to_panel(std::size_t columns) noexcept {
  return (columns + panel_width() - 1) / panel_width() * panel_width();
}

/// Floats of a packed (depth, columns) matrix.
inline std::size_t packed_size(std::size_t depth, std::size_t columns) noexcept {
  return depth * round_up_to_panel(columns);
}

/// Integers of one panel of a `QuantizedMatrix` of this depth.
inline std::size_t quantized_panel_size(std::size_t depth) noexcept {
  return (depth + quantized_block - 1) / quantized_block * quantized_block * panel_width();
}

/// Floats of one panel of an `Int4Matrix` of this depth.
inline std::size_t int4_panel_size(std::size_t depth) noexcept {
  return (depth + int4_block - 1) / int4_block * int4_block_floats * panel_width();
}

/// Where the integer of a depth and a column is in the panels of a `QuantizedMatrix`.
inline std::size_t quantized_place(std::size_t depth, std::size_t column,
                                   std::size_t panel_stride) noexcept {
  const std::size_t width = panel_width();
  return column / width * panel_stride + depth / 2 * 2 * width + column % width * 2 + depth % 2;
}

}  // namespace headwise::kernels
