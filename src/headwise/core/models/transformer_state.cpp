#include <algorithm>
#include <headwise/api/validation_models.hpp>
#include <headwise/attention_only_transformer.hpp>
#include <headwise/core/attention/parameter_names.hpp>
#include <headwise/core/memory/checked_sizes.hpp>
#include <headwise/error.hpp>
#include <utility>
#include <vector>

namespace headwise {

namespace {

std::string attention_prefix(std::size_t layer) { return prefix_of_layer(layer) + "attention."; }

xt::xarray<float> tensor_of(const float* values, const std::vector<std::size_t>& shape) {
  auto tensor = make_array(shape);
  std::copy_n(values, tensor.size(), tensor.data());
  return tensor;
}

void add_prefixed(std::size_t layer, StateDict parameters, StateDict& result) {
  for (auto& [name, tensor] : parameters) {
    result.emplace(attention_prefix(layer) + name, std::move(tensor));
  }
}

}  // namespace

StateDict AttentionOnlyTransformer::state_dict() const {
  return report_out_of_memory([&] {
    validation::check_model(*this);
    StateDict result;
    for (std::size_t place = 0; place < own_->entries().size(); ++place) {
      const ModelParameters::Entry& entry = own_->entries()[place];
      result.emplace(entry.name, tensor_of(own_->values(place), entry.shape));
    }
    for (std::size_t layer = 0; layer < num_layers(); ++layer) {
      add_prefixed(layer, layers_[layer].state_dict(), result);
    }
    return result;
  });
}

StateDict AttentionOnlyTransformer::gradients() const {
  return report_out_of_memory([&] {
    validation::check_model(*this);
    StateDict result;
    for (std::size_t place = 0; place < own_->entries().size(); ++place) {
      const ModelParameters::Entry& entry = own_->entries()[place];
      const std::vector<float> zeros(own_->have_gradients() ? 0 : entry.size());
      result.emplace(
          entry.name,
          tensor_of(own_->have_gradients() ? own_->gradient(place) : zeros.data(), entry.shape));
    }
    for (std::size_t layer = 0; layer < num_layers(); ++layer) {
      add_prefixed(layer, layers_[layer].gradients(), result);
    }
    return result;
  });
}

void AttentionOnlyTransformer::load_state_dict(const StateDict& state_dict) {
  report_out_of_memory([&] {
    validation::check_transformer_state_dict(*this, state_dict);
    std::vector<std::pair<const xt::xarray<float>*, float*>> copies;
    copies.reserve(state_dict.size());
    for (std::size_t place = 0; place < own_->entries().size(); ++place) {
      copies.emplace_back(&state_dict.at(own_->entries()[place].name),
                          own_->writable_values(place));
    }
    for (std::size_t number = 0; number < num_layers(); ++number) {
      MultiHeadAttention& layer = layers_[number];
      for (const auto& [parameter, shape] :
           parameter_shapes(layer.settings(), layer.input_sizes())) {
        copies.emplace_back(
            &state_dict.at(attention_prefix(number) + std::string(parameter_names[parameter])),
            layer.parameters()->data(parameter));
      }
    }
    for (const auto& [tensor, values] : copies) {
      std::copy_n(tensor->data(), tensor->size(), values);
    }
    parameters_changed();
  });
}

}  // namespace headwise
