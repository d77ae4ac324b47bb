#include "pretrained_calls.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <headwise/core/memory/aligned_floats.hpp>
#include <headwise/core/memory/checked_sizes.hpp>
#include <headwise/core/models/pretrained/config.hpp>
#include <headwise/core/models/pretrained/layout.hpp>
#include <headwise/core/models/pretrained/whole_heads.hpp>
#include <limits>
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

PretrainedConfig config_of(const Checkpoint& checkpoint) {
  std::vector<PretrainedConfig::Field> fields(checkpoint.config.size());
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const ConfigField& given = checkpoint.config[i];
    PretrainedConfig::Field& field = fields[i];
    field.name += given.name;
    field.kind = static_cast<PretrainedConfig::Kind>(given.kind);
    field.number = given.number;
    field.text += given.text;
  }
  return PretrainedConfig(std::move(fields));
}

template <typename Integer>
std::size_t size_or_0(const std::optional<Integer>& size) {
  return static_cast<std::size_t>(size.value_or(0));
}

ModelOptions block_of(const TransformerOptions& options) {
  constexpr std::int64_t unlimited = AttentionMask::unlimited;
  constexpr double by_default = std::numeric_limits<double>::quiet_NaN();
  const RotaryScaling scaling = options.rotary.scaling.value_or(RotaryScaling{});
  const Window window = options.window.value_or(Window{});
  const std::int64_t ffn_hiddens = options.ffn_hiddens.value_or(4 * options.num_hiddens);
  const EncoderOptions encoder = options.encoder.value_or(EncoderOptions{.num_layers = 0});
  const PatchOptions patches = options.patches.value_or(PatchOptions{});
  return {
      .vocabulary_size = static_cast<std::size_t>(options.vocabulary_size),
      .max_length = static_cast<std::size_t>(options.max_length),
      .num_hiddens = static_cast<std::size_t>(options.num_hiddens),
      .num_layers = static_cast<std::size_t>(options.num_layers),
      .num_heads = static_cast<std::size_t>(options.num_heads),
      .num_kv_heads = size_or_0(options.num_kv_heads),
      .head_size = size_or_0(options.head_size),
      .ffn_hiddens = static_cast<std::size_t>(ffn_hiddens),
      .activation = static_cast<std::size_t>(options.activation),
      .gated = options.gated,
      .norm = static_cast<std::size_t>(options.norm),
      .norm_first = options.norm_first,
      .parallel_residual = options.parallel_residual,
      .post_norms = options.post_norms,
      .norm_epsilon = options.norm_epsilon,
      .norm_bias = options.norm_bias,
      .final_norm = options.final_norm.value_or(options.norm_first),
      .embedding_norm = options.embedding_norm,
      .positions = static_cast<std::size_t>(options.positions),
      .position_offset = static_cast<std::size_t>(options.position_offset),
      .padding_token = options.padding_token ? static_cast<double>(*options.padding_token)
                                             : std::numeric_limits<double>::quiet_NaN(),
      .rotary_base = options.rotary.base,
      .rotary_size = size_or_0(options.rotary.size),
      .rotary_interleaved = options.rotary.interleaved,
      .rotary_scaling =
          options.rotary.scaling ? static_cast<std::size_t>(options.rotary.scaling->type) + 1 : 0,
      .rotary_factor = scaling.factor,
      .rotary_length = scaling.original_length,
      .rotary_slow_turns = scaling.slow_turns,
      .rotary_fast_turns = scaling.fast_turns.value_or(by_default),
      .rotary_truncate = scaling.truncate,
      .rotary_attention_factor = scaling.attention_factor.value_or(by_default),
      .qk_norm = options.qk_norm,
      .embedding_scale = options.embedding_scale,
      .bias = options.bias,
      .qkv_bias = options.qkv_bias.value_or(options.bias),
      .tied_embeddings = options.tied_embeddings,
      .logits_bias = options.logits_bias,
      .logits_softcap = options.logits_softcap,
      .head = options.head,
      .segments = static_cast<std::size_t>(options.segments),
      .causal = options.causal,
      .dropout = options.dropout,
      .window_left = static_cast<std::size_t>(window.left.value_or(unlimited)),
      .window_right = static_cast<std::size_t>(window.right.value_or(unlimited)),
      .softcap = options.softcap,
      .scale = options.scale.value_or(std::numeric_limits<double>::quiet_NaN()),
      .encoder_layers = static_cast<std::size_t>(encoder.num_layers),
      .encoder_heads = size_or_0(encoder.num_heads),
      .encoder_ffn_hiddens = static_cast<std::size_t>(encoder.ffn_hiddens.value_or(ffn_hiddens)),
      .image_size = static_cast<std::size_t>(patches.image_size),
      .patch_size = static_cast<std::size_t>(patches.patch_size),
      .channels = static_cast<std::size_t>(patches.channels),
      .class_token = patches.class_token,
      .weights = 0,
      .seed = 0};
}

/// To the left and to the right of each layer; empty if all are alike.
std::vector<std::size_t> windows_of(const TransformerOptions& options) {
  std::vector<std::size_t> sides;
  for (const std::optional<Window>& each : options.windows) {
    const Window window = each.value_or(Window{});
    for (const std::optional<std::int64_t>& side : {window.left, window.right}) {
      sides.push_back(static_cast<std::size_t>(side.value_or(AttentionMask::unlimited)));
    }
  }
  return sides;
}

/// Whether the rows of a tensor are those of its only parameter.
bool is_by_rows(const headwise::PretrainedTensor& tensor) {
  return tensor.parameters.size() == 1 && !tensor.transposed && tensor.leading_axes == 0;
}

/// A parameter's numbers: where they are, or copied to `memory`.
float* numbers_of(const ParameterList::Parameter& parameter, AlignedFloats& memory) {
  if (float* const values = parameter.stored->values(parameter.index); values != nullptr) {
    return values;
  }
  memory = AlignedFloats(parameter.entry->size());
  parameter.stored->read(parameter.index, 0, parameter.entry->rows(), memory.data());
  return memory.data();
}

Address respond_tensors(Model& model, bool whole = false) {
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
  const auto checkpoint = message_at<Checkpoint>(request);
  PretrainedConfig config = config_of(checkpoint);
  const PretrainedPlan plan = plan_pretrained(config, checkpoint.tensors, checkpoint.same_as);
  const std::vector<std::size_t> windows = windows_of(plan.options);
  return respond(CheckpointPlan{.problem = config.problems(),
                                .tensor_problem = plan.problems,
                                .options = block_of(plan.options),
                                .windows = windows,
                                .tied = plan.tied,
                                .is_untied = plan.is_untied});
}

Address attach_checkpoint(Address model, Address request) {
  const auto checkpoint = message_at<Checkpoint>(request);
  PretrainedConfig config = config_of(checkpoint);
  PretrainedPlan plan = plan_pretrained(config, checkpoint.tensors, checkpoint.same_as);
  Model& target = model_at(model);
  for (std::size_t side = 0; side < all_sides.size(); ++side) {
    target.core.remove_heads(all_sides[side], plan.removed_heads[side]);
  }
  target.pretrained = std::move(plan.layout);
  return respond_tensors(target);
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
                      [&](float& number) { number += tensor.offset; });
      parameter.stored->write(parameter.index, first_row, rows, numbers);
      continue;
    }
    AlignedFloats memory;
    float* const numbers = numbers_of(parameter, memory);
    PretrainedPart{.tensor = &tensor, .part = part, .parameters = parameters}.read(
        at<const float>(values), numbers);
    if (!memory.empty()) {
      parameter.stored->write(parameter.index, 0, parameter.entry->rows(), numbers);
    }
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
  const std::vector<AttentionLayer>& layers = model_at(model).layers(static_cast<Side>(side));
  std::vector<std::vector<std::size_t>> heads(layers.size());
  for (std::size_t layer = 0; layer < layers.size(); ++layer) {
    heads[layer] = layers[layer].removed_heads();
  }
  return respond(PrunedHeads{.layers = heads | std::views::transform([](const auto& list) {
                                         return LayerHeads{.heads = list};
                                       })});
}

}  // namespace headwise::bindings
