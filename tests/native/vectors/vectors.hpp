#pragma once

#include <cstddef>
#include <cstdint>

#include "vector_file.hpp"

/// Lists of calls that the tests of the package replay, with their results.
namespace headwise::test {

/// Random configurations `seed` and following, `count` of those that the package has a call for,
/// with the results of the float64 references.
VectorFile random_configuration_vectors(std::uint64_t seed, std::uint64_t count);

// The following have the results of the library, which the native tests check.

/// Layers that are run, trained, pruned and measured by random calls.
VectorFile layer_history_vectors(std::uint64_t count);

/// The same of models, each with another option.
VectorFile model_history_vectors();

/// Functions without attention, and tasks.
VectorFile function_vectors();

}  // namespace headwise::test
