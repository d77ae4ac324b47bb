#include <headwise/core/attention/parameter_list.hpp>

namespace headwise {

std::size_t NamedParameter::columns() const noexcept {
  std::size_t columns = 1;
  for (std::size_t axis = 1; axis < shape.size(); ++axis) {
    columns *= shape[axis];
  }
  return columns;
}

void append_parameters(const ParameterTable& table, StoredParameters* stored, float* gradients,
                       const AttentionLayer* layer, std::string_view prefix, ParameterList& list) {
  std::size_t index = 0;
  for (const ParameterTable::Entry& entry : table.entries()) {
    list.push_back({.name = std::string(prefix) + entry.name,
                    .shape = entry.shape,
                    .stored = stored,
                    .index = index++,
                    .gradient = gradients != nullptr ? gradients + entry.offset : nullptr,
                    .layer = layer,
                    .prefix_size = prefix.size()});
  }
}

void append_parameters(const AttentionLayer& layer, std::string_view prefix, ParameterList& list) {
  auto& changeable = const_cast<AttentionLayer&>(layer);  // NOLINT(*-const-cast)
  if (changeable.parameters()) {
    append_parameters(changeable.parameter_table(), &changeable.parameters()->stored(),
                      changeable.parameter_gradients(), &layer, prefix, list);
    return;
  }
  const ParameterTable table =
      parameter_table(layer.settings(), {.query_size = layer.query_size().value_or(0),
                                         .key_size = layer.key_size().value_or(0),
                                         .value_size = layer.value_size().value_or(0)});
  append_parameters(table, nullptr, nullptr, &layer, prefix, list);
}

ParameterList parameter_list(const AttentionLayer& layer) {
  ParameterList list;
  append_parameters(layer, "", list);
  return list;
}

}  // namespace headwise
