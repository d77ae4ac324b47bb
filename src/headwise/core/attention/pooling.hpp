#pragma once

#include <cstddef>
#include <headwise/core/attention/pooling_arguments.hpp>
#include <headwise/core/memory/arena.hpp>

/// Attention pooling of heads for callers who own all memory.
namespace headwise {

/// Working memory of `pool`: linear in the number of keys.
struct PoolingMemory {
  PackedScoring packed;
  /// Sums of a head's weights on each key, over parts of the queries after the first:
  /// (`summed_heads`, parts − 1, columns).
  float* key_masses;
  ThreadArenas threads;

  static PoolingMemory lay_out(Arena& arena, const PoolingSizes& sizes,
                               std::size_t num_threads) noexcept;
};

/// Pools every head, with the scores of a few queries per thread at a time. Takes from the arena
/// what `PoolingMemory::lay_out` does, and releases it.
void pool(const PoolingArguments& arguments, const Scoring& scoring, Arena& arena) noexcept;

}  // namespace headwise
