#pragma once

#include <headwise/core/kernels/activations.hpp>
#include <headwise/core/kernels/additive.hpp>
#include <headwise/core/kernels/dropout.hpp>
#include <headwise/core/kernels/elementwise.hpp>
#include <headwise/core/kernels/gemm.hpp>
#include <headwise/core/kernels/gemv.hpp>
#include <headwise/core/kernels/norms.hpp>
#include <headwise/core/kernels/optimizer_steps.hpp>
#include <headwise/core/kernels/quantized.hpp>
#include <headwise/core/kernels/rotary.hpp>
#include <headwise/core/kernels/softmax.hpp>

/// Every kernel, by the name of its function. The table of each instruction set, the dispatching
/// functions and the check that each kernel has a test and a benchmark are generated from this
/// list.
#define HEADWISE_FOR_EACH_KERNEL(DO) \
  DO(pack_rows)                      \
  DO(pack_columns)                   \
  DO(transpose)                      \
  DO(gemm)                           \
  DO(gemv)                           \
  DO(gemv_transposed)                \
  DO(quantized_gemv)                 \
  DO(quantized_gemm)                 \
  DO(int4_gemv)                      \
  DO(unpack_columns)                 \
  DO(unpack_int4_columns)            \
  DO(exponential)                    \
  DO(exp_minus_max)                  \
  DO(softmax)                        \
  DO(softmax_gradient)               \
  DO(scale)                          \
  DO(multiply)                       \
  DO(add)                            \
  DO(add_rows)                       \
  DO(scale_heads)                    \
  DO(softcap)                        \
  DO(softcap_gradient)               \
  DO(mask_scores)                    \
  DO(add_mask_to_scores)             \
  DO(mark_allowed)                   \
  DO(mark_added)                     \
  DO(all_finite)                     \
  DO(dropout)                        \
  DO(additive_scores)                \
  DO(additive_scores_gradient)       \
  DO(rotate)                         \
  DO(layer_norm)                     \
  DO(layer_norm_gradient)            \
  DO(rms_norm)                       \
  DO(rms_norm_gradient)              \
  DO(relu)                           \
  DO(relu_gradient)                  \
  DO(gelu)                           \
  DO(gelu_gradient)                  \
  DO(gelu_tanh)                      \
  DO(gelu_tanh_gradient)             \
  DO(silu)                           \
  DO(silu_gradient)                  \
  DO(sgd_step)                       \
  DO(adam_step)
