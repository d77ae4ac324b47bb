#include <algorithm>
#include <headwise/api/make_tensor.hpp>
#include <headwise/api/parameter_tensors.hpp>
#include <utility>

namespace headwise {
namespace {

/// A tensor for each parameter, which copy(parameter, numbers) writes.
template <typename Copy>
StateDict tensors_of(const ParameterList& list, const Copy& copy) {
  StateDict result;
  for (const NamedParameter& parameter : list) {
    auto tensor = make_array(parameter.shape);
    copy(parameter, tensor.data());
    result.emplace(parameter.name, std::move(tensor));
  }
  return result;
}

}  // namespace

StateDict values_of(const ParameterList& list) {
  return tensors_of(list, [](const NamedParameter& parameter, float* numbers) {
    parameter.stored->read(parameter.index, 0, parameter.rows(), numbers);
  });
}

StateDict gradients_of(const ParameterList& list) {
  return tensors_of(list, [](const NamedParameter& parameter, float* numbers) {
    if (parameter.gradient != nullptr) {
      std::copy_n(parameter.gradient, parameter.size(), numbers);
    } else {
      std::fill_n(numbers, parameter.size(), 0.0F);
    }
  });
}

void write_values(const ParameterList& list, const StateDict& state_dict) {
  for (const NamedParameter& parameter : list) {
    parameter.stored->write(parameter.index, 0, parameter.rows(),
                            state_dict.at(parameter.name).data());
  }
}

std::vector<io::NamedTensor> names_and_shapes(const StateDict& state_dict) {
  std::vector<io::NamedTensor> tensors;
  for (const auto& [name, tensor] : state_dict) {
    tensors.push_back({.name = name, .shape = {tensor.shape().data(), tensor.dimension()}});
  }
  return tensors;
}

}  // namespace headwise
