#pragma once

#include <cstddef>
#include <cstdint>

namespace headwise {

/// The target of a position where nothing is asked; the key of a query that has no right one.
/// (PyTorch's `ignore_index` is −100 by default.)
inline constexpr std::int32_t ignored_target = -1;

/// Rows of logits and what each was to say.
struct CrossEntropy {
  float* logits = nullptr;  ///< (rows, vocabulary); their gradient is written in their place
  const std::int32_t* targets = nullptr;  ///< (rows,), none of them ignored
  float* losses = nullptr;                ///< (rows,), written
  std::size_t rows = 0;
  std::size_t vocabulary_size = 0;
  std::size_t num_threads = 1;
};

/// `cross_entropy` of these rows.
[[nodiscard]] double cross_entropy_into(const CrossEntropy& arguments) noexcept;

}  // namespace headwise
