#include <algorithm>
#include <array>
#include <headwise/api/config_json.hpp>
#include <headwise/api/make_tensor.hpp>
#include <headwise/api/pretrained.hpp>
#include <headwise/api/transformer_pass.hpp>
#include <headwise/api/validation_models.hpp>
#include <headwise/api/validation_text.hpp>
#include <headwise/core/models/pretrained/pruned_heads.hpp>
#include <headwise/core/models/pretrained/whole_heads.hpp>
#include <headwise/error.hpp>
#include <span>
#include <utility>

namespace headwise {
namespace {

/// Names and shapes of a model's parameters, in the order of its tables.
class ParameterList {
 public:
  /// `whole` also counts removed heads.
  explicit ParameterList(const Transformer& model, bool whole = false) {
    const auto add = [&](const std::string& prefix, const ParameterTable& table,
                         const AttentionLayer* layer) {
      for (const ParameterTable::Entry& entry : table.entries()) {
        names_.push_back(prefix + entry.name);
        shapes_.push_back(layer != nullptr && whole ? whole_shape(*layer, entry.name, entry.shape)
                                                    : entry.shape);
      }
    };
    add("", model.own_parameters().parameter_table(), nullptr);
    model.core().for_each_layer([&](Side side, std::size_t number, const AttentionLayer& layer) {
      add(attention_prefix(side, number), layer.parameter_table(), &layer);
    });
    for (std::size_t i = 0; i < names_.size(); ++i) {
      tensors_.push_back({.name = names_[i], .shape = shapes_[i]});
    }
  }

  [[nodiscard]] std::span<const io::NamedTensor> tensors() const noexcept { return tensors_; }

 private:
  std::vector<std::string> names_;
  std::vector<std::vector<std::size_t>> shapes_;
  std::vector<io::NamedTensor> tensors_;
};

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

/// The tensors of a layout, from parameters of the list's shapes.
StateDict laid_out(const PretrainedLayout& layout, const ParameterList& list,
                   const StateDict& tensors, bool copies) {
  StateDict result;
  for (const PretrainedTensor& tensor : layout.tensors) {
    if (tensor.is_copy && !copies) {
      continue;
    }
    auto values = make_array(shape_of(tensor, list.tensors()));
    for (std::size_t part = 0; part < tensor.parameters.size(); ++part) {
      const auto& parameter = tensors.at(std::string(list.tensors()[tensor.parameters[part]].name));
      PretrainedPart{.tensor = &tensor, .part = part, .parameters = list.tensors()}.write(
          parameter.data(), !copies, values.data());
    }
    result.emplace(tensor.name, std::move(values));
  }
  return result;
}

}  // namespace

StateDict with_pretrained_names(const Transformer& model, const PretrainedCheckpoint* checkpoint,
                                const StateDict& tensors, bool copies) {
  if (checkpoint == nullptr) {
    validation::fail_option(
        "names: expected 'headwise' for a model that no checkpoint was read into, got 'pretrained'",
        {});
  }
  return laid_out(checkpoint->layout, ParameterList(model), tensors, copies);
}

StateDict with_zeroed_heads(const Transformer& model, const PretrainedCheckpoint& checkpoint,
                            const StateDict& tensors) {
  const ParameterList list(model, true);
  StateDict whole = tensors;
  model.core().for_each_layer([&](Side side, std::size_t number, const AttentionLayer& layer) {
    for (const ParameterTable::Entry& entry : layer.parameter_table().entries()) {
      const std::string name = attention_prefix(side, number) + entry.name;
      auto values = make_array(whole_shape(layer, entry.name, entry.shape));
      write_whole(layer, entry.name, entry.shape, tensors.at(name).data(), values.data());
      whole.insert_or_assign(name, std::move(values));
    }
  });
  return laid_out(checkpoint.layout, list, whole, true);
}

Transformer Transformer::from_pretrained(std::string_view config, const StateDict& tensors,
                                         const PretrainedOptions& options) {
  return report_out_of_memory([&] {
    PretrainedConfig fields = read_config(config);
    std::vector<io::NamedTensor> given;
    for (const auto& [name, tensor] : tensors) {
      given.push_back({.name = name, .shape = {tensor.shape().data(), tensor.dimension()}});
    }
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
    const ParameterList list(model);
    auto checkpoint = std::make_shared<PretrainedCheckpoint>();
    checkpoint->layout = std::move(plan.layout);
    StateDict own = model.state_dict();
    for (const PretrainedTensor& tensor : checkpoint->layout.tensors) {
      for (std::size_t part = 0; part < tensor.parameters.size() && !tensor.is_copy; ++part) {
        auto& parameter = own.at(std::string(list.tensors()[tensor.parameters[part]].name));
        PretrainedPart{.tensor = &tensor, .part = part, .parameters = list.tensors()}.read(
            tensors.at(tensor.name).data(), parameter.data());
      }
    }
    model.load_state_dict(own);
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
    return ExportedCheckpoint{.config = std::move(config),
                              .tensors = with_zeroed_heads(*this, *pretrained_, state_dict())};
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
