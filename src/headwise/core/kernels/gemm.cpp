#include <headwise/core/kernels/gemm.hpp>
#include <headwise/core/kernels/simd.hpp>
#include <utility>

namespace headwise::kernels::HEADWISE_TARGET {
namespace {

// Rows of a tile: as many as keep every accumulator in a register.
#if defined(__wasm_relaxed_simd__)
constexpr std::size_t tile_rows = 6;
#elif defined(__wasm__)
constexpr std::size_t tile_rows = 4;
#elif defined(__AVX512F__)
constexpr std::size_t tile_rows = 12;
#else
constexpr std::size_t tile_rows = 6;
#endif

/// Parameters that the tiles of a product share.
struct Product {
  std::size_t depth;
  std::size_t a_row_stride;
  std::size_t a_depth_stride;
  std::size_t panel_stride;
  std::size_t addend_stride;
  std::size_t c_stride;
  float scale;
};

/// The micro-kernel: C = (A · B) · scale + addend for one tile, (Rows, Panels · panel_columns).
template <std::size_t Rows, std::size_t Panels>
[[gnu::noinline]] void micro_kernel(const Product& product, const float* HEADWISE_RESTRICT a,
                                    const float* HEADWISE_RESTRICT panels, const float* addend,
                                    float* c) noexcept {
  constexpr std::size_t vectors = 2 * Panels;
  const auto [depth, a_row_stride, a_depth_stride, panel_stride, addend_stride, c_stride, scale] =
      product;
  Array<Array<Batch, vectors>, Rows> sums;
  for (std::size_t i = 0; i < Rows; ++i) {
    fill(sums[i], Batch(0.0F));
  }
  for (std::size_t k = 0; k < depth; ++k) {
    Array<Batch, vectors> b;
    for (std::size_t j = 0; j < vectors; ++j) {
      b[j] =
          Batch::load_unaligned(panels + j / 2 * panel_stride + k * panel_columns + j % 2 * lanes);
    }
    for (std::size_t i = 0; i < Rows; ++i) {
      const Batch a_ik(a[i * a_row_stride + k * a_depth_stride]);
      for (std::size_t j = 0; j < vectors; ++j) {
        sums[i][j] = multiply_add(a_ik, b[j], sums[i][j]);
      }
    }
  }
  const Batch factor(scale);
  for (std::size_t i = 0; i < Rows; ++i) {
    for (std::size_t j = 0; j < vectors; ++j) {
      const Batch offset = Batch::load_unaligned(addend + i * addend_stride + j * lanes);
      (sums[i][j] * factor + offset).store_unaligned(c + i * c_stride + j * lanes);
    }
  }
}

using MicroKernel = void (*)(const Product&, const float*, const float*, const float*,
                             float*) noexcept;

template <std::size_t... Rows>
constexpr Array<MicroKernel, sizeof...(Rows)> instantiate_micro_kernels(
    std::index_sequence<Rows...> /*rows*/) {
  return {{micro_kernel<Rows + 1, 1>...}};
}

/// For tiles of 1, 2, … rows.
constexpr auto micro_kernels = instantiate_micro_kernels(std::make_index_sequence<tile_rows>());

/// One or two rows have too few accumulators to hide the latency of the multiply-add; these
/// micro-kernels span several panels.
struct WideMicroKernel {
  MicroKernel run;
  std::size_t panels;
};

constexpr std::size_t max_wide_rows = 2;
constexpr Array<WideMicroKernel, max_wide_rows> wide_micro_kernels = {
    {{.run = micro_kernel<1, 3>, .panels = 3}, {.run = micro_kernel<2, 2>, .panels = 2}}};

constexpr Array<float, 3 * panel_columns> zeros{};

void copy_rows(const float* from, std::size_t from_stride, std::size_t rows, std::size_t columns,
               float* to, std::size_t to_stride) noexcept {
  for (std::size_t i = 0; i < rows; ++i) {
    copy(from + i * from_stride, columns, to + i * to_stride);
  }
}

/// Rows divided evenly among tiles: eight as four and four, not six and two.
struct Tiling {
  std::size_t count;
  std::size_t height;      ///< of a tile
  std::size_t num_taller;  ///< number of tiles with one more row

  explicit Tiling(std::size_t rows) noexcept
      : count((rows + tile_rows - 1) / tile_rows),
        height(count > 0 ? rows / count : 0),
        num_taller(rows - count * height) {}
};

/// All rows of C for one panel of B, which may have more columns than are left of C.
void multiply_panel(const Product& product, const Tiling& tiling, std::size_t columns,
                    const float* a, const float* panel, const float* addend, float* c) noexcept {
  for (std::size_t tile = 0, first = 0; tile < tiling.count; ++tile) {
    const std::size_t height = tiling.height + (tile < tiling.num_taller ? 1 : 0);
    const float* a_tile = a + first * product.a_row_stride;
    const float* addend_tile = addend + first * product.addend_stride;
    float* c_tile = c + first * product.c_stride;
    if (columns == panel_columns) {
      micro_kernels[height - 1](product, a_tile, panel, addend_tile, c_tile);
    } else {
      Array<float, tile_rows * panel_columns> buffer{};
      Product buffered = product;
      buffered.addend_stride = buffered.c_stride = panel_columns;
      copy_rows(addend_tile, product.addend_stride, height, columns, buffer.data(), panel_columns);
      micro_kernels[height - 1](buffered, a_tile, panel, buffer.data(), buffer.data());
      copy_rows(buffer.data(), panel_columns, height, columns, c_tile, product.c_stride);
    }
    first += height;
  }
}

}  // namespace

void pack_rows(const float* HEADWISE_RESTRICT matrix, std::size_t row_stride, std::size_t depth,
               std::size_t columns, float* HEADWISE_RESTRICT packed) noexcept {
  assert(depth <= 1 || row_stride >= columns);
  assert(holds(matrix, depth * columns) && holds(packed, depth * columns));
  assert(disjoint(matrix, span_of(depth, columns, row_stride), packed, depth * columns));
  for (std::size_t first = 0; first < columns; first += panel_columns) {
    const std::size_t width = min(panel_columns, columns - first);
    for (std::size_t k = 0; k < depth; ++k, packed += panel_columns) {
      const float* row = matrix + k * row_stride + first;
      if (width == panel_columns) {
        // A constant size, so that the copy is inlined.
        copy(row, panel_columns, packed);
      } else {
        copy(row, width, packed);
        fill(packed + width, panel_columns - width, 0.0F);
      }
    }
  }
}

void pack_columns(const float* HEADWISE_RESTRICT matrix, std::size_t row_stride, std::size_t depth,
                  std::size_t columns, float* HEADWISE_RESTRICT packed) noexcept {
  assert(columns <= 1 || row_stride >= depth);
  assert(holds(matrix, depth * columns) && holds(packed, depth * columns));
  assert(disjoint(matrix, span_of(columns, depth, row_stride), packed, depth * columns));
  constexpr std::size_t block = 4;
  for (std::size_t first = 0; first < columns; first += panel_columns) {
    const float* rows = matrix + first * row_stride;
    const std::size_t width = min(panel_columns, columns - first);
    std::size_t k = 0;
    if (width == panel_columns) {
      for (; k + block <= depth; k += block) {
#if defined(__wasm__)
#pragma clang loop unroll(disable)  // for size
#endif
        for (std::size_t j = 0; j < panel_columns; j += block) {
          transpose_4x4(rows + j * row_stride + k, row_stride, packed + k * panel_columns + j,
                        panel_columns);
        }
      }
    }
    for (; k < depth; ++k) {
      float* row = packed + k * panel_columns;
      for (std::size_t j = 0; j < width; ++j) {
        row[j] = rows[j * row_stride + k];
      }
      fill(row + width, panel_columns - width, 0.0F);
    }
    packed += depth * panel_columns;
  }
}

void gemm(std::size_t rows, std::size_t columns, std::size_t depth, StridedMatrix a, PackedMatrix b,
          float scale, Addend addend, float* c, std::size_t c_stride) noexcept {
  assert(rows <= 1 || c_stride >= columns);
  assert(depth == 0 || columns <= panel_columns || b.panel_stride >= depth * panel_columns);
  assert(holds(a.data, rows * depth) && holds(b.panels, depth * columns) &&
         holds(c, rows * columns));
  assert(disjoint(c, span_of(rows, columns, c_stride), b.panels, depth * panel_columns));
  assert(addend.data == c ||
         disjoint(c, span_of(rows, columns, c_stride), addend.data,
                  addend.data != nullptr ? span_of(rows, columns, addend.row_stride) : 0));
  const Product product{.depth = depth,
                        .a_row_stride = a.row_stride,
                        .a_depth_stride = a.depth_stride,
                        .panel_stride = b.panel_stride,
                        .addend_stride = addend.row_stride,
                        .c_stride = c_stride,
                        .scale = scale};
  const Tiling tiling(rows);
  const WideMicroKernel wide =
      rows > 0 && rows <= max_wide_rows ? wide_micro_kernels[rows - 1] : WideMicroKernel{};
  for (std::size_t first = 0; first < columns;) {
    const float* panel = b.panels + first / panel_columns * b.panel_stride;
    const float* panel_addend = addend.data != nullptr ? addend.data + first : zeros.data();
    const std::size_t left = columns - first;
    if (wide.panels > 0 && left >= wide.panels * panel_columns) {
      wide.run(product, a.data, panel, panel_addend, c + first);
      first += wide.panels * panel_columns;
      continue;
    }
    multiply_panel(product, tiling, min(panel_columns, left), a.data, panel, panel_addend,
                   c + first);
    first += panel_columns;
  }
}

}  // namespace headwise::kernels::HEADWISE_TARGET
