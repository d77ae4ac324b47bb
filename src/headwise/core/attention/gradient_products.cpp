#include <headwise/core/attention/gradient_products.hpp>
#include <headwise/core/kernels/dispatch.hpp>

namespace headwise {

void multiply_unpacked(std::size_t rows, std::size_t columns, std::size_t depth,
                       kernels::StridedMatrix a, Rows b, float scale, kernels::Addend addend,
                       float* c, std::size_t c_stride, float* packed) noexcept {
  kernels::pack_rows(b.data, b.stride, depth, columns, packed);
  kernels::gemm(rows, columns, depth, a,
                {.panels = packed, .panel_stride = depth * kernels::panel_width()}, scale, addend,
                c, c_stride);
}

void add_product_of_nonzeros(std::size_t rows, std::size_t columns, std::size_t depth,
                             kernels::StridedMatrix a, Rows b, float scale, float* c,
                             std::size_t c_stride) noexcept {
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t k = 0; k < depth; ++k) {
      const float factor = a.data[i * a.row_stride + k * a.depth_stride];
      for (std::size_t j = 0; factor != 0.0F && j < columns; ++j) {
        c[i * c_stride + j] += scale * factor * b.data[k * b.stride + j];
      }
    }
  }
}

}  // namespace headwise
