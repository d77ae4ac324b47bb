#include "pretrained_calls.hpp"

#include <headwise/core/models/pretrained/layout.hpp>
#include <memory>
#include <ranges>
#include <utility>
#include <vector>

#include "memory.hpp"
#include "model.hpp"
#include "records.hpp"
#include "response.hpp"

namespace headwise::bindings {

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

Address pretrained_tensors(Address address, std::size_t kind) {
  Model& model = model_at(address);
  const PretrainedParameters& parameters = model.pretrained_parameters.emplace(
      model.pretrained, model.transformer.core(), static_cast<PretrainedParameters::Kind>(kind));
  std::vector<std::vector<std::size_t>> shapes;
  for (const headwise::PretrainedTensor& tensor : parameters.tensors()) {
    shapes.push_back(parameters.shape_of(tensor));
  }
  std::size_t number = 0;
  const auto describe = [&](const headwise::PretrainedTensor& tensor) {
    return PretrainedTensor{.name = tensor.name,
                            .shape = shapes[number++],
                            .is_copy = tensor.is_copy,
                            .by_rows = PretrainedParameters::is_by_rows(tensor)};
  };
  return respond(
      PretrainedTensors{.tensors = parameters.tensors() | std::views::transform(describe)});
}

void load_pretrained(Address model, std::size_t number, std::size_t first_row, std::size_t rows,
                     Address values) {
  const PretrainedParameters& parameters = *model_at(model).pretrained_parameters;
  const headwise::PretrainedTensor& tensor = parameters.tensors()[number];
  if (PretrainedParameters::is_by_rows(tensor)) {
    parameters.read_rows(tensor, first_row, rows, at<const float>(values));
  } else {
    parameters.read(tensor, at<const float>(values));
  }
}

void save_pretrained(Address model, std::size_t number, Address values) {
  const PretrainedParameters& parameters = *model_at(model).pretrained_parameters;
  parameters.write(parameters.tensors()[number], at<float>(values));
}

Address pruned_heads(Address model, std::size_t side) {
  const std::vector<MultiHeadAttention>& layers =
      transformer_at(model).attention_layers(static_cast<Side>(side));
  return respond(
      PrunedHeads{.layers = layers | std::views::transform(&MultiHeadAttention::removed_heads)});
}

}  // namespace headwise::bindings
