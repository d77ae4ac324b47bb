#pragma once

#include <headwise/core/memory/aligned_floats.hpp>
#include <headwise/core/memory/arena.hpp>

namespace headwise {

/// Working memory of the size that `lay_out(arena)` takes, and an arena over it.
class WorkingMemory {
 public:
  template <typename LayOut>
  explicit WorkingMemory(const LayOut& lay_out)
      : bytes_(measure(lay_out)), arena_(bytes_.data(), bytes_.size()) {}

  [[nodiscard]] Arena& arena() noexcept { return arena_; }

 private:
  AlignedBytes bytes_;
  Arena arena_;
};

}  // namespace headwise
