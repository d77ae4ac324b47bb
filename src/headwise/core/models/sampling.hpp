#pragma once

#include <cstddef>
#include <cstdint>

namespace headwise {

/// How the next token is drawn.
struct SamplingOptions {
  double temperature = 0;  ///< 0 takes the token of the largest logit
  std::size_t top_k = 0;   ///< 0 for all
  double top_p = 1;
  std::uint64_t seed = 0;
};

/// Working memory of `sample_token`: (vocabulary,)
struct SamplingBuffers {
  std::uint32_t* order;
  double* weights;
};

/// Draws a token from softmax(logits / temperature), limited to the `top_k` largest logits, and to
/// the fewest tokens whose probabilities sum to `top_p`. `number` counts the draws of a seed. The
/// largest of equal logits is that of the smaller token; NaN is smaller than any. Sources: Fan et
/// al. 2018; Holtzman et al. 2020.
[[nodiscard]] std::size_t sample_token(const float* logits, std::size_t vocabulary_size,
                                       const SamplingOptions& options, std::uint64_t number,
                                       const SamplingBuffers& buffers) noexcept;

}  // namespace headwise
