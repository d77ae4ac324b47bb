#include <algorithm>
#include <headwise/error.hpp>
#include <headwise/trainable.hpp>

namespace headwise {

void Trainable::zero_gradients() {
  report_out_of_memory([&] {
    for (const TrainableParameter& parameter : trainable_parameters()) {
      if (parameter.gradients != nullptr) {
        std::fill_n(parameter.gradients, parameter.size(), 0.0F);
      }
    }
  });
}

void cut_slice(float* matrix, std::size_t rows, std::size_t columns,
               const RemovedSlice& slice) noexcept {
  float* kept = matrix;
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t column = 0; column < columns; ++column) {
      const std::size_t place = slice.axis == RemovedSlice::Axis::rows ? row : column;
      if (place < slice.first || place >= slice.first + slice.count) {
        *kept++ = matrix[row * columns + column];
      }
    }
  }
}

}  // namespace headwise
