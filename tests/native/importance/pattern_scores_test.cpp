#include <catch2/catch_test_macros.hpp>
#include <cmath>

#include "compare.hpp"

namespace headwise::test {
namespace {

/// (1, heads, 3, 3): a head each for the previous token, the first, its own, all that is visible,
/// and something between.
Tensor<4> causal_weights() {
  return {{{{1, 0, 0}, {1, 0, 0}, {0, 1, 0}},
           {{1, 0, 0}, {1, 0, 0}, {1, 0, 0}},
           {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
           {{1, 0, 0}, {0.5F, 0.5F, 0}, {1 / 3.0F, 1 / 3.0F, 1 / 3.0F}},
           {{1, 0, 0}, {0.25F, 0.75F, 0}, {0.125F, 0.25F, 0.625F}}}};
}

TEST_CASE("pattern_scores knows the pure patterns") {
  const auto scores = pattern_scores(causal_weights(), true);
  REQUIRE(scores.size() == 5);
  CHECK(scores[0].previous_token == 1);
  CHECK(scores[0].first_token == 0.5);
  CHECK(scores[0].diagonal == 0);
  CHECK(scores[0].uniform == 0);
  CHECK(scores[1].first_token == 1);
  CHECK(scores[1].previous_token == 0.5);
  CHECK(scores[2].diagonal == 1);
  CHECK(scores[2].previous_token == 0);
  CHECK(std::abs(scores[3].uniform - 1) <= 1e-7);
  CHECK(std::abs(scores[4].previous_token - 0.25) <= 1e-7);
  CHECK(std::abs(scores[4].first_token - 0.1875) <= 1e-7);
  CHECK(std::abs(scores[4].diagonal - 0.6875) <= 1e-7);
  const auto entropy = [](std::initializer_list<double> weights) {
    double sum = 0;
    for (const double weight : weights) {
      sum -= weight * std::log(weight);
    }
    return sum / std::log(static_cast<double>(weights.size()));
  };
  CHECK(std::abs(scores[4].uniform - (entropy({0.25, 0.75}) + entropy({0.125, 0.25, 0.625})) / 2) <=
        1e-7);
}

TEST_CASE("Without causality every key counts as visible") {
  const Tensor<4> weights = full<4>({2, 1, 4, 4}, 0.25F);
  CHECK(std::abs(pattern_scores(weights, false)[0].uniform - 1) <= 1e-12);
  const Tensor<4> lone = full<4>({2, 1, 1, 1}, 1);
  CHECK(pattern_scores(lone, false)[0].uniform == 0);
  CHECK(pattern_scores(lone, true)[0].diagonal == 0);
}

TEST_CASE("induction_scores adds what followed each earlier copy") {
  Tensor<4> weights = full<4>({1, 1, 5, 5}, 0);
  // Query 2 copies 0, so key 1 counts; query 4 copies 0 and 2, so keys 1 and 3 do.
  weights(0, 0, 2, 1) = 0.5F;
  weights(0, 0, 2, 0) = 0.25F;
  weights(0, 0, 4, 1) = 0.25F;
  weights(0, 0, 4, 3) = 0.5F;
  weights(0, 0, 3, 2) = 1;
  CHECK(induction_scores(weights, {{7, 8, 7, 9, 7}}) == std::vector<double>{(0.5 + 0.75) / 2});
  CHECK(induction_scores(weights, {{1, 2, 3, 4, 5}}) == std::vector<double>{0});
}

TEST_CASE("key_scores is the mean weight on the right keys") {
  const Tensor<4> weights = {{{{0.5F, 0.25F, 0.25F}, {0, 1, 0}}, {{1, 0, 0}, {1, 0, 0}}},
                             {{{0, 0, 1}, {0, 0.5F, 0.5F}}, {{0, 1, 0}, {1, 0, 0}}}};
  CHECK(key_scores(weights, {{0, -1}, {-1, 2}}) == std::vector<double>{0.5, 0.5});
  CHECK(key_scores(weights, {{-1, -1}, {-1, -1}}) == std::vector<double>{0, 0});
  CHECK(key_scores(weights, {{1, 1}, {2, 1}}) == std::vector<double>{2.75 / 4, 0});
}

}  // namespace
}  // namespace headwise::test
