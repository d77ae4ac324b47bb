#pragma once

#include <cstddef>
#include <headwise/headwise.hpp>
#include <vector>

#include "configuration.hpp"

/// A configuration's sequence fed in chunks through a cache.
namespace headwise::test {

/// Positions [begin, end).
struct Chunk {
  std::size_t begin, end;
};

std::vector<Chunk> chunks_of(const Configuration& configuration);

/// The options of the whole pass for a chunk's queries, which see keys up to its end.
ForwardOptions options_of(const ForwardOptions& options, const Chunk& chunk);

}  // namespace headwise::test
