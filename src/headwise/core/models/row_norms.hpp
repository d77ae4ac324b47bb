#pragma once

#include <cstddef>
#include <headwise/core/models/model_parameters.hpp>

/// The norms of a model, applied to rows of `num_hiddens` floats.
namespace headwise {

/// outputs (rows, num_hiddens) = the norm of each row of inputs; outputs may be inputs.
void normalize_rows(const ModelParameters& parameters, const ModelParameters::NormIndices& norm,
                    const float* inputs, std::size_t rows, float* outputs,
                    std::size_t num_threads) noexcept;

/// The backward pass of `normalize_rows`: adds to input_gradient and to the gradients of weight and
/// bias, in the order of the rows.
void normalize_rows_backward(ModelParameters& parameters, const ModelParameters::NormIndices& norm,
                             const float* inputs, const float* gradient, std::size_t rows,
                             float* input_gradient) noexcept;

/// What the norm divides each row by: its standard deviation or root mean square, with epsilon.
void norm_scales_into(const ModelParameters& parameters, const float* inputs, std::size_t rows,
                      float* scales) noexcept;

/// The norm with given divisors, (rows,).
void normalize_rows_by(const ModelParameters& parameters, const ModelParameters::NormIndices& norm,
                       const float* inputs, const float* scales, std::size_t rows,
                       float* outputs) noexcept;

/// The gradient of one row of `normalize_rows_by`, whose divisor is a constant. As
/// `normalize_rows_backward`.
void normalize_row_by_backward(ModelParameters& parameters,
                               const ModelParameters::NormIndices& norm, const float* input,
                               float scale, const float* gradient, float* input_gradient) noexcept;

}  // namespace headwise
