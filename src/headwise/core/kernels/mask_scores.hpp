#pragma once

#include <cstddef>
#include <cstdint>

/// A given mask laid over a row of scores.
namespace headwise::kernels {

/// scores[i] = −∞ where allowed[i · stride] is 0. Returns whether any key is allowed. A stride of 0
/// repeats one entry.
bool mask_scores(float* scores, std::size_t count, const std::uint8_t* allowed,
                 std::size_t stride) noexcept;

/// scores[i] += added[i · stride]; where that is −∞ the score becomes −∞ whatever it was, NaN and ∞
/// included. Returns whether any key is left.
bool add_mask_to_scores(float* scores, std::size_t count, const float* added,
                        std::size_t stride) noexcept;

}  // namespace headwise::kernels
