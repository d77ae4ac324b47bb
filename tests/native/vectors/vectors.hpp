#pragma once

#include <cstddef>
#include <cstdint>

#include "vector_file.hpp"

/// What the tests of the package hold it against: calls with all they are given, and what the
/// references of the native tests say of them in float64.
namespace headwise::test {

/// Random configurations `seed` and following, `count` of those that the package has a call for.
VectorFile random_configuration_vectors(std::uint64_t seed, std::uint64_t count);

/// Gradients in float64, and how far those of a plain program in float32 lie from them.
VectorFile gradient_exactness_vectors();

/// Passes of transformers.
VectorFile transformer_vectors();

}  // namespace headwise::test
