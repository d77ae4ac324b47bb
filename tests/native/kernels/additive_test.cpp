#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <headwise/core/kernels/dispatch.hpp>
#include <initializer_list>

#include "floats.hpp"

namespace headwise::test {
namespace {

/// One query with `hiddens` features and `count` keys, of which every third has gradient 0, and
/// results: scores, and gradients that are added to what was there, keys (count, hiddens) unpacked.
struct Problem {
  std::size_t hiddens, count;
  Floats query = random_floats(hiddens, 1);
  Floats keys = random_floats(count * hiddens, 2);
  Floats w_v = random_floats(hiddens, 3);
  Floats gradients = random_floats(count, 4);
  Floats scores = Floats(count + 3, guard);
  Floats query_gradient = random_floats(hiddens, 5);
  Floats key_gradients = random_floats(count * hiddens, 6);
  Floats w_v_gradient = random_floats(hiddens, 7);

  Problem(std::size_t features, std::size_t columns) : hiddens(features), count(columns) {
    for (std::size_t j = 0; j < count; j += 3) {
      gradients[j] = 0;
    }
  }

  void run() {
    Floats packed(kernels::packed_size(hiddens, count));
    Floats packed_gradients(packed.size());
    kernels::pack_columns(keys.data(), hiddens, hiddens, count, packed.data());
    kernels::pack_columns(key_gradients.data(), hiddens, hiddens, count, packed_gradients.data());
    kernels::additive_scores(query.data(), packed.data(), w_v.data(), hiddens, count,
                             scores.data());
    kernels::additive_scores_gradient(query.data(), packed.data(), w_v.data(), gradients.data(),
                                      hiddens, count, query_gradient.data(),
                                      packed_gradients.data(), w_v_gradient.data());
    const std::size_t width = kernels::panel_width();
    for (std::size_t j = 0; j < count; ++j) {
      for (std::size_t u = 0; u < hiddens; ++u) {
        key_gradients[j * hiddens + u] =
            packed_gradients[j / width * width * hiddens + u * width + j % width];
      }
    }
  }

  void run_reference() {
    for (std::size_t j = 0; j < count; ++j) {
      scores[j] = 0;
      for (std::size_t u = 0; u < hiddens; ++u) {
        const float tangent = std::tanh(query[u] + keys[j * hiddens + u]);
        scores[j] += w_v[u] * tangent;
        if (gradients[j] != 0) {
          const float of_sum = gradients[j] * w_v[u] * (1.0F - tangent * tangent);
          query_gradient[u] += of_sum;
          key_gradients[j * hiddens + u] += of_sum;
          w_v_gradient[u] += gradients[j] * tangent;
        }
      }
    }
  }
};

void check_same(const Problem& a, const Problem& b, double tolerance) {
  CHECK(max_difference(a.scores, b.scores) <= tolerance);
  CHECK(max_difference(a.query_gradient, b.query_gradient) <= tolerance);
  CHECK(max_difference(a.key_gradients, b.key_gradients) <= tolerance);
  CHECK(max_difference(a.w_v_gradient, b.w_v_gradient) <= tolerance);
}

TEST_CASE("additive_scores and additive_scores_gradient agree with a plain loop") {
  for (const std::size_t hiddens : {1, 3, 8, 17}) {
    for (const std::size_t count : {0, 1, 3, 5, 7, 8, 33, 129}) {
      CAPTURE(hiddens, count);
      Problem problem(hiddens, count);
      Problem expected = problem;
      problem.run();
      expected.run_reference();
      check_same(problem, expected, 1e-5);
    }
  }
}

TEST_CASE("additive_scores_gradient does not look at keys whose gradient is 0") {
  Problem problem(5, 40);
  Problem expected = problem;
  expected.run();
  for (std::size_t j = 0; j < problem.count; j += 3) {
    problem.keys[j * problem.hiddens + j % problem.hiddens] = j % 2 == 0 ? nan : infinity;
  }
  problem.run();
  problem.scores = expected.scores;
  check_same(problem, expected, 0);
}

}  // namespace
}  // namespace headwise::test
