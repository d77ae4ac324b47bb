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

/// Which elements of A lie side by side: those of a row, or, if A is a transpose, those of one
/// depth. Small tiles read either.
enum class Layout { any, by_rows, by_depth };

/// Steps of depth in one turn of the loop. Each ends with a test for the end: the compilers of
/// WebAssembly keep the order of what such branches divide, whereas in longer stretches of code
/// they load all operands first and spill. A turn of several steps saves V8's own check of the
/// stack, and computing addresses.
#if defined(__wasm__)
constexpr std::size_t unrolled_steps = 4;
#else
constexpr std::size_t unrolled_steps = 1;
#endif

constexpr std::size_t steps_per_turn(Layout layout) noexcept {
  return layout == Layout::any ? 1 : unrolled_steps;
}

/// The elements of A that a tile is multiplied by.
template <std::size_t Rows, Layout Order>
class TileOfA {
 public:
  TileOfA(const float* a, std::size_t row_stride, std::size_t depth_stride) noexcept
      : depth_stride_(depth_stride) {
    for (std::size_t i = 0; i < num_pointers; ++i) {
      data_[i] = a + i * row_stride;
    }
  }

  /// A[row][step] of the turn.
  [[nodiscard]] float at(std::size_t row, std::size_t step) const noexcept {
    return Order == Layout::by_depth ? data_[0][row] : data_[row][step];
  }

  void end_step() noexcept {
    if constexpr (Order == Layout::by_depth) {
      advance_all(depth_stride_);
    }
  }

  void end_turn() noexcept {
    if constexpr (Order != Layout::by_depth) {
      advance_all(Order == Layout::any ? depth_stride_ : steps_per_turn(Order));
    }
  }

 private:
  void advance_all(std::size_t count) noexcept {
    for (std::size_t i = 0; i < num_pointers; ++i) {
      advance(data_[i], count);
    }
  }

  static constexpr std::size_t num_pointers = Order == Layout::by_depth ? 1 : Rows;
  Array<const float*, num_pointers> data_;
  std::size_t depth_stride_;
};

/// The micro-kernel: C = (A · B) · scale + addend for one tile, (Rows, Panels · panel_columns).
template <std::size_t Rows, std::size_t Panels, Layout Order>
[[gnu::noinline]] void micro_kernel(const Product& product, const float* a, const float* panels,
                                    const float* addend, float* c) noexcept {
  constexpr std::size_t vectors = 2 * Panels;
  const auto [depth, a_row_stride, a_depth_stride, panel_stride, addend_stride, c_stride, scale] =
      product;
  Array<Array<Batch, vectors>, Rows> sums;
  for (std::size_t i = 0; i < Rows; ++i) {
    fill(sums[i], Batch(0.0F));
  }
  TileOfA<Rows, Order> tile(a, a_row_stride, a_depth_stride);
  const float* const end = panels + depth * panel_columns;
  const auto multiply_step = [&](std::size_t step) __attribute__((always_inline)) {
    Array<Batch, vectors> b;
    for (std::size_t j = 0; j < vectors; ++j) {
      b[j] = Batch::load_unaligned(panels + j / 2 * panel_stride + j % 2 * lanes);
    }
    for (std::size_t i = 0; i < Rows; ++i) {
      const Batch a_ik(tile.at(i, step));
      for (std::size_t j = 0; j < vectors; ++j) {
        sums[i][j] = multiply_add(a_ik, b[j], sums[i][j]);
      }
      keep_loads_in_order();
    }
    tile.end_step();
    advance(panels, panel_columns);
    return panels != end;
  };
  const auto multiply_turn =
      [&]<std::size_t... Steps>(std::index_sequence<Steps...> /*steps*/)
          __attribute__((always_inline)) { return (multiply_step(Steps) && ...); };
  if (depth > 0) {
    while (multiply_turn(std::make_index_sequence<steps_per_turn(Order)>())) {
      tile.end_turn();
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

/// Smaller tiles, of which there are few, are not worth the size. Transposes have many rows, which
/// are divided into the two tallest.
constexpr std::size_t min_unrolled_rows(Layout layout) noexcept {
  return layout == Layout::by_depth ? tile_rows - 1 : 4;
}

template <Layout Order, std::size_t... Rows>
constexpr Array<MicroKernel, sizeof...(Rows)> instantiate_micro_kernels(
    std::index_sequence<Rows...> /*rows*/) {
  return {
      {micro_kernel<Rows + 1, 1, (Rows + 1 < min_unrolled_rows(Order) ? Layout::any : Order)>...}};
}

/// For tiles of 1, 2, … rows.
template <Layout Order>
constexpr auto micro_kernels =
    instantiate_micro_kernels<Order>(std::make_index_sequence<tile_rows>());

/// One or two rows have too few accumulators to hide the latency of the multiply-add; these
/// micro-kernels span several panels.
struct WideMicroKernel {
  MicroKernel run;
  std::size_t panels;
};

constexpr std::size_t max_wide_rows = 2;
constexpr Array<WideMicroKernel, max_wide_rows> wide_micro_kernels = {
    {{.run = micro_kernel<1, 3, Layout::by_rows>, .panels = 3},
     {.run = micro_kernel<2, 2, Layout::any>, .panels = 2}}};

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
void multiply_panel(const Product& product, const MicroKernel* micro_kernels, const Tiling& tiling,
                    std::size_t columns, const float* a, const float* panel, const float* addend,
                    float* c) noexcept {
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

void transpose(const float* HEADWISE_RESTRICT matrix, std::size_t row_stride, std::size_t rows,
               std::size_t columns, float* HEADWISE_RESTRICT transposed,
               std::size_t transposed_stride) noexcept {
  assert(rows <= 1 || row_stride >= columns);
  assert(columns <= 1 || transposed_stride >= rows);
  assert(disjoint(matrix, span_of(rows, columns, row_stride), transposed,
                  span_of(columns, rows, transposed_stride)));
  constexpr std::size_t block = 4;
  for (std::size_t i = 0; i < rows; i += block) {
#if defined(__wasm__)
#pragma clang loop unroll(disable)  // for size
#endif
    for (std::size_t j = 0; j < columns; j += block) {
      const float* from = matrix + i * row_stride + j;
      float* to = transposed + j * transposed_stride + i;
      const std::size_t height = min(block, rows - i);
      const std::size_t width = min(block, columns - j);
      if (height == block && width == block) {
        transpose_4x4(from, row_stride, to, transposed_stride);
        continue;
      }
      for (std::size_t k = 0; k < height * width; ++k) {
        to[k % width * transposed_stride + k / width] = from[k / width * row_stride + k % width];
      }
    }
  }
}

void gemm(std::size_t rows, std::size_t columns, std::size_t depth, StridedMatrix a, PackedMatrix b,
          float scale, Addend addend, float* c, std::size_t c_stride) noexcept {
  assert(a.depth_stride == 1 || a.row_stride == 1 || rows <= 1);
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
  const bool by_rows = a.depth_stride == 1;
  const MicroKernel* const kernels =
      (by_rows ? micro_kernels<Layout::by_rows> : micro_kernels<Layout::by_depth>).data();
  const WideMicroKernel wide = by_rows && rows > 0 && rows <= max_wide_rows
                                   ? wide_micro_kernels[rows - 1]
                                   : WideMicroKernel{};
  for (std::size_t first = 0; first < columns;) {
    const float* panel = b.panels + first / panel_columns * b.panel_stride;
    const float* panel_addend = addend.data != nullptr ? addend.data + first : zeros.data();
    const std::size_t left = columns - first;
    if (wide.panels > 0 && left >= wide.panels * panel_columns) {
      wide.run(product, a.data, panel, panel_addend, c + first);
      first += wide.panels * panel_columns;
      continue;
    }
    multiply_panel(product, kernels, tiling, min(panel_columns, left), a.data, panel, panel_addend,
                   c + first);
    first += panel_columns;
  }
}

}  // namespace headwise::kernels::HEADWISE_TARGET
