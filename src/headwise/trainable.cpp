#include <headwise/trainable.hpp>

namespace headwise {

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
