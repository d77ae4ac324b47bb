#include <cmath>
#include <headwise/core/kernels/dispatch.hpp>
#include <headwise/core/models/row_norms.hpp>
#include <headwise/core/parallel/for_each.hpp>
#include <numeric>

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

namespace {

/// What the norm takes off each number of a row.
double mean_of(const ModelParameters& parameters, const float* row) noexcept {
  const std::size_t size = parameters.settings().num_hiddens;
  if (parameters.settings().norm == Norm::rms) {
    return 0;
  }
  return std::accumulate(row, row + size, 0.0) / static_cast<double>(size);
}

}  // namespace

void norm_scales_into(const ModelParameters& parameters, const float* inputs, std::size_t rows,
                      float* scales) noexcept {
  const std::size_t size = parameters.settings().num_hiddens;
  for (std::size_t row = 0; row < rows; ++row, inputs += size) {
    const double mean = mean_of(parameters, inputs);
    double sum = 0;
    for (std::size_t i = 0; i < size; ++i) {
      const double centred = static_cast<double>(inputs[i]) - mean;
      sum += centred * centred;
    }
    scales[row] = static_cast<float>(std::sqrt(
        sum / static_cast<double>(size) + static_cast<double>(parameters.settings().norm_epsilon)));
  }
}

void normalize_rows_by(const ModelParameters& parameters, const ModelParameters::NormIndices& norm,
                       const float* inputs, const float* scales, std::size_t rows,
                       float* outputs) noexcept {
  const std::size_t size = parameters.settings().num_hiddens;
  const float* weight = parameters.values(norm.weight);
  const float* bias = parameters.values(norm.bias);
  for (std::size_t row = 0; row < rows; ++row, inputs += size, outputs += size) {
    const double mean = mean_of(parameters, inputs);
    for (std::size_t i = 0; i < size; ++i) {
      const double centred = static_cast<double>(inputs[i]) - mean;
      outputs[i] = static_cast<float>(centred / static_cast<double>(scales[row]) *
                                          static_cast<double>(weight[i]) +
                                      (bias != nullptr ? static_cast<double>(bias[i]) : 0));
    }
  }
}

void normalize_row_by_backward(ModelParameters& parameters,
                               const ModelParameters::NormIndices& norm, const float* input,
                               float scale, const float* gradient, float* input_gradient) noexcept {
  const std::size_t size = parameters.settings().num_hiddens;
  const float* weight = parameters.values(norm.weight);
  float* weight_gradient = parameters.gradient(norm.weight);
  float* bias_gradient = parameters.gradient(norm.bias);
  const double mean = mean_of(parameters, input);
  const double factor = 1 / static_cast<double>(scale);
  double sum = 0;
  for (std::size_t i = 0; i < size; ++i) {
    sum += static_cast<double>(gradient[i]) * static_cast<double>(weight[i]);
  }
  const double shared =
      parameters.settings().norm == Norm::rms ? 0 : sum / static_cast<double>(size);
  for (std::size_t i = 0; i < size; ++i) {
    const auto of_output = static_cast<double>(gradient[i]);
    const double centred = static_cast<double>(input[i]) - mean;
    weight_gradient[i] += static_cast<float>(of_output * centred * factor);
    if (bias_gradient != nullptr) {
      bias_gradient[i] += gradient[i];
    }
    input_gradient[i] +=
        static_cast<float>((of_output * static_cast<double>(weight[i]) - shared) * factor);
  }
}

}  // namespace headwise
