#include <headwise/core/attention/parameter_list.hpp>

namespace headwise {

void append_parameters(const ParameterTable& table, StoredParameters* stored, float* gradients,
                       const AttentionLayer* layer, std::string_view prefix, ParameterList& list) {
  std::size_t index = 0;
  for (const ParameterTable::Entry& entry : table.entries()) {
    float* const gradient = gradients != nullptr ? gradients + entry.offset : nullptr;
    list.push_back({entry, stored, index++, gradient, layer, prefix.size()});
    list.back().name.insert(0, prefix);
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
