#pragma once

#include <cstddef>
#include <headwise/core/kernels/target.hpp>

/// Softmax of one row in three stages: maximum, exponentials and their sum, division.
namespace headwise::kernels::HEADWISE_TARGET {

/// row[i] = exp(row[i] − m) for `count` floats in place, with m the largest score, so that no
/// exponential overflows. Returns their sum, NaN if a score is NaN. `count` is at least 1.
float exp_minus_max(float* row, std::size_t count) noexcept;

/// row[i] = exp(row[i] − m) / Σ exp(row[j] − m). A NaN among the scores makes the row NaN, as in
/// PyTorch.
void softmax(float* row, std::size_t count) noexcept;

/// The same, as the formula has it.
void softmax_reference(float* row, std::size_t count) noexcept;

}  // namespace headwise::kernels::HEADWISE_TARGET
