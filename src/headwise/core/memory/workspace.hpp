#pragma once

#include <cstddef>
#include <utility>

namespace headwise {

/// Hands out the caller's memory piece by piece. Pieces begin at cache lines if the memory does: no
/// vector lies across two.
class Workspace {
 public:
  /// Floats of a cache line.
  static constexpr std::size_t line = 16;

  explicit Workspace(float* floats) noexcept : free_(floats) {}

  float* take(std::size_t floats) noexcept { return std::exchange(free_, free_ + padded(floats)); }
  /// Floats that a piece takes.
  [[nodiscard]] static std::size_t padded(std::size_t floats) noexcept {
    return (floats + line - 1) / line * line;
  }
  /// All that is left.
  [[nodiscard]] float* rest() const noexcept { return free_; }

 private:
  float* free_;
};

}  // namespace headwise
