#pragma once

#include <cstdint>

#include "call_list.hpp"

/// Lists of calls that the tests of the package replay, with the results of the library. The native
/// tests hold these against the references.
namespace headwise::test {

/// Random configurations `seed` and following, `count` of those that the package has a call for:
/// layers that live through random calls, and the pooling functions.
VectorFile layer_vectors(std::uint64_t seed, std::uint64_t count);

/// Models, each with another option, that are run, trained, measured and pruned.
VectorFile model_vectors();

/// Functions without attention, and tasks.
VectorFile function_vectors();

}  // namespace headwise::test
