#include <algorithm>
#include <headwise/api/validation.hpp>
#include <headwise/api/validation_models.hpp>
#include <headwise/api/validation_state_dict.hpp>
#include <headwise/api/validation_text.hpp>
#include <headwise/core/io/name_index.hpp>
#include <headwise/core/layouts/state_dict_problems.hpp>
#include <headwise/multi_head_attention.hpp>
#include <string>
#include <vector>

namespace headwise::validation {
namespace {

/// Throws invalid-state-dict unless there are no problems.
void fail_if(const std::string& problems) {
  if (!problems.empty()) {
    fail_text(ErrorCode::invalid_state_dict, "state_dict: #", {Part::verbatim(problems)});
  }
}

/// What errors call an input size that is still to be inferred, and where it is stored.
struct UnknownSize {
  const char* name;
  std::size_t* size;
};

/// The input size that a layer's weight has as an axis.
UnknownSize input_size_of(const NamedParameter& weight, InputSizes& sizes) {
  const bool is_convolution = weight.layer->settings().projection == Projection::convolution;
  switch (weight.name_in_layer()[2]) {
    case 'q':
      return {is_convolution ? "query_size / num_heads" : "query_size", &sizes.query_size};
    case 'k':
      return {is_convolution ? "key_size / num_heads" : "key_size", &sizes.key_size};
    default:
      return {is_convolution ? "value_size / num_heads" : "value_size", &sizes.value_size};
  }
}

/// Stores input sizes that are still to be inferred in `sizes`, as the tensor has them.
void check_tensor(const NamedParameter& parameter, const io::NamedTensor& tensor, InputSizes& sizes,
                  io::StateDictProblems& problems) {
  std::vector<Axis> axes(parameter.shape.begin(), parameter.shape.end());
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    if (axes[axis].size == 0) {
      const UnknownSize unknown = input_size_of(parameter, sizes);
      axes[axis] = unknown.name;
      *unknown.size = axis < tensor.shape.size() ? tensor.shape[axis] : 0;
    }
  }
  if (problems.check_floats(tensor) &&
      (!fits(tensor.shape, axes) || std::ranges::find(tensor.shape, 0) != tensor.shape.end())) {
    problems.add_wrong(tensor.name, {}) +=
        text_of({"expected ", std::span<const Axis>(axes), ", got ", tensor.shape});
  }
}

void check_tensors(const ParameterList& parameters, NamedTensors tensors, InputSizes& sizes) {
  // In ascending order of all names, each parameter comes before the tensor of its name.
  std::vector<std::string_view> names;
  for (const NamedParameter& parameter : parameters) {
    names.emplace_back(parameter.name);
  }
  for (const io::NamedTensor& tensor : tensors) {
    names.push_back(tensor.name);
  }
  const std::vector<std::size_t> order = io::NameIndex(names).order();
  io::StateDictProblems problems;
  for (std::size_t place = 0; place < order.size(); ++place) {
    const std::string_view name = names[order[place]];
    if (order[place] >= parameters.size()) {
      problems.add_unexpected(name);
    } else if (place + 1 < order.size() && names[order[place + 1]] == name) {
      const NamedParameter& parameter = parameters[order[place++]];
      check_tensor(parameter, tensors[order[place] - parameters.size()], sizes, problems);
    } else {
      problems.add_missing("", name);
    }
  }
  fail_if(problems.text());
}

}  // namespace

InputSizes check_layer_tensors(const MultiHeadAttention& layer, NamedTensors tensors) {
  check_in_use(layer.in_use(), "layer");
  InputSizes inferred{};
  check_tensors(parameter_list(layer), tensors, inferred);
  const std::size_t groups =
      layer.settings().projection == Projection::convolution ? layer.num_heads() : 1;
  return {.query_size = layer.query_size().value_or(inferred.query_size * groups),
          .key_size = layer.key_size().value_or(inferred.key_size * groups),
          .value_size = layer.value_size().value_or(inferred.value_size * groups)};
}

void check_model_tensors(const Transformer& model, NamedTensors tensors) {
  check_model(model);
  InputSizes known{};
  check_tensors(model.core().parameters(), tensors, known);
}

io::LayerPlan check_layout(NamedTensors tensors, std::string_view prefix, std::int64_t num_heads) {
  check_size("num_heads", num_heads);
  io::LayerPlan plan;
  fail_if(io::plan_layer(tensors, io::with_dot(prefix), static_cast<std::size_t>(num_heads), plan));
  return plan;
}

}  // namespace headwise::validation
