#include <headwise/core/kernels/gemv.hpp>
#include <headwise/core/kernels/simd.hpp>

namespace headwise::kernels::HEADWISE_TARGET {
namespace {

/// Dot products that are computed at a time: their sums fill one vector.
constexpr std::size_t dots_at_once = lanes;

/// Rows that are added in one pass over the sum: the more, the less often it is loaded and stored.
constexpr std::size_t rows_at_once = 4;

/// The rows from `first` on. Beyond the last row, the last row is repeated.
template <std::size_t Rows>
Array<const float*, Rows> rows_from(std::size_t first, const float* rows, std::size_t stride,
                                    std::size_t count) noexcept {
  Array<const float*, Rows> from;
  for (std::size_t j = 0; j < Rows; ++j) {
    from[j] = rows + min(first + j, count - 1) * stride;
  }
  return from;
}

/// Dot products of x with each row over whole vectors, not yet summed across lanes.
template <std::size_t Rows>
Array<Batch, Rows> multiply_rows(const float* x, const Array<const float*, Rows>& rows,
                                 std::size_t size) noexcept {
  Array<Batch, Rows> sums;
  fill(sums, Batch(0.0F));
  for (std::size_t k = 0; k + lanes <= size; k += lanes) {
    const Batch x_k = Batch::load_unaligned(x + k);
    for (std::size_t j = 0; j < Rows; ++j) {
      sums[j] = multiply_add(x_k, Batch::load_unaligned(rows[j] + k), sums[j]);
    }
  }
  return sums;
}

}  // namespace

void gemv(const float* HEADWISE_RESTRICT x, const float* HEADWISE_RESTRICT rows, std::size_t stride,
          std::size_t count, std::size_t size, float scale,
          float* HEADWISE_RESTRICT dots) noexcept {
  assert(count <= 1 || stride >= size);
  assert(holds(x, size) && holds(rows, count * size) && holds(dots, count));
  assert(disjoint(dots, count, x, size));
  assert(disjoint(dots, count, rows, span_of(count, size, stride)));
  for (std::size_t j = 0; j < count; j += dots_at_once) {
    const auto sums = multiply_rows(x, rows_from<dots_at_once>(j, rows, stride, count), size);
    store_at_most(sum_lanes(sums) * Batch(scale), count - j, dots + j);
  }
  const std::size_t vectorized = size / lanes * lanes;
  for (std::size_t j = 0; vectorized < size && j < count; ++j) {
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
  for (std::size_t j = 0; j < count; j += rows_at_once) {
    const auto row = rows_from<rows_at_once>(j, rows, stride, count);
    Array<Batch, rows_at_once> weight;
    for (std::size_t r = 0; r < rows_at_once; ++r) {
      weight[r] = Batch(j + r < count ? weights[j + r] : 0.0F);
    }
    for (std::size_t k = 0; k + lanes <= size; k += lanes) {
      Batch total = Batch::load_unaligned(sum + k);
      for (std::size_t r = 0; r < rows_at_once; ++r) {
        total = multiply_add(weight[r], Batch::load_unaligned(row[r] + k), total);
      }
      total.store_unaligned(sum + k);
    }
  }
  for (std::size_t k = size / lanes * lanes; k < size; ++k) {
    for (std::size_t j = 0; j < count; ++j) {
      sum[k] += weights[j] * rows[j * stride + k];
    }
  }
}

}  // namespace headwise::kernels::HEADWISE_TARGET
