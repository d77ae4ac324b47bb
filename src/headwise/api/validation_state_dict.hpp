#pragma once

#include <headwise/api/validation_text.hpp>
#include <headwise/state_dict.hpp>
#include <map>
#include <string>
#include <vector>

namespace headwise {
class MultiHeadAttention;
}  // namespace headwise

/// The checks of state dicts that layers and models share. Internal.
namespace headwise::validation {

/// Shapes of parameters by name.
using ExpectedParameters = std::map<std::string, std::vector<Axis>>;

/// A layer's parameters. Sizes that are not known yet are names.
ExpectedParameters expected_parameters(const MultiHeadAttention& layer);

/// Throws invalid-state-dict, listing every name that is missing, unexpected or of the wrong shape.
void check_parameters(const ExpectedParameters& parameters, const StateDict& state_dict);

}  // namespace headwise::validation
