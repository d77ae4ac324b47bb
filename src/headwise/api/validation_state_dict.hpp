#pragma once

#include <cstdint>
#include <headwise/api/validation_text.hpp>
#include <headwise/core/layouts/state_dict_layouts.hpp>
#include <headwise/state_dict.hpp>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headwise {
class AttentionLayer;
}  // namespace headwise

/// The checks of state dicts that layers and models share. Internal.
namespace headwise::validation {

/// Shapes of parameters by name.
using ExpectedParameters = std::map<std::string, std::vector<Axis>>;

/// A layer's parameters. Sizes that are not known yet are names.
ExpectedParameters expected_parameters(const AttentionLayer& layer);

/// Throws invalid-state-dict, listing every name that is missing, unexpected or of the wrong shape.
void check_parameters(const ExpectedParameters& parameters, const StateDict& state_dict);

/// Returns the layer that another library's state dict describes. Throws invalid-option for
/// `num_heads` out of range, invalid-state-dict for the problems of `plan_layer`.
io::LayerPlan check_layout(std::span<const io::NamedTensor> tensors, std::string_view prefix,
                           std::int64_t num_heads);

}  // namespace headwise::validation
