#pragma once

#include <cstddef>
#include <headwise/core/attention/attention_layer.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace headwise {

/// A parameter of a layer or a model, under its name in a state dict.
struct NamedParameter {
  std::string name;
  /// An axis of a size that is still to be inferred is 0.
  std::vector<std::size_t> shape;
  /// What holds it, and its index there; null while sizes are unknown.
  StoredParameters* stored = nullptr;
  std::size_t index = 0;
  float* gradient = nullptr;              ///< null if there is none yet
  const AttentionLayer* layer = nullptr;  ///< that has it; null for a model's own
  std::size_t prefix_size = 0;            ///< of the layer's prefix in `name`

  [[nodiscard]] std::string_view name_in_layer() const noexcept {
    return {name.data() + prefix_size, name.size() - prefix_size};
  }
  /// The parameter as a matrix: the first axis, and the others flattened.
  [[nodiscard]] std::size_t rows() const noexcept { return shape.front(); }
  [[nodiscard]] std::size_t columns() const noexcept;
  [[nodiscard]] std::size_t size() const noexcept { return rows() * columns(); }
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
