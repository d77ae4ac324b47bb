#pragma once

#include <cstddef>

/// Softmax of one row in three stages: scale and maximum, exponentials and their sum, division.
namespace headwise::kernels {

/// row[i] = exp(scale · row[i] − m) / Σ exp(scale · row[j] − m) with m the largest scaled score,
/// for `count` floats in place. The largest score is subtracted so that no exponential overflows. A
/// NaN among the scores makes the row NaN, as in PyTorch. `count` is at least 1.
void softmax(float* row, std::size_t count, float scale) noexcept;

/// The same, as the formula has it.
void softmax_reference(float* row, std::size_t count, float scale) noexcept;

}  // namespace headwise::kernels
