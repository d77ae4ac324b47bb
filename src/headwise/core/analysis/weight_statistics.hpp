#pragma once

#include <cstddef>
#include <cstdint>

namespace headwise {

/// Sizes of attention weights (batch, heads, queries, keys + extra slots), as a forward returns
/// them.
struct WeightsSizes {
  std::size_t batch;
  std::size_t num_heads;
  std::size_t num_queries;
  std::size_t num_keys;
  std::size_t num_extra_slots = 0;
};

/// Sum of a number per row of a head's weights, and the number of rows.
struct RowSum {
  double sum = 0;
  double rows = 0;

  /// 0 if there are no rows.
  [[nodiscard]] double mean() const noexcept { return rows > 0 ? sum / rows : 0; }
};

/// Adds the largest weight of each row to its head's sum (heads,). Extra slots, which are no keys
/// of the input, are left out, as are the keys marked in `ignored_keys` (batch, keys), or null.
/// Source: Voita et al. 2019, a head's confidence, where the end of the sentence is left out.
void add_confidence(const float* weights, const WeightsSizes& sizes,
                    const std::uint8_t* ignored_keys, RowSum* sums) noexcept;

/// Adds the entropy −Σ w ln w of each row, extra slots included, to its head's sum (heads,).
void add_entropy(const float* weights, const WeightsSizes& sizes, RowSum* sums) noexcept;

// Both skip rows without weight on a key of the input: those of queries without a key.

}  // namespace headwise
