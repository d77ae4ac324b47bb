#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <headwise/core/kernels/dispatch.hpp>
#include <numeric>

#include "floats.hpp"

namespace headwise::test {
namespace {

using Doubles = std::vector<double>;

constexpr float epsilon = 1e-5F;

struct RowMoments {
  float mean, inverse_deviation;
};

RowMoments row_moments_reference(const float* row, std::size_t count) noexcept {
  const auto size = static_cast<float>(count);
  float sum = 0.0F;
  for (std::size_t i = 0; i < count; ++i) {
    sum += row[i];
  }
  const float mean = sum / size;
  float squares = 0.0F;
  for (std::size_t i = 0; i < count; ++i) {
    squares += (row[i] - mean) * (row[i] - mean);
  }
  return {.mean = mean, .inverse_deviation = 1.0F / std::sqrt(squares / size + epsilon)};
}

void layer_norm_reference(const float* row, const float* weight, const float* bias,
                          std::size_t count, float* normalized) noexcept {
  const auto [mean, inverse_deviation] = row_moments_reference(row, count);
  for (std::size_t i = 0; i < count; ++i) {
    normalized[i] = (row[i] - mean) * inverse_deviation * weight[i] + bias[i];
  }
}

void layer_norm_gradient_reference(const float* row, const float* weight, const float* gradient,
                                   std::size_t count, float* row_gradient, float* weight_gradient,
                                   float* bias_gradient) noexcept {
  const auto [mean, inverse_deviation] = row_moments_reference(row, count);
  float sum = 0.0F;
  float products = 0.0F;
  for (std::size_t i = 0; i < count; ++i) {
    const float standard = (row[i] - mean) * inverse_deviation;
    sum += gradient[i] * weight[i];
    products += gradient[i] * weight[i] * standard;
    weight_gradient[i] += gradient[i] * standard;
    bias_gradient[i] += gradient[i];
  }
  const auto size = static_cast<float>(count);
  for (std::size_t i = 0; i < count; ++i) {
    const float standard = (row[i] - mean) * inverse_deviation;
    row_gradient[i] +=
        (gradient[i] * weight[i] - sum / size - standard * products / size) * inverse_deviation;
  }
}

/// A row, its parameters and a gradient of the result.
struct Row {
  Floats row, weight, bias, gradient;
};

Row random_row(std::size_t count) {
  Row random{random_floats(count, 1), random_floats(count, 2), random_floats(count, 3),
             random_floats(count, 4)};
  for (float& number : random.row) {
    number = 3 * number + 5;
  }
  return random;
}

/// The row in float64, standing for its mean and divided by its deviation.
Doubles standardized(const Doubles& row) {
  const auto size = static_cast<double>(row.size());
  const double mean = std::accumulate(row.begin(), row.end(), 0.0) / size;
  double variance = 0;
  for (const double number : row) {
    variance += (number - mean) * (number - mean) / size;
  }
  Doubles result;
  for (const double number : row) {
    result.push_back((number - mean) / std::sqrt(variance + 1e-5));
  }
  return result;
}

Doubles normalized(const Row& given, const Doubles& row) {
  Doubles result = standardized(row);
  for (std::size_t i = 0; i < row.size(); ++i) {
    result[i] = result[i] * given.weight[i] + given.bias[i];
  }
  return result;
}

/// Where gradients are written, each with something in it, and memory behind that stays as it is.
struct Gradients {
  explicit Gradients(std::size_t count) {
    for (Floats* part : {&row, &weight, &bias}) {
      part->assign(count + 1, 0.5F);
      part->back() = guard;
    }
  }
  Floats row, weight, bias;
};

void check_gradients(const Row& given, const auto& kernel) {
  const std::size_t count = given.row.size();
  Gradients gradients(count);
  kernel(given.row.data(), given.weight.data(), given.gradient.data(), count, gradients.row.data(),
         gradients.weight.data(), gradients.bias.data());
  const Doubles row(given.row.begin(), given.row.end());
  const Doubles standard = standardized(row);
  const auto loss = [&](const Doubles& changed) {
    const Doubles result = normalized(given, changed);
    return std::inner_product(result.begin(), result.end(), given.gradient.begin(), 0.0);
  };
  for (std::size_t i = 0; i < count; ++i) {
    Doubles more = row;
    Doubles less = row;
    more[i] += 1e-5;
    less[i] -= 1e-5;
    CHECK(std::abs(gradients.row[i] - 0.5 - (loss(more) - loss(less)) / 2e-5) <= 3e-6);
    CHECK(std::abs(gradients.weight[i] - 0.5 - given.gradient[i] * standard[i]) <= 3e-6);
    CHECK(std::abs(gradients.bias[i] - 0.5 - given.gradient[i]) <= 3e-7);
  }
  CHECK(gradients.row.back() == guard);
  CHECK(gradients.weight.back() == guard);
  CHECK(gradients.bias.back() == guard);
}

TEST_CASE("layer_norm and layer_norm_gradient are those of float64") {
  for (const std::size_t count : {1, 2, 3, 5, 7, 8, 16, 33, 129}) {
    CAPTURE(count);
    const Row given = random_row(count);
    const Doubles expected = normalized(given, Doubles(given.row.begin(), given.row.end()));
    const auto check = [&](const auto& kernel) {
      Floats result(count + 1, guard);
      kernel(given.row.data(), given.weight.data(), given.bias.data(), count, result.data());
      CHECK(result.back() == guard);
      result.pop_back();
      CHECK(max_difference(result, expected) <= 2e-6);
    };
    check(kernels::layer_norm);
    check(layer_norm_reference);
    check_gradients(given, kernels::layer_norm_gradient);
    check_gradients(given, layer_norm_gradient_reference);
  }
}

TEST_CASE("layer_norm: a row of equal numbers is normalized to the bias") {
  const Floats row(7, 3.0F);
  const Floats weight = random_floats(7, 1);
  const Floats bias = random_floats(7, 2);
  Floats result(7);
  kernels::layer_norm(row.data(), weight.data(), bias.data(), 7, result.data());
  CHECK(max_difference(result, bias) == 0);
}

}  // namespace
}  // namespace headwise::test
