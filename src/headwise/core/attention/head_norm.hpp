#pragma once

#include <cstddef>
#include <cstdint>

/// RMS norms of queries and keys, head by head: x / √(mean of the head's squares + epsilon) ·
/// weight. Sources: Henry et al. 2020, query-key normalization; Zhang and Sennrich 2019; Qwen3.
namespace headwise {

class AttentionLayer;

/// Rows of heads side by side, as a layer projects them.
struct ProjectedHeads {
  float* Q;  ///< (query rows, heads · head size)
  float* K;  ///< (key rows, key-value heads · head size)
  std::size_t query_rows;
  std::size_t key_rows;
};

/// Writes the norms to Q and K, which may be the heads themselves. Rows of keys whose entry of
/// `read` is 0 become zeros, as a projection writes them; null: none do.
void normalize_heads(const AttentionLayer& layer, const ProjectedHeads& heads,
                     const std::uint8_t* read, float* Q, float* K) noexcept;

/// Turns the gradients of the norms into those of the heads, in place, and adds to those of the
/// weights. Heads whose gradient is 0 are not read.
void normalize_heads_backward(AttentionLayer& layer, const ProjectedHeads& heads, float* grad_Q,
                              float* grad_K) noexcept;

/// Both. Layers call them by this table, so that WebAssembly without models does not have them.
struct HeadNormFunctions {
  decltype(&normalize_heads) forward = &normalize_heads;
  decltype(&normalize_heads_backward) backward = &normalize_heads_backward;
};

}  // namespace headwise
