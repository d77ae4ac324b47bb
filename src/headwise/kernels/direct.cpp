#include <algorithm>
#include <array>
#include <headwise/kernels/direct.hpp>
#include <headwise/kernels/simd.hpp>

namespace headwise::kernels::HEADWISE_TARGET {
namespace {

/// Rows whose dot products are summed at the same time.
constexpr std::size_t dots_at_once = 4;

/// Vectors of a sum that are held at the same time.
constexpr std::size_t vectors_at_once = 4;

template <std::size_t Count>
void dot_some_rows(const float* x, const float* rows, std::size_t stride, std::size_t size,
                   float scale, float* dots) noexcept {
  std::array<Batch, Count> sums;
  sums.fill(Batch(0.0F));
  std::size_t k = 0;
  for (; k + lanes <= size; k += lanes) {
    const Batch x_k = Batch::load_unaligned(x + k);
    for (std::size_t j = 0; j < Count; ++j) {
      sums[j] = multiply_add(x_k, Batch::load_unaligned(rows + j * stride + k), sums[j]);
    }
  }
  for (std::size_t j = 0; j < Count; ++j) {
    float sum = xsimd::reduce_add(sums[j]);
    for (std::size_t rest = k; rest < size; ++rest) {
      sum += x[rest] * rows[j * stride + rest];
    }
    dots[j] = sum * scale;
  }
}

template <std::size_t Vectors>
void sum_columns(const float* weights, const float* rows, std::size_t stride, std::size_t count,
                 float* sum) noexcept {
  std::array<Batch, Vectors> sums;
  sums.fill(Batch(0.0F));
  for (std::size_t j = 0; j < count; ++j) {
    const Batch weight(weights[j]);
    for (std::size_t v = 0; v < Vectors; ++v) {
      sums[v] = multiply_add(weight, Batch::load_unaligned(rows + j * stride + v * lanes), sums[v]);
    }
  }
  for (std::size_t v = 0; v < Vectors; ++v) {
    sums[v].store_unaligned(sum + v * lanes);
  }
}

}  // namespace

void dot_rows(const float* x, const float* rows, std::size_t stride, std::size_t count,
              std::size_t size, float scale, float* dots) noexcept {
  std::size_t j = 0;
  for (; j + dots_at_once <= count; j += dots_at_once) {
    dot_some_rows<dots_at_once>(x, rows + j * stride, stride, size, scale, dots + j);
  }
  for (; j < count; ++j) {
    dot_some_rows<1>(x, rows + j * stride, stride, size, scale, dots + j);
  }
}

void dot_rows_reference(const float* x, const float* rows, std::size_t stride, std::size_t count,
                        std::size_t size, float scale, float* dots) noexcept {
  for (std::size_t j = 0; j < count; ++j) {
    float sum = 0.0F;
    for (std::size_t k = 0; k < size; ++k) {
      sum += x[k] * rows[j * stride + k];
    }
    dots[j] = sum * scale;
  }
}

void sum_rows(const float* weights, const float* rows, std::size_t stride, std::size_t count,
              std::size_t size, float* sum) noexcept {
  std::size_t k = 0;
  for (; k + vectors_at_once * lanes <= size; k += vectors_at_once * lanes) {
    sum_columns<vectors_at_once>(weights, rows + k, stride, count, sum + k);
  }
  for (; k + lanes <= size; k += lanes) {
    sum_columns<1>(weights, rows + k, stride, count, sum + k);
  }
  for (; k < size; ++k) {
    sum[k] = 0.0F;
    for (std::size_t j = 0; j < count; ++j) {
      sum[k] += weights[j] * rows[j * stride + k];
    }
  }
}

void sum_rows_reference(const float* weights, const float* rows, std::size_t stride,
                        std::size_t count, std::size_t size, float* sum) noexcept {
  for (std::size_t k = 0; k < size; ++k) {
    sum[k] = 0.0F;
    for (std::size_t j = 0; j < count; ++j) {
      sum[k] += weights[j] * rows[j * stride + k];
    }
  }
}

}  // namespace headwise::kernels::HEADWISE_TARGET
