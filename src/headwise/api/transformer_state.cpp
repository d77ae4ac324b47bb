#include <headwise/api/parameter_tensors.hpp>
#include <headwise/api/pretrained.hpp>
#include <headwise/api/validation_models.hpp>
#include <headwise/api/validation_state_dict.hpp>
#include <headwise/error.hpp>
#include <headwise/transformer.hpp>

namespace headwise {

StateDict Transformer::named_tensors(ParameterNames names, bool gradients) const {
  return report_out_of_memory([&] {
    validation::check_model(*this);
    if (names == ParameterNames::pretrained) {
      return pretrained_tensors(
          *this, pretrained_.get(),
          gradients ? PretrainedParameters::Kind::gradients : PretrainedParameters::Kind::values);
    }
    const ParameterList list = core_.parameters();
    return gradients ? gradients_of(list) : values_of(list);
  });
}

StateDict Transformer::state_dict(ParameterNames names) const {
  return named_tensors(names, false);
}

StateDict Transformer::gradients(ParameterNames names) const { return named_tensors(names, true); }

void Transformer::load_state_dict(const StateDict& state_dict) {
  report_out_of_memory([&] {
    validation::check_model_tensors(*this, names_and_shapes(state_dict));
    write_values(core_.parameters(), state_dict);
    parameters_changed();
  });
}

}  // namespace headwise
