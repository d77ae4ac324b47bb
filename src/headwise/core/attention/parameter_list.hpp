#pragma once

#include <cstddef>
#include <headwise/core/attention/attention_layer.hpp>
#include <headwise/core/memory/parameter_table.hpp>
#include <string_view>
#include <vector>

namespace headwise {

/// A parameter of a layer or a model: the entry of its table, but under its name in a state dict.
/// An axis of a size that is still to be inferred is 0.
struct NamedParameter : ParameterTable::Entry {
  StoredParameters* stored;     ///< what holds it; null while sizes are unknown
  std::size_t index;            ///< in `stored`
  float* gradient;              ///< null if there is none yet
  const AttentionLayer* layer;  ///< that has it; null for a model's own
  std::size_t prefix_size;      ///< of the layer's prefix in `name`

  [[nodiscard]] std::string_view name_in_layer() const noexcept {
    return {name.data() + prefix_size, name.size() - prefix_size};
  }
};

/// Parameters in the order of their tables. Valid until sizes are inferred or heads are removed.
using ParameterList = std::vector<NamedParameter>;

/// Appends the parameters of a table, which `stored` holds and whose gradients are at `gradients`;
/// both may be null.
void append_parameters(const ParameterTable& table, StoredParameters* stored, float* gradients,
                       const AttentionLayer* layer, std::string_view prefix, ParameterList& list);

/// A list of a constant layer is for reading.
void append_parameters(const AttentionLayer& layer, std::string_view prefix, ParameterList& list);
[[nodiscard]] ParameterList parameter_list(const AttentionLayer& layer);

}  // namespace headwise
