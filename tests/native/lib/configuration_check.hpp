#pragma once

#include <string>

#include "configuration.hpp"
#include "problem.hpp"

namespace headwise::test {

/// Makes the configuration's call and holds it against the reference, in every way that a call can
/// be wrong. Returns what is wrong; empty if nothing is.
std::string fault_of(const Configuration& configuration);

/// Whether some weight is 0 in float32 but not in float64: its product with an infinite value then
/// differs in kind.
bool underflows(Problem problem);

}  // namespace headwise::test
