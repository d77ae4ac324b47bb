#pragma once

#include <cstddef>
#include <headwise/core/kernels/packed_matrix.hpp>
#include <headwise/core/kernels/update_factors.hpp>

/// The kernels of one instruction set; what each does is told where it is declared.
namespace headwise::kernels {

struct KernelTable {
  std::size_t panel_width;
  void (*pack_rows)(const float* matrix, std::size_t row_stride, std::size_t depth,
                    std::size_t columns, float* packed) noexcept;
  void (*pack_columns)(const float* matrix, std::size_t row_stride, std::size_t depth,
                       std::size_t columns, float* packed) noexcept;
  void (*gemm)(std::size_t rows, std::size_t columns, std::size_t depth, StridedMatrix a,
               PackedMatrix b, float scale, Addend addend, float* c, std::size_t c_stride) noexcept;
  void (*gemv)(const float* x, const float* rows, std::size_t stride, std::size_t count,
               std::size_t size, float scale, float* dots) noexcept;
  void (*gemv_transposed)(const float* weights, const float* rows, std::size_t stride,
                          std::size_t count, std::size_t size, float* sum) noexcept;
  float (*exp_minus_max)(float* row, std::size_t count) noexcept;
  void (*softmax)(float* row, std::size_t count) noexcept;
  void (*exponential)(float* values, std::size_t count) noexcept;
  void (*scale)(float* scores, std::size_t count, float scale) noexcept;
  void (*softcap)(float* scores, std::size_t count, float cap) noexcept;
  void (*additive_scores)(const float* query, const float* packed_keys, const float* w_v,
                          std::size_t hiddens, std::size_t count, float* scores) noexcept;
  void (*multiply)(float* values, const float* factors, std::size_t count) noexcept;
  void (*add)(float* values, const float* others, std::size_t count) noexcept;
  void (*softmax_gradient)(float* gradients, float* weights, std::size_t count,
                           float factor) noexcept;
  void (*softcap_gradient)(float* gradients, const float* capped, std::size_t count,
                           float cap) noexcept;
  void (*additive_scores_gradient)(const float* query, const float* packed_keys, const float* w_v,
                                   const float* gradients, std::size_t hiddens, std::size_t count,
                                   float* query_gradient, float* packed_key_gradients,
                                   float* w_v_gradient) noexcept;
  void (*layer_norm)(const float* row, const float* weight, const float* bias, std::size_t count,
                     float* normalized) noexcept;
  void (*layer_norm_gradient)(const float* row, const float* weight, const float* gradient,
                              std::size_t count, float* row_gradient, float* weight_gradient,
                              float* bias_gradient) noexcept;
  void (*sgd_step)(float* values, const float* gradients, float* momenta, std::size_t count,
                   const SGDFactors& factors) noexcept;
  void (*adam_step)(float* values, const float* gradients, float* means, float* squares,
                    std::size_t count, const AdamFactors& factors) noexcept;
  bool (*all_finite)(const float* matrix, std::size_t row_stride, std::size_t rows,
                     std::size_t columns) noexcept;
};

}  // namespace headwise::kernels
