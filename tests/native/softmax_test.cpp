#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <headwise/core/kernels/dispatch.hpp>
#include <headwise/core/kernels/finite.hpp>
#include <headwise/core/kernels/softmax.hpp>
#include <limits>
#include <utility>

#include "floats.hpp"
#include "reference.hpp"

namespace headwise::test {
namespace {

constexpr std::initializer_list<std::size_t> awkward_sizes = {1, 3, 5, 7, 33, 129};

Floats softmax(Floats row) {
  const std::size_t count = row.size();
  row.push_back(guard);
  kernels::softmax(row.data(), count);
  CHECK(row.back() == guard);
  row.pop_back();
  return row;
}

Floats softmax_by_reference(Floats row) {
  kernels::baseline::softmax_reference(row.data(), row.size());
  return row;
}

Doubles softmax_in_float64(const Floats& row) {
  const Doubles scores(row.begin(), row.end());
  return masked_softmax_row(scores, scores.size(), EmptyRows::zero);
}

TEST_CASE("softmax agrees with its reference and with float64 at every size") {
  for (std::size_t count = 1; count <= 129; ++count) {
    for (const float spread : {1.0F, 0.1F, 64.0F}) {
      for (const float offset : {0.0F, 3000.0F, -3000.0F}) {
        Floats row = random_floats(count, count);
        for (float& score : row) {
          score = score * spread + offset;
        }
        CAPTURE(count, spread, offset);
        const Floats weights = softmax(row);
        CHECK(max_difference(weights, softmax_in_float64(row)) <= 1e-6);
        CHECK(max_difference(softmax_by_reference(row), softmax_in_float64(row)) <= 1e-6);
        double sum = 0;
        for (const float weight : weights) {
          sum += weight;
        }
        CHECK(std::abs(sum - 1) <= 2e-6);
        Floats numerators = row;
        const double divisor = kernels::exp_minus_max(numerators.data(), count);
        for (std::size_t i = 0; i < count; ++i) {
          CHECK(std::abs(numerators[i] / divisor - weights[i]) <= 2e-7);
        }
      }
    }
  }
}

TEST_CASE("softmax handles scores that are no ordinary numbers as PyTorch does") {
  for (const std::size_t count : awkward_sizes) {
    for (std::size_t i = 0; i < count; ++i) {
      CAPTURE(count, i);
      const auto weights_with = [&](float score) {
        Floats row = random_floats(count, 5);
        row[i] = score;
        return softmax(row);
      };
      const auto is_nan = [](float weight) { return std::isnan(weight); };
      const Floats with_nan = weights_with(nan);
      CHECK(std::all_of(with_nan.begin(), with_nan.end(), is_nan));
      const Floats with_infinity = weights_with(infinity);
      CHECK(std::all_of(with_infinity.begin(), with_infinity.end(), is_nan));
      if (count > 1) {
        const Floats with_minus_infinity = weights_with(-infinity);
        CHECK(with_minus_infinity[i] == 0);
        CHECK(all_finite(with_minus_infinity));
      }
      // One score far above the rest takes all, and nothing overflows.
      CHECK(weights_with(std::numeric_limits<float>::max())[i] == 1);
    }
  }
}

TEST_CASE("all_finite finds any number that is not, and looks at nothing else") {
  for (const std::size_t columns : awkward_sizes) {
    const std::size_t rows = 3;
    const std::size_t stride = columns + 2;
    // What lies between the rows is nobody's business.
    Floats matrix(span_size(rows, columns, stride), nan);
    const auto element = [&](std::size_t row, std::size_t column) -> float& {
      return matrix[row * stride + column];
    };
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t column = 0; column < columns; ++column) {
        element(row, column) = column % 2 == 0 ? std::numeric_limits<float>::lowest()
                                               : std::numeric_limits<float>::denorm_min();
      }
    }
    const auto both = [&] {
      const bool result = kernels::all_finite(matrix.data(), stride, rows, columns);
      CHECK(result ==
            kernels::baseline::all_finite_reference(matrix.data(), stride, rows, columns));
      return result;
    };
    CAPTURE(columns);
    CHECK(both());
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t column = 0; column < columns; ++column) {
        for (const float bad : {nan, infinity, -infinity}) {
          CAPTURE(row, column, bad);
          const float before = std::exchange(element(row, column), bad);
          CHECK_FALSE(both());
          element(row, column) = before;
        }
      }
    }
  }
  CHECK(kernels::all_finite(nullptr, 0, 0, 0));
}

}  // namespace
}  // namespace headwise::test
