#include <cmath>
#include <headwise/core/kernels/exponential.hpp>
#include <headwise/core/kernels/for_each_vector.hpp>

namespace headwise::kernels::HEADWISE_TARGET {

void exponential(float* values, std::size_t count) noexcept {
  for_each_vector(values, count, Exponential());
}

void exponential_reference(float* values, std::size_t count) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = std::exp(values[i]);
  }
}

}  // namespace headwise::kernels::HEADWISE_TARGET
