#pragma once

#include <cstdint>
#include <headwise/core/attention/parameter_list.hpp>
#include <headwise/core/io/safetensors_header.hpp>
#include <headwise/core/layouts/state_dict_layouts.hpp>
#include <span>
#include <string_view>

namespace headwise {
class MultiHeadAttention;
class Transformer;
}  // namespace headwise

/// The checks of state dicts, by their tensors' names, dtypes and shapes. Internal.
namespace headwise::validation {

using NamedTensors = std::span<const io::NamedTensor>;

/// Throws invalid-state-dict, listing every tensor that is missing, unexpected, of the wrong shape
/// or not of floats; disposed for a layer that was moved from. Returns the input sizes, inferred
/// where they are unknown.
InputSizes check_layer_tensors(const MultiHeadAttention& layer, NamedTensors tensors);
/// The same of a model. Also throws invalid-option where a layer was replaced by one of other
/// sizes.
void check_model_tensors(const Transformer& model, NamedTensors tensors);

/// Returns the layer that another library's state dict describes. Throws invalid-option for
/// `num_heads` out of range, invalid-state-dict for the problems of `plan_layer`.
io::LayerPlan check_layout(NamedTensors tensors, std::string_view prefix, std::int64_t num_heads);

}  // namespace headwise::validation
