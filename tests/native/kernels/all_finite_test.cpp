#include <catch2/catch_test_macros.hpp>
#include <headwise/core/kernels/dispatch.hpp>
#include <limits>
#include <utility>

#include "floats.hpp"

namespace headwise::test {
namespace {

TEST_CASE("all_finite finds any number that is not, and looks at nothing else") {
  for (const std::size_t columns : {0, 1, 3, 5, 7, 8, 16, 33, 129}) {
    const std::size_t rows = 3;
    const std::size_t stride = columns + 2;
    // Between the rows lies what must not be read.
    Floats matrix(span_size(rows, columns, stride), nan);
    for (std::size_t i = 0; i < rows * columns; ++i) {
      matrix[i / columns * stride + i % columns] = i % 2 == 0
                                                       ? std::numeric_limits<float>::lowest()
                                                       : std::numeric_limits<float>::denorm_min();
    }
    CAPTURE(columns);
    CHECK(kernels::all_finite(matrix.data(), stride, rows, columns));
    for (std::size_t i = 0; i < rows * columns; ++i) {
      for (const float bad : {nan, infinity, -infinity}) {
        CAPTURE(i, bad);
        const std::size_t place = i / columns * stride + i % columns;
        const float before = std::exchange(matrix[place], bad);
        CHECK_FALSE(kernels::all_finite(matrix.data(), stride, rows, columns));
        matrix[place] = before;
      }
    }
  }
  CHECK(kernels::all_finite(nullptr, 0, 0, 0));
}

}  // namespace
}  // namespace headwise::test
