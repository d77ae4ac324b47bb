#include <functional>
#include <headwise/attention/parameter_gradients.hpp>
#include <numeric>

namespace headwise {

ParameterGradients::ParameterGradients(const LayerSettings& settings, const InputSizes& sizes)
    : exist_(true) {
  std::size_t end = 0;
  for (const auto& [number, shape] : parameter_shapes(settings, sizes)) {
    offsets_[number] = end;
    has_[number] = true;
    end += std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
  }
  floats_ = Tensor<1>::from_shape({end});
  zero();
}

}  // namespace headwise
