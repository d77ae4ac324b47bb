#include <headwise/core/kernels/dispatch.hpp>
#include <headwise/core/models/row_norms.hpp>
#include <headwise/core/parallel/for_each.hpp>

namespace headwise {

void normalize_rows(const ModelParameters& parameters, const ModelParameters::NormIndices& norm,
                    const float* inputs, std::size_t rows, float* outputs,
                    std::size_t num_threads) noexcept {
  const std::size_t size = parameters.settings().num_hiddens;
  const float epsilon = parameters.settings().norm_epsilon;
  const float* weight = parameters.values(norm.weight);
  const float* bias = parameters.values(norm.bias);
  const bool is_rms = parameters.settings().norm == Norm::rms;
  constexpr double operations_per_float = 8;
  const double operations =
      operations_per_float * static_cast<double>(rows) * static_cast<double>(size);
  parallel::for_each_block(rows, parallel::threads_worth(operations, num_threads),
                           [&](std::size_t first, std::size_t end) {
                             for (std::size_t row = first; row < end; ++row) {
                               const float* x = inputs + row * size;
                               float* y = outputs + row * size;
                               is_rms ? kernels::rms_norm(x, weight, size, epsilon, y)
                                      : kernels::layer_norm(x, weight, bias, size, epsilon, y);
                             }
                           });
}

void normalize_rows_backward(ModelParameters& parameters, const ModelParameters::NormIndices& norm,
                             const float* inputs, const float* gradient, std::size_t rows,
                             float* input_gradient) noexcept {
  const std::size_t size = parameters.settings().num_hiddens;
  const float epsilon = parameters.settings().norm_epsilon;
  const float* weight = parameters.values(norm.weight);
  float* weight_gradient = parameters.gradient(norm.weight);
  float* bias_gradient = parameters.gradient(norm.bias);
  const bool is_rms = parameters.settings().norm == Norm::rms;
  for (std::size_t row = 0; row < rows; ++row) {
    const float* x = inputs + row * size;
    const float* dy = gradient + row * size;
    float* dx = input_gradient + row * size;
    is_rms ? kernels::rms_norm_gradient(x, weight, dy, size, epsilon, dx, weight_gradient)
           : kernels::layer_norm_gradient(x, weight, dy, size, epsilon, dx, weight_gradient,
                                          bias_gradient);
  }
}

}  // namespace headwise
