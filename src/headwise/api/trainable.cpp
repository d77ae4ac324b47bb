#include <headwise/api/validation.hpp>
#include <headwise/api/validation_text.hpp>
#include <headwise/core/training/trainable.hpp>
#include <headwise/error.hpp>

namespace headwise {

std::vector<TrainableParameter> Trainable::trainable_parameters() {
  return report_out_of_memory([&] {
    validation::check_in_use(in_use(), "layer");
    std::vector<TrainableParameter> result;
    float* const values = parameter_values();
    float* const gradients = parameter_gradients();
    if (values == nullptr && !parameter_table().empty()) {
      validation::fail_option("weights: expected 'float32' or 'float16', got integers", {});
    }
    for (const ParameterTable::Entry& entry : parameter_table().entries()) {
      result.push_back({.name = entry.name,
                        .values = values + entry.offset,
                        .gradients = gradients != nullptr ? gradients + entry.offset : nullptr,
                        .rows = entry.rows(),
                        .columns = entry.columns()});
    }
    return result;
  });
}

}  // namespace headwise
