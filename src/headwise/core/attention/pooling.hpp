#pragma once

#include <cstddef>
#include <headwise/core/attention/pooling_arguments.hpp>
#include <headwise/core/memory/arena.hpp>

/// Attention pooling of heads for callers who own all memory.
namespace headwise {

/// Working memory of `pool`: linear in the number of keys.
struct PoolingMemory {
  PackedScoring packed;
  ThreadArenas threads;

  static PoolingMemory lay_out(Arena& arena, const PoolingSizes& sizes,
                               std::size_t num_threads) noexcept;
};

/// Pools every head. Scores exist for a few queries of a thread at a time. Of the arena it takes
/// what `PoolingMemory::lay_out` does, and gives it back.
void pool(const PoolingArguments& arguments, const Scoring& scoring, Arena& arena) noexcept;

}  // namespace headwise
