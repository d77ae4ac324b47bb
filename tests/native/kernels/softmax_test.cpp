#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <headwise/core/kernels/dispatch.hpp>
#include <initializer_list>
#include <limits>

#include "floats.hpp"
#include "reference.hpp"

namespace headwise::test {
namespace {

constexpr std::initializer_list<std::size_t> awkward_sizes = {1, 3, 5, 7, 33, 129};

void softmax_reference(float* row, std::size_t count) noexcept {
  const float maximum = *std::max_element(row, row + count);
  float sum = 0.0F;
  for (std::size_t i = 0; i < count; ++i) {
    row[i] = std::exp(row[i] - maximum);
    sum += row[i];
  }
  for (std::size_t i = 0; i < count; ++i) {
    row[i] /= sum;
  }
}

void softmax_gradient_reference(float* gradients, float* weights, std::size_t count,
                                float factor) noexcept {
  float mean = 0;
  for (std::size_t i = 0; i < count; ++i) {
    weights[i] *= factor;
    mean += weights[i] * gradients[i];
  }
  for (std::size_t i = 0; i < count; ++i) {
    gradients[i] = weights[i] * (gradients[i] - mean);
  }
}

Floats softmax(Floats row) {
  const std::size_t count = row.size();
  row.push_back(guard);
  kernels::softmax(row.data(), count);
  CHECK(row.back() == guard);
  row.pop_back();
  return row;
}

Floats softmax_by_reference(Floats row) {
  softmax_reference(row.data(), row.size());
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

TEST_CASE("softmax_gradient agrees with its reference") {
  for (const std::size_t count : awkward_sizes) {
    CAPTURE(count);
    Floats gradients = random_floats(count, 1);
    gradients.resize(count + 3, guard);
    // Numerators of a softmax and the factor that they lack.
    Floats weights = random_floats(count, 2);
    const float factor = 1.0F / kernels::exp_minus_max(weights.data(), count);
    weights.resize(count + 3, guard);
    Floats expected_gradients = gradients;
    Floats expected_weights = weights;
    kernels::softmax_gradient(gradients.data(), weights.data(), count, factor);
    softmax_gradient_reference(expected_gradients.data(), expected_weights.data(), count, factor);
    CHECK(max_difference(gradients, expected_gradients) <= 1e-6);
    CHECK(max_difference(weights, expected_weights) == 0);
  }
}

TEST_CASE("softmax_gradient is exactly 0 where one weight is 1") {
  for (const std::size_t count : awkward_sizes) {
    for (std::size_t one = 0; one < count; ++one) {
      CAPTURE(count, one);
      Floats gradients = random_floats(count, 1);
      Floats weights(count, 0.0F);
      weights[one] = 0.25F;
      kernels::softmax_gradient(gradients.data(), weights.data(), count, 4.0F);
      CHECK(all_equal(gradients, 0));
    }
  }
}

TEST_CASE("The reference of softmax_gradient is the softmax's derivative") {
  const std::size_t count = 5;
  Floats weights = random_floats(count, 1);
  const float factor = 1.0F / kernels::exp_minus_max(weights.data(), count);
  Floats gradients = random_floats(count, 2);
  const Floats given = gradients;
  softmax_gradient_reference(gradients.data(), weights.data(), count, factor);
  for (std::size_t i = 0; i < count; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < count; ++j) {
      sum += given[j] * weights[j] * ((i == j ? 1 : 0) - static_cast<double>(weights[i]));
    }
    CHECK(std::abs(gradients[i] - sum) <= 1e-6);
  }
}

}  // namespace
}  // namespace headwise::test
