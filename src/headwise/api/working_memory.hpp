#pragma once

#include <cstddef>
#include <headwise/core/memory/arena.hpp>

namespace headwise {

/// Working memory of the size that `lay_out(arena)` takes, and an arena over it. One at a time:
/// WebAssembly has one block for all calls.
class WorkingMemory {
 public:
  template <typename LayOut>
  explicit WorkingMemory(const LayOut& lay_out) : WorkingMemory(measure(lay_out)) {}
  explicit WorkingMemory(std::size_t bytes);
  WorkingMemory(const WorkingMemory&) = delete;
  WorkingMemory(WorkingMemory&&) = delete;
  WorkingMemory& operator=(const WorkingMemory&) = delete;
  WorkingMemory& operator=(WorkingMemory&&) = delete;
  ~WorkingMemory();  // NOLINT(performance-trivially-destructible): natively it frees the memory

  [[nodiscard]] Arena& arena() noexcept { return arena_; }

 private:
  std::byte* memory_;
  Arena arena_;
};

}  // namespace headwise
