#include <algorithm>
#include <array>
#include <headwise/api/config_json.hpp>
#include <headwise/api/make_tensor.hpp>
#include <headwise/api/parameter_tensors.hpp>
#include <headwise/api/pretrained.hpp>
#include <headwise/api/validation_models.hpp>
#include <headwise/api/validation_text.hpp>
#include <headwise/core/models/pretrained/pruned_heads.hpp>
#include <headwise/core/models/pretrained/whole_heads.hpp>
#include <headwise/error.hpp>
#include <span>
#include <utility>

namespace headwise {
namespace {

/// The shapes of all parameters as they were before heads were removed.
std::vector<PretrainedShape> shapes_of(const UncheckedTransformer& model) {
  std::vector<PretrainedShape> shapes;
  for (const NamedParameter& parameter : model.parameters()) {
    const AttentionLayer* layer = parameter.layer;
    shapes.push_back({.name = parameter.name,
                      .shape = whole_shape(parameter),
                      .head_size = layer != nullptr ? layer->settings().head_size : 0});
  }
  return shapes;
}

/// The heads that were removed by the number of their layer; empty if there are none.
std::string removed_heads_json(const std::vector<MultiHeadAttention>& layers) {
  std::string json;
  for (std::size_t layer = 0; layer < layers.size(); ++layer) {
    std::string list;
    for (const std::size_t head : layers[layer].removed_heads()) {
      list += (list.empty() ? "" : ", ") + std::to_string(head);
    }
    if (!list.empty()) {
      json += (json.empty() ? "{\"" : ", \"") + std::to_string(layer) + "\": [" + list + "]";
    }
  }
  return json.empty() ? json : json + "}";
}

/// For each of these tensors, the place of the first of them with the same bits.
std::vector<std::size_t> first_equals(const std::vector<std::size_t>& places,
                                      const std::vector<io::NamedTensor>& names,
                                      const StateDict& tensors) {
  const auto tensor = [&](std::size_t place) -> const auto& {
    return tensors.at(std::string(names[places[place]].name));
  };
  std::vector<std::size_t> first(places.size());
  for (std::size_t i = 0; i < first.size(); ++i) {
    const auto is_same = [&](std::size_t earlier) {
      return std::ranges::equal(std::as_bytes(std::span(tensor(i).storage())),
                                std::as_bytes(std::span(tensor(earlier).storage())));
    };
    while (first[i] < i && !is_same(first[i])) {
      ++first[i];
    }
  }
  return first;
}

}  // namespace

StateDict pretrained_tensors(const Transformer& model, const PretrainedCheckpoint* checkpoint,
                             PretrainedParameters::Kind kind) {
  if (checkpoint == nullptr) {
    validation::fail_option(
        "names: expected 'headwise' for a model that no checkpoint was read into, got 'pretrained'",
        {});
  }
  if (shapes_of(model.core()) != checkpoint->shapes) {
    validation::fail_option("layers: expected the checkpoint's, whole or pruned, got others", {});
  }
  const PretrainedParameters parameters(checkpoint->layout, model.core(), kind);
  StateDict result;
  for (const PretrainedTensor& tensor : parameters.tensors()) {
    if (!tensor.is_copy || kind != PretrainedParameters::Kind::gradients) {
      auto numbers = make_array(parameters.shape_of(tensor));
      parameters.write(tensor, numbers.data());
      result.emplace(tensor.name, std::move(numbers));
    }
  }
  return result;
}

Transformer Transformer::from_pretrained(std::string_view config, const StateDict& tensors,
                                         const PretrainedOptions& options) {
  return report_out_of_memory([&] {
    PretrainedConfig fields = read_config(config);
    const std::vector<io::NamedTensor> given = names_and_shapes(tensors);
    PretrainedPlan plan = plan_pretrained(fields, given);
    if (plan.tied.size() > 1) {
      plan = plan_pretrained(fields, given, first_equals(plan.tied, given, tensors));
    }
    if (!fields.problems().empty()) {
      throw Error(ErrorCode::invalid_option, fields.problems());
    }
    if (!plan.problems.empty()) {
      throw Error(ErrorCode::invalid_state_dict, "tensors: " + plan.problems);
    }
    TransformerOptions& of_model = plan.options;
    of_model.dropout = options.dropout;
    of_model.weights = options.weights;
    of_model.seed = options.seed;
    of_model.optimizer = options.optimizer;
    Transformer model(of_model, InitialParameters::zeros);
    for (const Side side : all_sides) {
      model.core_.remove_heads(side, plan.removed_heads[side]);
    }
    auto checkpoint = std::make_shared<PretrainedCheckpoint>();
    checkpoint->layout = std::move(plan.layout);
    checkpoint->shapes = shapes_of(model.core_);
    const PretrainedParameters parameters(checkpoint->layout, model.core_);
    for (const PretrainedTensor& tensor : parameters.tensors()) {
      if (!tensor.is_copy) {
        parameters.read(tensor, tensors.at(tensor.name).data());
      }
    }
    model.parameters_changed();
    checkpoint->config = plan.is_untied ? with_config_field(config, "tie_word_embeddings", "false")
                                        : std::string(config);
    model.pretrained_ = std::move(checkpoint);
    return model;
  });
}

ExportedCheckpoint Transformer::export_checkpoint(PrunedHeads pruned) const {
  return report_out_of_memory([&] {
    std::string config = this->config();
    if (pruned == PrunedHeads::removed) {
      return ExportedCheckpoint{.config = std::move(config),
                                .tensors = state_dict(ParameterNames::pretrained)};
    }
    for (const Side side : all_sides) {
      if (!removed_heads_json(layers_[side]).empty()) {
        config = with_config_field(config, pruned_heads_field(side), "{}");
      }
    }
    return ExportedCheckpoint{
        .config = std::move(config),
        .tensors = pretrained_tensors(*this, pretrained_.get(), PretrainedParameters::Kind::whole)};
  });
}

std::string Transformer::config() const {
  return report_out_of_memory([&] {
    validation::check_model_in_use(*this);
    if (pretrained_ == nullptr) {
      validation::fail_option(
          "config: expected a model that was read from a checkpoint, got another", {});
    }
    std::string config = pretrained_->config;
    for (const Side side : all_sides) {
      if (const std::string heads = removed_heads_json(layers_[side]); !heads.empty()) {
        config = with_config_field(config, pruned_heads_field(side), heads);
      }
    }
    return config;
  });
}

}  // namespace headwise
