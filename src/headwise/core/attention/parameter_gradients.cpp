#include <headwise/core/attention/parameter_gradients.hpp>
#include <headwise/core/memory/checked_sizes.hpp>

namespace headwise {

ParameterGradients::ParameterGradients(const LayerSettings& settings, const InputSizes& sizes)
    : exist_(true) {
  double floats = 0;
  for (const ParameterShape& parameter : parameter_shapes(settings, sizes)) {
    offsets_[parameter.number] = static_cast<std::size_t>(floats);
    has_[parameter.number] = true;
    floats += static_cast<double>(parameter.rows()) * static_cast<double>(parameter.columns());
  }
  floats_ = make_tensor<1>({checked_count(floats)});
  zero();
}

}  // namespace headwise
