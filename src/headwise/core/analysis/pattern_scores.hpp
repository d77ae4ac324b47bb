#pragma once

#include <cstddef>
#include <cstdint>

namespace headwise {

/// The share of a head's weight on each pattern, from 0 to 1: a mean over queries. Each sample's
/// first query is skipped, because it has a single key under a causal mask. 0 without other
/// queries.
struct PatternScores {
  double previous_token = 0;  ///< weight on the key before the query
  double first_token = 0;     ///< weight on key 0
  double diagonal = 0;        ///< weight on the query's own key
  /// Entropy of the weights, divided by that of uniform weights over as many keys
  double uniform = 0;
};

/// A view of attention weights.
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

/// `pattern_scores`, `induction_scores` and `key_scores` for one head, unchecked.
[[nodiscard]] PatternScores pattern_scores_of(const WeightsView& view, std::size_t head,
                                              bool causal) noexcept;
[[nodiscard]] double induction_score_of(const WeightsView& view, std::size_t head,
                                        const std::int32_t* tokens) noexcept;
[[nodiscard]] double key_score_of(const WeightsView& view, std::size_t head,
                                  const std::int32_t* keys) noexcept;

}  // namespace headwise
