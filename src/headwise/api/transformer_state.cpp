#include <algorithm>
#include <headwise/api/parameter_tensors.hpp>
#include <headwise/api/validation_models.hpp>
#include <headwise/attention_only_transformer.hpp>
#include <headwise/error.hpp>
#include <utility>
#include <vector>

namespace headwise {
namespace {

std::string attention_prefix(std::size_t layer) { return prefix_of_layer(layer) + "attention."; }

}  // namespace

StateDict AttentionOnlyTransformer::state_dict() const {
  return report_out_of_memory([&] {
    validation::check_model(*this);
    StateDict result;
    add_tensors(parameters_->parameter_table(), parameters_->parameter_values(), "", result);
    for (std::size_t layer = 0; layer < num_layers(); ++layer) {
      const AttentionLayer& attention = layers_[layer];
      add_tensors(attention.parameter_table(), attention.parameters()->values(),
                  attention_prefix(layer), result);
    }
    return result;
  });
}

StateDict AttentionOnlyTransformer::gradients() const {
  return report_out_of_memory([&] {
    validation::check_model(*this);
    StateDict result;
    add_tensors(parameters_->parameter_table(), parameters_->parameter_gradients(), "", result);
    for (std::size_t layer = 0; layer < num_layers(); ++layer) {
      const AttentionLayer& attention = layers_[layer];
      add_tensors(attention.parameter_table(), attention.parameter_gradients(),
                  attention_prefix(layer), result);
    }
    return result;
  });
}

void AttentionOnlyTransformer::load_state_dict(const StateDict& state_dict) {
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
    for (std::size_t number = 0; number < num_layers(); ++number) {
      add(attention_prefix(number), layers_[number]);
    }
    for (const auto& [tensor, values] : copies) {
      std::copy_n(tensor->data(), tensor->size(), values);
    }
    parameters_changed();
  });
}

}  // namespace headwise
