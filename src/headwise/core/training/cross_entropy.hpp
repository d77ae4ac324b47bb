#pragma once

#include <cstddef>
#include <cstdint>

namespace headwise {

/// The target of a position that is excluded from the loss, and the key of a query without a
/// correct one. (PyTorch's `ignore_index` is −100 by default.)
inline constexpr std::int32_t ignored_target = -1;

/// Rows of logits and their targets.
struct CrossEntropy {
  float* logits = nullptr;  ///< (rows, vocabulary); their gradient is written in their place
  const std::int32_t* targets = nullptr;  ///< (rows,), none of them ignored
  float* losses = nullptr;                ///< (rows,), written
  std::size_t rows = 0;
  std::size_t vocabulary_size = 0;
  std::size_t num_threads = 1;
};

/// Returns the mean loss of the rows, as `cross_entropy` does.
[[nodiscard]] double cross_entropy_into(const CrossEntropy& arguments) noexcept;

}  // namespace headwise
