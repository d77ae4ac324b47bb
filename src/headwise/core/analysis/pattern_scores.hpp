#pragma once

#include <cstddef>
#include <cstdint>

namespace headwise {

/// How much of a head's weight follows a pattern, from 0 to 1, in the mean over all queries but
/// each sample's first, which has nothing to choose from where attention is causal. 0 without any
/// other.
struct PatternScores {
  double previous_token = 0;  ///< weight on the key before the query
  double first_token = 0;     ///< weight on key 0
  double diagonal = 0;        ///< weight on the query's own key
  /// Entropy of the weights, in parts of the largest that there can be for as many keys
  double uniform = 0;
};

/// Attention weights for callers who own all memory and have checked everything.
struct WeightsView {
  const float* weights = nullptr;  ///< (batch, heads, queries, keys)
  std::size_t batch = 0;
  std::size_t num_heads = 0;
  std::size_t num_queries = 0;
  std::size_t num_keys = 0;

  /// The weights of one query, (keys,).
  [[nodiscard]] const float* row(std::size_t sample, std::size_t head,
                                 std::size_t query) const noexcept {
    return weights + ((sample * num_heads + head) * num_queries + query) * num_keys;
  }
};

/// The same for one head.
[[nodiscard]] PatternScores pattern_scores_of(const WeightsView& view, std::size_t head,
                                              bool causal) noexcept;
[[nodiscard]] double induction_score_of(const WeightsView& view, std::size_t head,
                                        const std::int32_t* tokens) noexcept;
[[nodiscard]] double key_score_of(const WeightsView& view, std::size_t head,
                                  const std::int32_t* keys) noexcept;

}  // namespace headwise
