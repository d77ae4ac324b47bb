#include <algorithm>
#include <array>
#include <headwise/kernels/matrix_multiply.hpp>
#include <utility>

namespace headwise::kernels {
namespace {

constexpr std::size_t tile_rows = 4;

/// One tile of C, (Rows, panel_width), over the whole depth. Sixteen-register machines hold its
/// accumulators, two vectors of B and one of A without spilling; wider tiles spill in V8 and lose.
template <std::size_t Rows>
void multiply_tile(std::size_t depth, const float* a, std::size_t a_stride, const float* panel,
                   const float* bias, float* c, std::size_t c_stride) noexcept {
  std::array<Batch, Rows> left;
  std::array<Batch, Rows> right;
  left.fill(Batch(0.0F));
  right.fill(Batch(0.0F));
  for (std::size_t k = 0; k < depth; ++k) {
    const Batch b_left = Batch::load_unaligned(panel + k * panel_width);
    const Batch b_right = Batch::load_unaligned(panel + k * panel_width + lanes);
    for (std::size_t i = 0; i < Rows; ++i) {
      const Batch a_ik(a[i * a_stride + k]);
      left[i] = multiply_add(a_ik, b_left, left[i]);
      right[i] = multiply_add(a_ik, b_right, right[i]);
    }
  }
  const Batch bias_left = Batch::load_unaligned(bias);
  const Batch bias_right = Batch::load_unaligned(bias + lanes);
  for (std::size_t i = 0; i < Rows; ++i) {
    (left[i] + bias_left).store_unaligned(c + i * c_stride);
    (right[i] + bias_right).store_unaligned(c + i * c_stride + lanes);
  }
}

using TileFunction = void (*)(std::size_t, const float*, std::size_t, const float*, const float*,
                              float*, std::size_t) noexcept;

constexpr std::array<TileFunction, tile_rows> tiles = {multiply_tile<1>, multiply_tile<2>,
                                                       multiply_tile<3>, multiply_tile<4>};

/// Writes a tile whose panel reaches past the last column by way of a buffer.
void multiply_partial_tile(std::size_t rows, std::size_t columns, std::size_t depth, const float* a,
                           std::size_t a_stride, const float* panel, const float* bias, float* c,
                           std::size_t c_stride) noexcept {
  std::array<float, tile_rows * panel_width> tile;
  tiles[rows - 1](depth, a, a_stride, panel, bias, tile.data(), panel_width);
  for (std::size_t i = 0; i < rows; ++i) {
    std::copy_n(tile.data() + i * panel_width, columns, c + i * c_stride);
  }
}

}  // namespace

void pack_rows(const float* matrix, std::size_t row_stride, std::size_t depth, std::size_t columns,
               float* packed) noexcept {
  for (std::size_t first = 0; first < columns; first += panel_width) {
    const std::size_t width = std::min(panel_width, columns - first);
    for (std::size_t k = 0; k < depth; ++k, packed += panel_width) {
      std::copy_n(matrix + k * row_stride + first, width, packed);
      std::fill(packed + width, packed + panel_width, 0.0F);
    }
  }
}

void pack_columns(const float* matrix, std::size_t row_stride, std::size_t depth,
                  std::size_t columns, float* packed) noexcept {
  for (std::size_t first = 0; first < columns; first += panel_width) {
    const std::size_t width = std::min(panel_width, columns - first);
    for (std::size_t k = 0; k < depth; ++k, packed += panel_width) {
      for (std::size_t j = 0; j < width; ++j) {
        packed[j] = matrix[(first + j) * row_stride + k];
      }
      std::fill(packed + width, packed + panel_width, 0.0F);
    }
  }
}

void matrix_multiply(std::size_t rows, std::size_t columns, std::size_t depth, const float* a,
                     std::size_t a_stride, PackedMatrix b, const float* bias, float* c,
                     std::size_t c_stride) noexcept {
  for (std::size_t first = 0; first < columns; first += panel_width) {
    const float* panel = b.panels + first / panel_width * b.panel_stride;
    const std::size_t width = std::min(panel_width, columns - first);
    std::array<float, panel_width> panel_bias{};
    if (bias != nullptr) {
      std::copy_n(bias + first, width, panel_bias.data());
    }
    for (std::size_t i = 0; i < rows; i += tile_rows) {
      const std::size_t height = std::min(tile_rows, rows - i);
      const float* a_tile = a + i * a_stride;
      float* c_tile = c + i * c_stride + first;
      if (width == panel_width) {
        tiles[height - 1](depth, a_tile, a_stride, panel, panel_bias.data(), c_tile, c_stride);
      } else {
        multiply_partial_tile(height, width, depth, a_tile, a_stride, panel, panel_bias.data(),
                              c_tile, c_stride);
      }
    }
  }
}

void matrix_multiply_reference(std::size_t rows, std::size_t columns, std::size_t depth,
                               const float* a, std::size_t a_stride, const float* b,
                               std::size_t b_stride, const float* bias, float* c,
                               std::size_t c_stride) noexcept {
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      float sum = 0.0F;
      for (std::size_t k = 0; k < depth; ++k) {
        sum += a[i * a_stride + k] * b[k * b_stride + j];
      }
      c[i * c_stride + j] = bias != nullptr ? sum + bias[j] : sum;
    }
  }
}

}  // namespace headwise::kernels
