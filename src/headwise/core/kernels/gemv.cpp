#include <headwise/core/kernels/gemv.hpp>
#include <headwise/core/kernels/simd.hpp>

namespace headwise::kernels::HEADWISE_TARGET {
namespace {

/// Dot products that are computed at a time: their sums fill one vector.
constexpr std::size_t dots_at_once = lanes;

/// Rows that are added in one pass over the sum: the more, the less often it is loaded and stored.
constexpr std::size_t rows_at_once = 4;

/// Dot products of x with each row over whole vectors, not yet summed across lanes.
template <std::size_t Rows>
Array<Batch, Rows> multiply_rows(const float* x, const float* rows, std::size_t stride,
                                 std::size_t size) noexcept {
  Array<Batch, Rows> sums;
  fill(sums, Batch(0.0F));
  for (std::size_t k = 0; k + lanes <= size; k += lanes) {
    const Batch x_k = Batch::load_unaligned(x + k);
    for (std::size_t j = 0; j < Rows; ++j) {
      sums[j] = multiply_add(x_k, Batch::load_unaligned(rows + j * stride + k), sums[j]);
    }
  }
  return sums;
}

/// sum += weights · rows
template <std::size_t Rows>
void accumulate_rows(const float* HEADWISE_RESTRICT weights, const float* HEADWISE_RESTRICT rows,
                     std::size_t stride, std::size_t size, float* HEADWISE_RESTRICT sum) noexcept {
  Array<Batch, Rows> weight;
  for (std::size_t j = 0; j < Rows; ++j) {
    weight[j] = Batch(weights[j]);
  }
  std::size_t k = 0;
  for (; k + lanes <= size; k += lanes) {
    Batch total = Batch::load_unaligned(sum + k);
    for (std::size_t j = 0; j < Rows; ++j) {
      total = multiply_add(weight[j], Batch::load_unaligned(rows + j * stride + k), total);
    }
    total.store_unaligned(sum + k);
  }
  for (; k < size; ++k) {
    for (std::size_t j = 0; j < Rows; ++j) {
      sum[k] += weights[j] * rows[j * stride + k];
    }
  }
}

}  // namespace

void gemv(const float* HEADWISE_RESTRICT x, const float* HEADWISE_RESTRICT rows, std::size_t stride,
          std::size_t count, std::size_t size, float scale,
          float* HEADWISE_RESTRICT dots) noexcept {
  assert(count <= 1 || stride >= size);
  assert(holds(x, size) && holds(rows, count * size) && holds(dots, count));
  assert(disjoint(dots, count, x, size));
  assert(disjoint(dots, count, rows, span_of(count, size, stride)));
  std::size_t j = 0;
  for (; j + dots_at_once <= count; j += dots_at_once) {
    const auto sums = multiply_rows<dots_at_once>(x, rows + j * stride, stride, size);
    (sum_lanes(sums) * Batch(scale)).store_unaligned(dots + j);
  }
  for (; j < count; ++j) {
    const auto sums = multiply_rows<1>(x, rows + j * stride, stride, size);
    dots[j] = xsimd::reduce_add(sums[0]) * scale;
  }
  const std::size_t vectorized = size / lanes * lanes;
  for (j = 0; vectorized < size && j < count; ++j) {
    float sum = 0.0F;
    for (std::size_t k = vectorized; k < size; ++k) {
      sum += x[k] * rows[j * stride + k];
    }
    dots[j] += sum * scale;
  }
}

void gemv_transposed(const float* HEADWISE_RESTRICT weights, const float* HEADWISE_RESTRICT rows,
                     std::size_t stride, std::size_t count, std::size_t size,
                     float* HEADWISE_RESTRICT sum) noexcept {
  assert(count <= 1 || stride >= size);
  assert(holds(weights, count) && holds(rows, count * size) && holds(sum, size));
  assert(disjoint(sum, size, weights, count));
  assert(disjoint(sum, size, rows, span_of(count, size, stride)));
  fill(sum, size, 0.0F);
  std::size_t j = 0;
  for (; j + rows_at_once <= count; j += rows_at_once) {
    accumulate_rows<rows_at_once>(weights + j, rows + j * stride, stride, size, sum);
  }
  for (; j < count; ++j) {
    accumulate_rows<1>(weights + j, rows + j * stride, stride, size, sum);
  }
}

}  // namespace headwise::kernels::HEADWISE_TARGET
