#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <headwise/core/kernels/dispatch.hpp>
#include <initializer_list>

#include "floats.hpp"

namespace headwise::test {
namespace {

constexpr std::initializer_list<std::size_t> awkward_counts = {0, 1, 3, 5, 7, 8, 33, 129};

/// Keys and their gradients unpacked, (count, hiddens).
void additive_scores_reference(const float* query, const float* keys, const float* w_v,
                               std::size_t hiddens, std::size_t count, float* scores) noexcept {
  for (std::size_t j = 0; j < count; ++j) {
    float sum = 0.0F;
    for (std::size_t u = 0; u < hiddens; ++u) {
      sum += w_v[u] * std::tanh(query[u] + keys[j * hiddens + u]);
    }
    scores[j] = sum;
  }
}

void additive_scores_gradient_reference(const float* query, const float* keys, const float* w_v,
                                        const float* gradients, std::size_t hiddens,
                                        std::size_t count, float* query_gradient,
                                        float* key_gradients, float* w_v_gradient) noexcept {
  for (std::size_t j = 0; j < count; ++j) {
    for (std::size_t u = 0; gradients[j] != 0.0F && u < hiddens; ++u) {
      const float tangent = std::tanh(query[u] + keys[j * hiddens + u]);
      const float of_sum = gradients[j] * w_v[u] * (1.0F - tangent * tangent);
      query_gradient[u] += of_sum;
      key_gradients[j * hiddens + u] += of_sum;
      w_v_gradient[u] += gradients[j] * tangent;
    }
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
    additive_scores_gradient_reference(query.data(), keys.data(), w_v.data(), gradients.data(),
                                       hiddens, count, result.query.data(), result.keys.data(),
                                       result.w_v.data());
    return result;
  }
};

void check_same(const AdditiveGradients& a, const AdditiveGradients& b, double tolerance) {
  CHECK(max_difference(a.query, b.query) <= tolerance);
  CHECK(max_difference(a.keys, b.keys) <= tolerance);
  CHECK(max_difference(a.w_v, b.w_v) <= tolerance);
}

TEST_CASE("additive_scores agrees with its reference") {
  for (const std::size_t hiddens : {1, 3, 8, 17}) {
    for (const std::size_t count : awkward_counts) {
      CAPTURE(hiddens, count);
      const AdditiveProblem problem(hiddens, count);
      Floats packed(kernels::packed_size(hiddens, count));
      kernels::pack_columns(problem.keys.data(), hiddens, hiddens, count, packed.data());
      Floats scores(count + 3, guard);
      Floats expected = scores;
      kernels::additive_scores(problem.query.data(), packed.data(), problem.w_v.data(), hiddens,
                               count, scores.data());
      additive_scores_reference(problem.query.data(), problem.keys.data(), problem.w_v.data(),
                                hiddens, count, expected.data());
      CHECK(max_difference(scores, expected) <= 1e-5);
    }
  }
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
