#pragma once

#include <cstddef>
#include <cstdint>

namespace headwise {

/// Dropout on attention weights: each weight is zeroed with probability `probability`, the others
/// are divided by 1 − probability. Which are zeroed is a pure function of seed, call, row and key,
/// so a row can be dropped again, in any order, with the very same mask. Source: d2l,
/// `DotProductAttention`; Srivastava et al. 2014.
struct Dropout {
  double probability = 0;
  std::uint64_t seed = 0;
  /// Which forward pass of the layer this is.
  std::uint32_t call = 0;

  [[nodiscard]] bool active() const noexcept { return probability > 0; }

  /// Drops weights [0, count) of the row with the given index, which stand for keys first_key,
  /// first_key + 1, …
  void apply(float* weights, std::size_t row, std::size_t first_key,
             std::size_t count) const noexcept;
};

}  // namespace headwise
