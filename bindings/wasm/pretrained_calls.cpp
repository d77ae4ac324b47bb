#include "pretrained_calls.hpp"

#include <algorithm>
#include <cstdint>
#include <headwise/core/memory/aligned_floats.hpp>
#include <headwise/core/memory/checked_sizes.hpp>
#include <headwise/core/models/pretrained/layout.hpp>
#include <headwise/core/models/pretrained/whole_heads.hpp>
#include <memory>
#include <optional>
#include <ranges>
#include <utility>
#include <vector>

#include "memory.hpp"
#include "model.hpp"
#include "records.hpp"
#include "response.hpp"

namespace headwise::bindings {
namespace {

/// What `save_pretrained` copies, beside the values: as in pretrained.ts.
constexpr std::size_t saved_gradients = 1;
constexpr std::size_t saved_whole = 2;

/// Whether the rows of a tensor are those of its only parameter.
bool is_by_rows(const headwise::PretrainedTensor& tensor) {
  return tensor.parameters.size() == 1 && !tensor.transposed && tensor.leading_axes == 0;
}

/// A parameter's numbers: where they are, or copied to `memory`.
const float* numbers_of(const ParameterList::Parameter& parameter, AlignedFloats& memory) {
  if (const float* const values = parameter.stored->values(parameter.index); values != nullptr) {
    return values;
  }
  memory = AlignedFloats(parameter.entry->size());
  parameter.stored->read(parameter.index, 0, parameter.entry->rows(), memory.data());
  return memory.data();
}

Address respond_tensors(Model& model, bool whole) {
  const std::span<const io::NamedTensor> parameters =
      model.pretrained_parameters.emplace(model, whole).tensors();
  const std::vector<headwise::PretrainedTensor>& tensors = model.pretrained.tensors;
  std::vector<std::vector<std::size_t>> shapes(tensors.size());
  std::ranges::transform(tensors, shapes.begin(), [&](const headwise::PretrainedTensor& tensor) {
    return shape_of(tensor, parameters);
  });
  std::size_t number = 0;
  return respond(PretrainedTensors{
      .tensors = tensors | std::views::transform([&](const headwise::PretrainedTensor& tensor) {
                   return PretrainedTensor{.name = tensor.name,
                                           .shape = shapes[number++],
                                           .is_copy = tensor.is_copy,
                                           .by_rows = is_by_rows(tensor)};
                 })});
}

}  // namespace

Address plan_checkpoint(Address request) {
  auto checkpoint = message_at<Checkpoint>(request);
  PretrainedConfig config(std::move(checkpoint.config));
  const PretrainedPlan plan = plan_pretrained(config, checkpoint.tensors, checkpoint.same_as);
  return respond(CheckpointPlan{.problem = config.problems(),
                                .tensor_problem = plan.problems,
                                .tied = plan.tied,
                                .is_untied = plan.is_untied});
}

Address new_pretrained(Address request) {
  auto [checkpoint, own] = message_at<NewPretrained>(request);
  PretrainedConfig config(std::move(checkpoint.config));
  PretrainedPlan plan = plan_pretrained(config, checkpoint.tensors, checkpoint.same_as);
  TransformerOptions& options = plan.options;
  options.dropout = own.dropout.value_or(options.dropout);
  options.weights = static_cast<Precision>(own.weights);
  options.seed = own.seed;
  auto model = std::make_unique<Model>(options, InitialParameters::zeros);
  for (std::size_t side = 0; side < all_sides.size(); ++side) {
    model->transformer.core().remove_heads(all_sides[side], plan.removed_heads[side]);
  }
  model->pretrained = std::move(plan.layout);
  return address_of(model.release());
}

Address pretrained_tensors(Address model, std::size_t whole) {
  return respond_tensors(model_at(model), whole != 0);
}

void load_pretrained(Address model, std::size_t number, std::size_t first_row, std::size_t rows,
                     Address values) {
  const Model& target = model_at(model);
  const ParameterList& list = *target.pretrained_parameters;
  const std::span<const io::NamedTensor> parameters = list.tensors();
  const headwise::PretrainedTensor& tensor = target.pretrained.tensors[number];
  for (std::size_t part = 0; part < tensor.parameters.size(); ++part) {
    const ParameterList::Parameter& parameter = list.parameters()[tensor.parameters[part]];
    if (is_by_rows(tensor)) {
      auto* const numbers = at<float>(values);
      std::for_each_n(numbers, rows * parameter.entry->columns(),
                      [&](float& number) { number = tensor.with_offset(number); });
      parameter.stored->write(parameter.index, first_row, rows, numbers);
      continue;
    }
    AlignedFloats numbers(parameter.entry->size());
    PretrainedPart{.tensor = &tensor, .part = part, .parameters = parameters}.read(
        at<const float>(values), numbers.data());
    parameter.stored->write(parameter.index, 0, parameter.entry->rows(), numbers.data());
  }
}

void save_pretrained(Address model, std::size_t number, std::size_t kind, Address values) {
  const Model& source = model_at(model);
  const ParameterList& list = *source.pretrained_parameters;
  const std::span<const io::NamedTensor> parameters = list.tensors();
  const headwise::PretrainedTensor& tensor = source.pretrained.tensors[number];
  for (std::size_t part = 0; part < tensor.parameters.size(); ++part) {
    const ParameterList::Parameter& parameter = list.parameters()[tensor.parameters[part]];
    const PretrainedPart place{.tensor = &tensor, .part = part, .parameters = parameters};
    const bool is_gradient = kind == saved_gradients;
    const bool is_expanded = kind == saved_whole && parameter.layer != nullptr;
    AlignedFloats memory;
    const float* const values_of_parameter =
        is_gradient ? parameter.gradient : numbers_of(parameter, memory);
    if (is_expanded || (is_gradient && parameter.gradient == nullptr)) {
      AlignedFloats numbers = zero_floats(checked_count(parameter.shape, sizeof(float)));
      if (is_expanded) {
        write_whole(*parameter.layer, parameter.entry->name, parameter.entry->shape,
                    values_of_parameter, numbers.data());
      }
      place.write(numbers.data(), is_gradient, at<float>(values));
    } else {
      place.write(values_of_parameter, is_gradient, at<float>(values));
    }
  }
}

Address pruned_heads(Address model, std::size_t side) {
  const std::vector<MultiHeadAttention>& layers =
      transformer_at(model).attention_layers(static_cast<Side>(side));
  return respond(
      PrunedHeads{.layers = layers | std::views::transform(&MultiHeadAttention::removed_heads)});
}

}  // namespace headwise::bindings
