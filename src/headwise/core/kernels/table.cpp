#include <headwise/core/kernels/exponential.hpp>
#include <headwise/core/kernels/finite.hpp>
#include <headwise/core/kernels/gemm.hpp>
#include <headwise/core/kernels/gemv.hpp>
#include <headwise/core/kernels/gradients.hpp>
#include <headwise/core/kernels/kernel_table.hpp>
#include <headwise/core/kernels/layer_norm.hpp>
#include <headwise/core/kernels/optimizer_steps.hpp>
#include <headwise/core/kernels/scores.hpp>
#include <headwise/core/kernels/softmax.hpp>

namespace headwise::kernels::HEADWISE_TARGET {

extern const KernelTable table;

const KernelTable table = {.panel_width = panel_columns,
                           .pack_rows = pack_rows,
                           .pack_columns = pack_columns,
                           .gemm = gemm,
                           .gemv = gemv,
                           .gemv_transposed = gemv_transposed,
                           .exp_minus_max = exp_minus_max,
                           .softmax = softmax,
                           .exponential = exponential,
                           .scale = scale,
                           .softcap = softcap,
                           .additive_scores = additive_scores,
                           .multiply = multiply,
                           .add = add,
                           .softmax_gradient = softmax_gradient,
                           .softcap_gradient = softcap_gradient,
                           .additive_scores_gradient = additive_scores_gradient,
                           .layer_norm = layer_norm,
                           .layer_norm_gradient = layer_norm_gradient,
                           .sgd_step = sgd_step,
                           .adam_step = adam_step,
                           .all_finite = all_finite};

}  // namespace headwise::kernels::HEADWISE_TARGET
