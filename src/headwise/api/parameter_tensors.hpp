#pragma once

#include <headwise/core/attention/parameter_list.hpp>
#include <headwise/core/io/safetensors_header.hpp>
#include <headwise/state_dict.hpp>
#include <vector>

namespace headwise {

/// Copies of all values.
[[nodiscard]] StateDict values_of(const ParameterList& list);
/// Copies of all gradients; zeros where there are none yet.
[[nodiscard]] StateDict gradients_of(const ParameterList& list);
/// Sets all values to those of a checked state dict.
void write_values(const ParameterList& list, const StateDict& state_dict);

/// What the checks of state dicts read. Views of the dict.
[[nodiscard]] std::vector<io::NamedTensor> names_and_shapes(const StateDict& state_dict);

}  // namespace headwise
