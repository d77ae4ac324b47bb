#include <algorithm>
#include <headwise/attention/validation.hpp>
#include <headwise/io/file_tensors.hpp>
#include <headwise/io/from_state_dict.hpp>
#include <headwise/io/state_dict_layouts.hpp>

namespace headwise {
namespace {

xt::xarray<float> make_parameter(const io::ParameterPlan& plan, const xt::xarray<float>* source) {
  auto parameter = xt::xarray<float>::from_shape(
      xt::xarray<float>::shape_type(plan.shape.begin(), plan.shape.end()));
  if (source == nullptr) {
    std::fill(parameter.begin(), parameter.end(), 0.0F);
    return parameter;
  }
  const std::size_t rows = parameter.shape(0);
  const std::size_t columns = parameter.size() / rows;
  if (!plan.transposed) {
    std::copy_n(source->data() + plan.first_row * columns, parameter.size(), parameter.data());
    return parameter;
  }
  const std::size_t stride = source->shape(1);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t column = 0; column < columns; ++column) {
      parameter.data()[row * columns + column] =
          source->data()[column * stride + plan.first_row + row];
    }
  }
  return parameter;
}

}  // namespace

MultiHeadAttention from_state_dict(const StateDict& state_dict,
                                   const FromStateDictOptions& options) {
  return validation::report_out_of_memory([&] {
    std::vector<io::NamedShape> shapes;
    std::vector<const xt::xarray<float>*> tensors;
    for (const auto& [name, tensor] : state_dict) {
      shapes.push_back({.name = name, .shape = io::shape_of(tensor)});
      tensors.push_back(&tensor);
    }
    const io::StateDictPlan plan = io::value_or_throw(io::plan_state_dict(shapes, options));
    MultiHeadAttention layer(plan.options);
    StateDict parameters;
    for (const io::ParameterPlan& parameter : plan.parameters) {
      const auto* source = parameter.source ? tensors[*parameter.source] : nullptr;
      parameters.emplace(parameter.name, make_parameter(parameter, source));
    }
    layer.load_state_dict(parameters);
    return layer;
  });
}

}  // namespace headwise
