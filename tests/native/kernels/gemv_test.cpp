#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <headwise/core/kernels/dispatch.hpp>
#include <initializer_list>
#include <vector>

#include "floats.hpp"

namespace headwise::test {
namespace {

constexpr std::initializer_list<std::size_t> gemv_sizes = {1, 3, 5, 7, 16, 33, 129};

/// Whether `got` is, within float32's rounding, the product of x and `count` columns of `size`
/// numbers: element k of column j is columns[j · column_stride + k · stride].
bool is_product(const Floats& got, const Floats& x, const Floats& columns, std::size_t count,
                std::size_t column_stride, std::size_t stride, float scale) {
  for (std::size_t j = 0; j < count; ++j) {
    double exact = 0;
    double magnitude = 0;
    for (std::size_t k = 0; k < x.size(); ++k) {
      const double term =
          static_cast<double>(x[k]) * columns[j * column_stride + k * stride] * scale;
      exact += term;
      magnitude += std::abs(term);
    }
    if (std::abs(got[j] - exact) > 6e-8 * static_cast<double>(x.size() + 2) * magnitude) {
      return false;
    }
  }
  return true;
}

TEST_CASE("gemv and gemv_transposed agree with float64") {
  for (const std::size_t count : gemv_sizes) {
    for (const std::size_t size : gemv_sizes) {
      CAPTURE(count, size);
      const std::size_t stride = size + 2;
      const Floats rows = random_floats(span_size(count, size, stride), 2);
      const Floats x = random_floats(size, 1);
      Floats dots(count + 1, guard);
      kernels::gemv(x.data(), rows.data(), stride, count, size, 0.3F, dots.data());
      CHECK(dots.back() == guard);
      CHECK(is_product(dots, x, rows, count, stride, 1, 0.3F));
      const Floats weights = random_floats(count, 1);
      Floats sum(size + 1, guard);
      kernels::gemv_transposed(weights.data(), rows.data(), stride, count, size, sum.data());
      CHECK(sum.back() == guard);
      CHECK(is_product(sum, weights, rows, size, 1, stride, 1));
    }
  }
}

TEST_CASE("gemv_transposed of no rows is zeros") {
  Floats sum(5, guard);
  kernels::gemv_transposed(nullptr, nullptr, 0, 0, 5, sum.data());
  CHECK(sum == Floats(5, 0.0F));
}

}  // namespace
}  // namespace headwise::test
