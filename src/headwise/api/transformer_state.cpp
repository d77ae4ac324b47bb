#include <headwise/api/parameter_tensors.hpp>
#include <headwise/api/pretrained.hpp>
#include <headwise/api/transformer_pass.hpp>
#include <headwise/api/validation_models.hpp>
#include <headwise/error.hpp>
#include <headwise/transformer.hpp>
#include <utility>

namespace headwise {
namespace {

/// A tensor for each parameter, values or gradients.
StateDict tensors_of(const Transformer& model, bool gradients) {
  StateDict result;
  const auto add = [&](const std::string& prefix, const ParameterTable& table,
                       const StoredParameters& values, const float* block) {
    if (gradients) {
      add_gradients(table, block, prefix, result);
    } else {
      add_tensors(table, values, prefix, result);
    }
  };
  const ModelParameters& own = model.own_parameters();
  add("", own.parameter_table(), own.stored(), own.parameter_gradients());
  model.core().for_each_layer([&](Side side, std::size_t number, const AttentionLayer& layer) {
    add(attention_prefix(side, number), layer.parameter_table(), layer.parameters()->stored(),
        layer.parameter_gradients());
  });
  return result;
}

}  // namespace

StateDict Transformer::named_tensors(ParameterNames names, bool gradients) const {
  return report_out_of_memory([&] {
    validation::check_model(*this);
    StateDict tensors = tensors_of(*this, gradients);
    return names == ParameterNames::pretrained
               ? with_pretrained_names(*this, pretrained_.get(), tensors, !gradients)
               : std::move(tensors);
  });
}

StateDict Transformer::state_dict(ParameterNames names) const {
  return named_tensors(names, false);
}

StateDict Transformer::gradients(ParameterNames names) const { return named_tensors(names, true); }

void Transformer::load_state_dict(const StateDict& state_dict) {
  report_out_of_memory([&] {
    validation::check_transformer_state_dict(*this, state_dict);
    PlannedWrites writes;
    writes.add(parameters_->parameter_table(), state_dict, "", parameters_->stored());
    core_.for_each_layer([&](Side side, std::size_t number, AttentionLayer& layer) {
      writes.add(layer.parameter_table(), state_dict, attention_prefix(side, number),
                 layer.parameters()->stored());
    });
    writes.run();
    parameters_changed();
  });
}

}  // namespace headwise
