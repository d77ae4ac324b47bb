#include <algorithm>
#include <headwise/core/memory/checked_sizes.hpp>
#include <headwise/core/models/pretrained/pretrained_parameters.hpp>
#include <headwise/core/models/pretrained/whole_heads.hpp>

namespace headwise {

PretrainedParameters::PretrainedParameters(const PretrainedLayout& layout,
                                           const UncheckedTransformer& model, Kind kind)
    : layout_(&layout), kind_(kind), list_(model.parameters()) {
  for (const NamedParameter& parameter : list_) {
    shapes_.push_back(kind == Kind::whole ? whole_shape(parameter) : parameter.shape);
  }
  for (std::size_t i = 0; i < list_.size(); ++i) {
    parameters_.push_back({.name = list_[i].name, .shape = shapes_[i]});
  }
}

bool PretrainedParameters::is_by_rows(const PretrainedTensor& tensor) noexcept {
  return tensor.parameters.size() == 1 && !tensor.transposed && tensor.leading_axes == 0;
}

void PretrainedParameters::read(const PretrainedTensor& tensor, const float* numbers) const {
  if (is_by_rows(tensor)) {
    read_rows(tensor, 0, list_[tensor.parameters.front()].rows(), numbers);
    return;
  }
  for (std::size_t part = 0; part < tensor.parameters.size(); ++part) {
    const NamedParameter& parameter = list_[tensor.parameters[part]];
    AlignedFloats memory(parameter.size());
    PretrainedPart{.tensor = &tensor, .part = part, .parameters = parameters_}.read(numbers,
                                                                                    memory.data());
    parameter.stored->write(parameter.index, 0, parameter.rows(), memory.data());
  }
}

void PretrainedParameters::read_rows(const PretrainedTensor& tensor, std::size_t first_row,
                                     std::size_t rows, const float* numbers) const {
  const NamedParameter& parameter = list_[tensor.parameters.front()];
  AlignedFloats memory;
  if (tensor.offset != 0) {
    memory = AlignedFloats(rows * parameter.columns());
    std::transform(numbers, numbers + memory.size(), memory.data(),
                   [&](float number) { return tensor.with_offset(number); });
    numbers = memory.data();
  }
  parameter.stored->write(parameter.index, first_row, rows, numbers);
}

void PretrainedParameters::write(const PretrainedTensor& tensor, float* numbers) const {
  for (std::size_t part = 0; part < tensor.parameters.size(); ++part) {
    AlignedFloats memory;
    PretrainedPart{.tensor = &tensor, .part = part, .parameters = parameters_}.write(
        numbers_of(tensor.parameters[part], memory), kind_ == Kind::gradients, numbers);
  }
}

const float* PretrainedParameters::numbers_of(std::size_t number, AlignedFloats& memory) const {
  const NamedParameter& parameter = list_[number];
  if (kind_ == Kind::gradients) {
    if (parameter.gradient == nullptr) {
      memory = zero_floats(parameter.size());
      return memory.data();
    }
    return parameter.gradient;
  }
  const float* values = parameter.stored->values(parameter.index);
  if (values == nullptr) {
    memory = AlignedFloats(parameter.size());
    parameter.stored->read(parameter.index, 0, parameter.rows(), memory.data());
    values = memory.data();
  }
  if (kind_ == Kind::whole && parameter.layer != nullptr) {
    AlignedFloats whole(checked_count(shapes_[number], sizeof(float)));
    write_whole(parameter, values, whole.data());
    memory = std::move(whole);
    values = memory.data();
  }
  return values;
}

}  // namespace headwise
