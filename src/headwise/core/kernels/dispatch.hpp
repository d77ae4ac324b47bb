#pragma once

#include <cstddef>

#if defined(__wasm__)
#include <headwise/core/kernels/exponential.hpp>
#include <headwise/core/kernels/finite.hpp>
#include <headwise/core/kernels/gemm.hpp>
#include <headwise/core/kernels/gemv.hpp>
#include <headwise/core/kernels/gradients.hpp>
#include <headwise/core/kernels/layer_norm.hpp>
#include <headwise/core/kernels/optimizer_steps.hpp>
#include <headwise/core/kernels/scores.hpp>
#include <headwise/core/kernels/softmax.hpp>
#else
#include <headwise/core/kernels/kernel_table.hpp>
#endif

/// The kernels for the instruction set at hand, by the names that they are declared with in the
/// files beside this one. Natively it is found out when the first of them is called; a WebAssembly
/// module has but one.
namespace headwise::kernels {

#if defined(__wasm__)

using namespace HEADWISE_TARGET;  // NOLINT(google-build-using-namespace)

constexpr std::size_t panel_width() noexcept { return panel_columns; }

#else

/// The fastest kernels that the processor runs; those that the environment variable
/// HEADWISE_ARCHITECTURE names, if it has them: baseline, sse4_2, avx2 or avx512.
[[nodiscard]] const KernelTable& kernels() noexcept;

/// Columns of one panel of a packed matrix.
inline std::size_t panel_width() noexcept { return kernels().panel_width; }

inline void pack_rows(const float* matrix, std::size_t row_stride, std::size_t depth,
                      std::size_t columns, float* packed) noexcept {
  kernels().pack_rows(matrix, row_stride, depth, columns, packed);
}

inline void pack_columns(const float* matrix, std::size_t row_stride, std::size_t depth,
                         std::size_t columns, float* packed) noexcept {
  kernels().pack_columns(matrix, row_stride, depth, columns, packed);
}

inline void gemm(std::size_t rows, std::size_t columns, std::size_t depth, StridedMatrix a,
                 PackedMatrix b, float scale, Addend addend, float* c,
                 std::size_t c_stride) noexcept {
  kernels().gemm(rows, columns, depth, a, b, scale, addend, c, c_stride);
}

inline void gemv(const float* x, const float* rows, std::size_t stride, std::size_t count,
                 std::size_t size, float scale, float* dots) noexcept {
  kernels().gemv(x, rows, stride, count, size, scale, dots);
}

inline void gemv_transposed(const float* weights, const float* rows, std::size_t stride,
                            std::size_t count, std::size_t size, float* sum) noexcept {
  kernels().gemv_transposed(weights, rows, stride, count, size, sum);
}

inline float exp_minus_max(float* row, std::size_t count) noexcept {
  return kernels().exp_minus_max(row, count);
}

inline void softmax(float* row, std::size_t count) noexcept { kernels().softmax(row, count); }

inline void exponential(float* values, std::size_t count) noexcept {
  kernels().exponential(values, count);
}

inline void scale(float* scores, std::size_t count, float scale) noexcept {
  kernels().scale(scores, count, scale);
}

inline void softcap(float* scores, std::size_t count, float cap) noexcept {
  kernels().softcap(scores, count, cap);
}

inline void additive_scores(const float* query, const float* packed_keys, const float* w_v,
                            std::size_t hiddens, std::size_t count, float* scores) noexcept {
  kernels().additive_scores(query, packed_keys, w_v, hiddens, count, scores);
}

inline void multiply(float* values, const float* factors, std::size_t count) noexcept {
  kernels().multiply(values, factors, count);
}

inline void add(float* values, const float* others, std::size_t count) noexcept {
  kernels().add(values, others, count);
}

inline void softmax_gradient(float* gradients, float* weights, std::size_t count,
                             float factor) noexcept {
  kernels().softmax_gradient(gradients, weights, count, factor);
}

inline void softcap_gradient(float* gradients, const float* capped, std::size_t count,
                             float cap) noexcept {
  kernels().softcap_gradient(gradients, capped, count, cap);
}

inline void additive_scores_gradient(const float* query, const float* packed_keys, const float* w_v,
                                     const float* gradients, std::size_t hiddens, std::size_t count,
                                     float* query_gradient, float* packed_key_gradients,
                                     float* w_v_gradient) noexcept {
  kernels().additive_scores_gradient(query, packed_keys, w_v, gradients, hiddens, count,
                                     query_gradient, packed_key_gradients, w_v_gradient);
}

inline void layer_norm(const float* row, const float* weight, const float* bias, std::size_t count,
                       float* normalized) noexcept {
  kernels().layer_norm(row, weight, bias, count, normalized);
}

inline void layer_norm_gradient(const float* row, const float* weight, const float* gradient,
                                std::size_t count, float* row_gradient, float* weight_gradient,
                                float* bias_gradient) noexcept {
  kernels().layer_norm_gradient(row, weight, gradient, count, row_gradient, weight_gradient,
                                bias_gradient);
}

inline void sgd_step(float* values, const float* gradients, float* momenta, std::size_t count,
                     const SGDFactors& factors) noexcept {
  kernels().sgd_step(values, gradients, momenta, count, factors);
}

inline void adam_step(float* values, const float* gradients, float* means, float* squares,
                      std::size_t count, const AdamFactors& factors) noexcept {
  kernels().adam_step(values, gradients, means, squares, count, factors);
}

[[nodiscard]] inline bool all_finite(const float* matrix, std::size_t row_stride, std::size_t rows,
                                     std::size_t columns) noexcept {
  return kernels().all_finite(matrix, row_stride, rows, columns);
}

#endif

inline std::size_t round_up_to_panel(std::size_t columns) noexcept {
  return (columns + panel_width() - 1) / panel_width() * panel_width();
}

/// Floats that a packed (depth, columns) matrix takes.
inline std::size_t packed_size(std::size_t depth, std::size_t columns) noexcept {
  return depth * round_up_to_panel(columns);
}

}  // namespace headwise::kernels
