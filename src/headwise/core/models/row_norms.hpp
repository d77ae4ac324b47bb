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

}  // namespace headwise
