#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <headwise/core/kernels/dispatch.hpp>
#include <headwise/core/kernels/gradients.hpp>
#include <initializer_list>

#include "floats.hpp"

namespace headwise::test {
namespace {

constexpr std::initializer_list<std::size_t> awkward_counts = {0, 1, 3, 5, 7, 8, 33, 129};

/// Runs a kernel over `count` numbers of memory that goes on, and its reference over the same.
void check_row(const auto& kernel, const auto& reference) {
  for (const std::size_t count : awkward_counts) {
    CAPTURE(count);
    Floats values = random_floats(count, 1);
    values.resize(count + 3, guard);
    Floats expected = values;
    const Floats others = random_floats(count, 2);
    kernel(values.data(), others.data(), count);
    reference(expected.data(), others.data(), count);
    CHECK(max_difference(values, expected) <= 1e-6);
  }
}

TEST_CASE("multiply agrees with its reference") {
  check_row(kernels::multiply, kernels::baseline::multiply_reference);
}

TEST_CASE("softmax_gradient agrees with its reference") {
  for (const std::size_t count : awkward_counts) {
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
    kernels::baseline::softmax_gradient_reference(expected_gradients.data(),
                                                  expected_weights.data(), count, factor);
    CHECK(max_difference(gradients, expected_gradients) <= 1e-6);
    CHECK(max_difference(weights, expected_weights) == 0);
  }
}

TEST_CASE("softmax_gradient is exactly 0 where one weight is 1") {
  for (const std::size_t count : awkward_counts) {
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

TEST_CASE("softcap_gradient agrees with its reference") {
  check_row([](float* gradients, const float* capped,
               std::size_t count) { kernels::softcap_gradient(gradients, capped, count, 1.5F); },
            [](float* gradients, const float* capped, std::size_t count) {
              kernels::baseline::softcap_gradient_reference(gradients, capped, count, 1.5F);
            });
}

TEST_CASE("The reference of softmax_gradient is the softmax's derivative") {
  const std::size_t count = 5;
  Floats weights = random_floats(count, 1);
  const float factor = 1.0F / kernels::exp_minus_max(weights.data(), count);
  Floats gradients = random_floats(count, 2);
  const Floats given = gradients;
  kernels::baseline::softmax_gradient_reference(gradients.data(), weights.data(), count, factor);
  for (std::size_t i = 0; i < count; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < count; ++j) {
      sum += given[j] * weights[j] * ((i == j ? 1 : 0) - static_cast<double>(weights[i]));
    }
    CHECK(std::abs(gradients[i] - sum) <= 1e-6);
  }
}

/// Gradients of additive scores added to what was there, keys unpacked.
struct AdditiveGradients {
  Floats query, keys, w_v;
};

/// Arguments of one query with `hiddens` features and `count` keys, of which every third has
/// gradient 0.
struct AdditiveProblem {
  std::size_t hiddens, count;
  Floats query = random_floats(hiddens, 1);
  Floats keys = random_floats(count * hiddens, 2);
  Floats w_v = random_floats(hiddens, 3);
  Floats gradients = random_floats(count, 4);

  AdditiveProblem(std::size_t features, std::size_t columns) : hiddens(features), count(columns) {
    for (std::size_t j = 0; j < count; j += 3) {
      gradients[j] = 0;
    }
  }

  AdditiveGradients before() const {
    return {.query = random_floats(hiddens, 5),
            .keys = random_floats(count * hiddens, 6),
            .w_v = random_floats(hiddens, 7)};
  }

  AdditiveGradients by_kernel() const {
    AdditiveGradients result = before();
    Floats packed(kernels::packed_size(hiddens, count));
    Floats packed_gradients(packed.size());
    kernels::pack_columns(keys.data(), hiddens, hiddens, count, packed.data());
    kernels::pack_columns(result.keys.data(), hiddens, hiddens, count, packed_gradients.data());
    kernels::additive_scores_gradient(query.data(), packed.data(), w_v.data(), gradients.data(),
                                      hiddens, count, result.query.data(), packed_gradients.data(),
                                      result.w_v.data());
    const std::size_t width = kernels::panel_width();
    for (std::size_t j = 0; j < count; ++j) {
      for (std::size_t u = 0; u < hiddens; ++u) {
        result.keys[j * hiddens + u] =
            packed_gradients[j / width * width * hiddens + u * width + j % width];
      }
    }
    return result;
  }

  AdditiveGradients by_reference() const {
    AdditiveGradients result = before();
    kernels::baseline::additive_scores_gradient_reference(
        query.data(), keys.data(), w_v.data(), gradients.data(), hiddens, count,
        result.query.data(), result.keys.data(), result.w_v.data());
    return result;
  }
};

void check_same(const AdditiveGradients& a, const AdditiveGradients& b, double tolerance) {
  CHECK(max_difference(a.query, b.query) <= tolerance);
  CHECK(max_difference(a.keys, b.keys) <= tolerance);
  CHECK(max_difference(a.w_v, b.w_v) <= tolerance);
}

TEST_CASE("additive_scores_gradient agrees with its reference") {
  for (const std::size_t hiddens : {1, 3, 8, 17}) {
    for (const std::size_t count : awkward_counts) {
      CAPTURE(hiddens, count);
      const AdditiveProblem problem(hiddens, count);
      check_same(problem.by_kernel(), problem.by_reference(), 1e-5);
    }
  }
}

TEST_CASE("additive_scores_gradient does not look at keys whose gradient is 0") {
  AdditiveProblem problem(5, 40);
  const AdditiveGradients expected = problem.by_kernel();
  for (std::size_t j = 0; j < problem.count; j += 3) {
    problem.keys[j * problem.hiddens + j % problem.hiddens] = j % 2 == 0 ? nan : infinity;
  }
  check_same(problem.by_kernel(), expected, 0);
  check_same(problem.by_reference(), expected, 1e-5);
}

}  // namespace
}  // namespace headwise::test
