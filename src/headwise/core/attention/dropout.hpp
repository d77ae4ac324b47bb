#pragma once

#include <cstddef>
#include <cstdint>

namespace headwise {

/// Dropout on attention weights: each weight is zeroed with probability `probability`, the others
/// are divided by 1 − probability. Which are zeroed is a pure function of seed, call, row and key,
/// so that the backward pass reproduces the mask of any row, in any order. Source: d2l,
/// `DotProductAttention`; Srivastava et al. 2014.
struct Dropout {
  double probability = 0;
  std::uint64_t seed = 0;
  /// Number of the layer's forward pass.
  std::uint32_t call = 0;

  [[nodiscard]] bool active() const noexcept { return probability > 0; }

  /// Applies dropout to weights [0, count) of the row with the given index, those of keys
  /// first_key, first_key + 1, …
  void apply(float* weights, std::size_t row, std::size_t first_key,
             std::size_t count) const noexcept;
};

}  // namespace headwise
