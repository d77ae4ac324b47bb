#pragma once

#include <cstddef>
#include <cstdint>
#include <headwise/core/kernels/target.hpp>

/// Elementwise kernels and column sums. Arrays do not overlap unless stated otherwise.
namespace headwise::kernels::HEADWISE_TARGET {

/// values[i] *= factor
void scale(float* values, std::size_t count, float factor) noexcept;

/// values[i] *= factors[i]
void multiply(float* values, const float* factors, std::size_t count) noexcept;

/// values[i] += others[i]
void add(float* values, const float* others, std::size_t count) noexcept;

/// sum[i] += Σ_j rows[j][i] for `count` contiguous rows of `size` floats, added in order.
void add_rows(const float* rows, std::size_t count, std::size_t size, float* sum) noexcept;

/// scaled[row][head][i] = heads[row][head][i] · factors[head], for (rows, num_heads, size) floats;
/// without factors (null) a copy. `scaled` may be `heads`.
void scale_heads(const float* heads, const float* factors, std::size_t rows, std::size_t num_heads,
                 std::size_t size, float* scaled) noexcept;

/// scores[i] = cap · tanh(scores[i] / cap), with cap > 0: scores stay within ±cap.
void softcap(float* scores, std::size_t count, float cap) noexcept;

/// The gradient of `softcap`: gradients[i] *= 1 − (capped[i] / cap)², the derivative of
/// cap · tanh(s / cap) where it is `capped`.
void softcap_gradient(float* gradients, const float* capped, std::size_t count, float cap) noexcept;

/// scores[i] = −∞ where allowed[i · stride] is 0. Returns whether any key is allowed. A stride of 0
/// repeats one entry.
bool mask_scores(float* scores, std::size_t count, const std::uint8_t* allowed,
                 std::size_t stride) noexcept;

/// scores[i] += added[i · stride]; where that is −∞ the score becomes −∞ even if it was NaN or +∞.
/// Returns whether any key is left unmasked. A stride of 0 repeats one entry.
bool add_mask_to_scores(float* scores, std::size_t count, const float* added,
                        std::size_t stride) noexcept;

/// marks[i] = 1 where allowed[i · stride] is not 0; other marks stay.
void mark_allowed(std::uint8_t* marks, std::size_t count, const std::uint8_t* allowed,
                  std::size_t stride) noexcept;

/// marks[i] = 1 where added[i · stride] is not −∞; other marks stay.
void mark_added(std::uint8_t* marks, std::size_t count, const float* added,
                std::size_t stride) noexcept;

/// Whether every float of `matrix` (rows, columns) is finite. Rows are `row_stride` floats apart.
[[nodiscard]] bool all_finite(const float* matrix, std::size_t row_stride, std::size_t rows,
                              std::size_t columns) noexcept;

}  // namespace headwise::kernels::HEADWISE_TARGET
