#include <headwise/attention/parameter_gradients.hpp>

namespace headwise {

ParameterGradients::ParameterGradients(const LayerSettings& settings, const InputSizes& sizes)
    : exist_(true) {
  std::size_t end = 0;
  for (const ParameterShape& parameter : parameter_shapes(settings, sizes)) {
    offsets_[parameter.number] = end;
    has_[parameter.number] = true;
    end += parameter.rows() * parameter.columns();
  }
  floats_ = Tensor<1>::from_shape({end});
  zero();
}

}  // namespace headwise
