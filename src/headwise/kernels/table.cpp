#include <headwise/kernels/direct.hpp>
#include <headwise/kernels/exponential.hpp>
#include <headwise/kernels/finite.hpp>
#include <headwise/kernels/gradients.hpp>
#include <headwise/kernels/kernel_table.hpp>
#include <headwise/kernels/layer_norm.hpp>
#include <headwise/kernels/matrix_multiply.hpp>
#include <headwise/kernels/scores.hpp>
#include <headwise/kernels/softmax.hpp>
#include <headwise/kernels/updates.hpp>

namespace headwise::kernels::HEADWISE_TARGET {

extern const KernelTable table;

const KernelTable table = {.panel_width = panel_columns,
                           .pack_rows = pack_rows,
                           .pack_columns = pack_columns,
                           .matrix_multiply = matrix_multiply,
                           .dot_rows = dot_rows,
                           .sum_rows = sum_rows,
                           .exponentiate = exponentiate,
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
                           .sgd_update = sgd_update,
                           .adam_update = adam_update,
                           .all_finite = all_finite};

}  // namespace headwise::kernels::HEADWISE_TARGET
