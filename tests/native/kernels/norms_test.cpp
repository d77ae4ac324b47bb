#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <headwise/core/kernels/dispatch.hpp>
#include <initializer_list>
#include <limits>
#include <numeric>

#include "floats.hpp"

namespace headwise::test {
namespace {

using Doubles = std::vector<double>;

constexpr std::initializer_list<std::size_t> awkward_counts = {1, 2, 3, 5, 7, 8, 16, 33, 129};
constexpr std::initializer_list<float> epsilons = {1e-5F, 0.25F};
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

// The kernels of RMS norms with the arguments of those of layer norms.

void rms_norm(const float* row, const float* weight, const float* /*bias*/, std::size_t count,
              float epsilon, float* normalized) {
  kernels::rms_norm(row, weight, count, epsilon, normalized);
}

void rms_norm_gradient(const float* row, const float* weight, const float* gradient,
                       std::size_t count, float epsilon, float* row_gradient,
                       float* weight_gradient, float* /*bias_gradient*/) {
  kernels::rms_norm_gradient(row, weight, gradient, count, epsilon, row_gradient, weight_gradient);
}

struct RowMoments {
  float mean, inverse_deviation;
};

/// An RMS norm is a layer norm whose mean is 0.
template <bool HasMean>
RowMoments row_moments_reference(const float* row, std::size_t count, float epsilon) {
  const auto size = static_cast<float>(count);
  const float mean = HasMean ? std::accumulate(row, row + count, 0.0F) / size : 0.0F;
  float squares = 0.0F;
  for (std::size_t i = 0; i < count; ++i) {
    squares += (row[i] - mean) * (row[i] - mean);
  }
  return {.mean = mean, .inverse_deviation = 1.0F / std::sqrt(squares / size + epsilon)};
}

template <bool HasMean>
void norm_reference(const float* row, const float* weight, const float* bias, std::size_t count,
                    float epsilon, float* normalized) {
  const auto [mean, inverse_deviation] = row_moments_reference<HasMean>(row, count, epsilon);
  for (std::size_t i = 0; i < count; ++i) {
    normalized[i] = (row[i] - mean) * inverse_deviation * weight[i];
    normalized[i] += HasMean && bias != nullptr ? bias[i] : 0.0F;
  }
}

template <bool HasMean>
void norm_gradient_reference(const float* row, const float* weight, const float* gradient,
                             std::size_t count, float epsilon, float* row_gradient,
                             float* weight_gradient, float* bias_gradient) {
  const auto [mean, inverse_deviation] = row_moments_reference<HasMean>(row, count, epsilon);
  float sum = 0.0F;
  float products = 0.0F;
  for (std::size_t i = 0; i < count; ++i) {
    const float standard = (row[i] - mean) * inverse_deviation;
    sum += HasMean ? gradient[i] * weight[i] : 0.0F;
    products += gradient[i] * weight[i] * standard;
    weight_gradient[i] += gradient[i] * standard;
    if (HasMean && bias_gradient != nullptr) {
      bias_gradient[i] += gradient[i];
    }
  }
  const auto size = static_cast<float>(count);
  for (std::size_t i = 0; i < count; ++i) {
    const float standard = (row[i] - mean) * inverse_deviation;
    row_gradient[i] +=
        (gradient[i] * weight[i] - sum / size - standard * products / size) * inverse_deviation;
  }
}

/// A row, its parameters and a gradient of the result; behind each lies what must not be read.
struct Problem {
  Floats row, weight, bias, gradient;
  std::size_t count;
  float epsilon;
  bool has_mean, has_bias;

  [[nodiscard]] const float* bias_or_null() const { return has_bias ? bias.data() : nullptr; }
  [[nodiscard]] Doubles exact_row() const { return {row.begin(), row.begin() + signed_count()}; }
  [[nodiscard]] std::ptrdiff_t signed_count() const { return static_cast<std::ptrdiff_t>(count); }
};

Problem random_problem(std::size_t count, float epsilon, bool has_mean, bool has_bias) {
  Problem random{random_floats(count, 1),
                 random_floats(count, 2),
                 random_floats(count, 3),
                 random_floats(count, 4),
                 count,
                 epsilon,
                 has_mean,
                 has_bias};
  for (float& number : random.row) {
    number = 3 * number + 5;
  }
  for (Floats* part : {&random.row, &random.weight, &random.bias, &random.gradient}) {
    part->push_back(nan);
  }
  return random;
}

/// The row in float64 less its mean, if the norm has one, and divided by its deviation.
Doubles standardized(const Problem& given, const Doubles& row) {
  const auto size = static_cast<double>(row.size());
  const double mean = given.has_mean ? std::accumulate(row.begin(), row.end(), 0.0) / size : 0;
  double variance = 0;
  for (const double number : row) {
    variance += (number - mean) * (number - mean) / size;
  }
  Doubles result;
  for (const double number : row) {
    result.push_back((number - mean) / std::sqrt(variance + given.epsilon));
  }
  return result;
}

Doubles normalized(const Problem& given, const Doubles& row) {
  Doubles result = standardized(given, row);
  for (std::size_t i = 0; i < row.size(); ++i) {
    result[i] = result[i] * given.weight[i] + (given.has_bias ? given.bias[i] : 0);
  }
  return result;
}

void check_norm(const Problem& given, const auto& norm) {
  Floats result(given.count + 1, guard);
  norm(given.row.data(), given.weight.data(), given.bias_or_null(), given.count, given.epsilon,
       result.data());
  CHECK(result.back() == guard);
  result.pop_back();
  CHECK(max_difference(result, normalized(given, given.exact_row())) <= 2e-6);
  Floats in_place = given.row;
  norm(in_place.data(), given.weight.data(), given.bias_or_null(), given.count, given.epsilon,
       in_place.data());
  in_place.pop_back();
  CHECK(in_place == result);
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

void check_gradient(const Problem& given, const auto& norm_gradient) {
  Gradients gradients(given.count);
  norm_gradient(given.row.data(), given.weight.data(), given.gradient.data(), given.count,
                given.epsilon, gradients.row.data(), gradients.weight.data(),
                given.has_bias ? gradients.bias.data() : nullptr);
  const Doubles row = given.exact_row();
  const Doubles standard = standardized(given, row);
  const auto loss = [&](const Doubles& changed) {
    const Doubles result = normalized(given, changed);
    return std::inner_product(result.begin(), result.end(), given.gradient.begin(), 0.0);
  };
  for (std::size_t i = 0; i < given.count; ++i) {
    Doubles more = row;
    Doubles less = row;
    more[i] += 1e-5;
    less[i] -= 1e-5;
    CHECK(std::abs(gradients.row[i] - 0.5 - (loss(more) - loss(less)) / 2e-5) <= 3e-6);
    CHECK(std::abs(gradients.weight[i] - 0.5 - given.gradient[i] * standard[i]) <= 3e-6);
    CHECK(std::abs(gradients.bias[i] - 0.5 - (given.has_bias ? given.gradient[i] : 0)) <= 3e-7);
  }
  CHECK(gradients.row.back() == guard);
  CHECK(gradients.weight.back() == guard);
  CHECK(gradients.bias.back() == guard);
}

TEST_CASE("layer_norm and layer_norm_gradient are those of float64, with and without a bias") {
  for (const std::size_t count : awkward_counts) {
    for (const float epsilon : epsilons) {
      for (const bool has_bias : {true, false}) {
        CAPTURE(count, epsilon, has_bias);
        const Problem given = random_problem(count, epsilon, true, has_bias);
        check_norm(given, kernels::layer_norm);
        check_norm(given, norm_reference<true>);
        check_gradient(given, kernels::layer_norm_gradient);
        check_gradient(given, norm_gradient_reference<true>);
      }
    }
  }
}

TEST_CASE("rms_norm and rms_norm_gradient are those of float64") {
  for (const std::size_t count : awkward_counts) {
    for (const float epsilon : epsilons) {
      CAPTURE(count, epsilon);
      const Problem given = random_problem(count, epsilon, false, false);
      check_norm(given, rms_norm);
      check_norm(given, norm_reference<false>);
      check_gradient(given, rms_norm_gradient);
      check_gradient(given, norm_gradient_reference<false>);
    }
  }
}

TEST_CASE("layer_norm: a row of equal numbers is normalized to the bias") {
  const Floats row(7, 3.0F);
  const Floats weight = random_floats(7, 1);
  const Floats bias = random_floats(7, 2);
  Floats result(7);
  kernels::layer_norm(row.data(), weight.data(), bias.data(), 7, 1e-5F, result.data());
  CHECK(max_difference(result, bias) == 0);
}

TEST_CASE("rms_norm: a row of zeros stays, and a NaN or an infinity reaches every number") {
  const Floats weight = random_floats(7, 1);
  Floats result(7, guard);
  kernels::rms_norm(Floats(7, 0.0F).data(), weight.data(), 7, 1e-5F, result.data());
  CHECK(result == Floats(7, 0.0F));
  Floats row(7, 3.0F);
  row[6] = nan;
  kernels::rms_norm(row.data(), weight.data(), 7, 1e-5F, result.data());
  CHECK(std::all_of(result.begin(), result.end(), [](float x) { return std::isnan(x); }));
  row[6] = std::numeric_limits<float>::infinity();
  kernels::rms_norm(row.data(), weight.data(), 7, 1e-5F, result.data());
  CHECK(std::all_of(result.begin(), result.end() - 1, [](float x) { return x == 0; }));
  CHECK(std::isnan(result.back()));
}

}  // namespace
}  // namespace headwise::test
