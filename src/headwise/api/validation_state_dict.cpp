#include <algorithm>
#include <headwise/api/validation.hpp>
#include <headwise/api/validation_state_dict.hpp>
#include <headwise/api/validation_text.hpp>
#include <headwise/core/attention/parameter_names.hpp>
#include <headwise/multi_head_attention.hpp>
#include <string>

namespace headwise::validation {
namespace {

void append(std::string& list, std::string_view separator, const std::string& item) {
  if (!item.empty()) {
    list.append(list.empty() ? "" : separator).append(item);
  }
}

}  // namespace

ExpectedParameters expected_parameters(const AttentionLayer& layer) {
  const LayerSettings& settings = layer.settings();
  const bool convolution = settings.projection == Projection::convolution;
  const std::size_t groups = convolution ? settings.num_heads : 1;
  const InputSizes sizes{.query_size = layer.query_size().value_or(groups),
                         .key_size = layer.key_size().value_or(groups),
                         .value_size = layer.value_size().value_or(groups)};
  // Names of the input sizes that are still to be inferred, by the weight that has them as an axis.
  std::map<std::string, Axis> unknown;
  if (!layer.query_size()) {
    unknown.emplace("W_q.weight", convolution ? "query_size / num_heads" : "query_size");
  }
  if (!layer.key_size()) {
    unknown.emplace("W_k.weight", convolution ? "key_size / num_heads" : "key_size");
  }
  if (!layer.value_size()) {
    unknown.emplace("W_v.weight", convolution ? "value_size / num_heads" : "value_size");
  }
  ExpectedParameters parameters;
  const ParameterTable table = parameter_table(settings, sizes);
  for (const ParameterTable::Entry& entry : table.entries()) {
    std::vector<Axis> axes(entry.shape.begin(), entry.shape.end());
    if (const auto word = unknown.find(entry.name); word != unknown.end()) {
      axes[1] = word->second;
    }
    parameters.emplace(entry.name, std::move(axes));
  }
  return parameters;
}

void check_parameters(const ExpectedParameters& parameters, const StateDict& state_dict) {
  std::string missing;
  std::string unexpected;
  std::string wrong;
  for (const auto& [name, axes] : parameters) {
    const auto found = state_dict.find(name);
    if (found == state_dict.end()) {
      append(missing, ", ", name);
      continue;
    }
    const auto& tensor = found->second;
    const Shape shape(tensor.shape().data(), tensor.dimension());
    if (!fits(shape, axes) || tensor.size() == 0) {
      append(wrong, "; ",
             text_of({Part::verbatim(name), ": expected ", std::span<const Axis>(axes), ", got ",
                      shape}));
    }
  }
  for (const auto& [name, tensor] : state_dict) {
    if (!parameters.contains(name)) {
      append(unexpected, ", ", name);
    }
  }
  std::string message;
  append(message, "; ", missing.empty() ? "" : "missing " + missing);
  append(message, "; ", unexpected.empty() ? "" : "unexpected " + unexpected);
  append(message, "; ", wrong);
  if (!message.empty()) {
    throw Error(ErrorCode::invalid_state_dict, "state_dict: " + message);
  }
}

InputSizes check_state_dict(const MultiHeadAttention& layer, const StateDict& state_dict) {
  check_in_use(layer.in_use(), "layer");
  check_parameters(expected_parameters(layer), state_dict);
  const std::size_t groups =
      layer.settings().projection == Projection::convolution ? layer.num_heads() : 1;
  const auto size = [&](const std::optional<std::size_t>& known, const std::string& name) {
    return known.has_value() ? *known : state_dict.at(name).shape(1) * groups;
  };
  return {.query_size = size(layer.query_size(), "W_q.weight"),
          .key_size = size(layer.key_size(), "W_k.weight"),
          .value_size = size(layer.value_size(), "W_v.weight")};
}

io::LayerPlan check_layout(std::span<const io::NamedTensor> tensors, std::string_view prefix,
                           std::int64_t num_heads) {
  check_size("num_heads", num_heads);
  io::LayerPlan plan;
  const std::string problems =
      io::plan_layer(tensors, io::with_dot(prefix), static_cast<std::size_t>(num_heads), plan);
  if (!problems.empty()) {
    fail_text(ErrorCode::invalid_state_dict, "state_dict: #", {Part::verbatim(problems)});
  }
  return plan;
}

}  // namespace headwise::validation
