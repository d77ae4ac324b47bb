#include <algorithm>
#include <headwise/api/parameter_tensors.hpp>
#include <headwise/api/pretrained.hpp>
#include <headwise/api/transformer_pass.hpp>
#include <headwise/api/validation_models.hpp>
#include <headwise/error.hpp>
#include <headwise/transformer.hpp>
#include <utility>
#include <vector>

namespace headwise {
namespace {

/// A tensor for each parameter, values or gradients.
StateDict tensors_of(const Transformer& model, bool gradients) {
  StateDict result;
  const ModelParameters& own = model.own_parameters();
  add_tensors(own.parameter_table(), gradients ? own.parameter_gradients() : own.parameter_values(),
              "", result);
  for (const Side side : all_sides) {
    const std::vector<MultiHeadAttention>& layers = model.attention_layers(side);
    for (std::size_t layer = 0; layer < layers.size(); ++layer) {
      const AttentionLayer& attention = layers[layer];
      add_tensors(attention.parameter_table(),
                  gradients ? attention.parameter_gradients() : attention.parameters()->values(),
                  attention_prefix(side, layer), result);
    }
  }
  return result;
}

}  // namespace

StateDict Transformer::state_dict(ParameterNames names) const {
  return report_out_of_memory([&] {
    validation::check_model(*this);
    if (names == ParameterNames::pretrained) {
      return with_pretrained_names(*this, pretrained_.get(), tensors_of(*this, false), true);
    }
    return tensors_of(*this, false);
  });
}

StateDict Transformer::gradients(ParameterNames names) const {
  return report_out_of_memory([&] {
    validation::check_model(*this);
    if (names == ParameterNames::pretrained) {
      return with_pretrained_names(*this, pretrained_.get(), tensors_of(*this, true), false);
    }
    return tensors_of(*this, true);
  });
}

void Transformer::load_state_dict(const StateDict& state_dict) {
  report_out_of_memory([&] {
    validation::check_transformer_state_dict(*this, state_dict);
    std::vector<std::pair<const xt::xarray<float>*, float*>> copies;
    copies.reserve(state_dict.size());
    const auto add = [&](const std::string& prefix, Trainable& trainable) {
      for (const ParameterTable::Entry& entry : trainable.parameter_table().entries()) {
        copies.emplace_back(&state_dict.at(prefix + entry.name),
                            trainable.parameter_values() + entry.offset);
      }
    };
    add("", *parameters_);
    for (const Side side : all_sides) {
      std::vector<MultiHeadAttention>& layers = layers_.of(side);
      for (std::size_t layer = 0; layer < layers.size(); ++layer) {
        add(attention_prefix(side, layer), layers[layer]);
      }
    }
    for (const auto& [tensor, values] : copies) {
      std::copy_n(tensor->data(), tensor->size(), values);
    }
    parameters_changed();
  });
}

}  // namespace headwise
