#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <headwise/api/validation_training.hpp>
#include <headwise/headwise.hpp>

#include "floats.hpp"
#include "model_reference.hpp"

namespace headwise::test {
namespace {

TEST_CASE("cross_entropy is the mean over the targets that count, as in float64") {
  for (const std::size_t vocabulary_size : {1, 3, 7, 33, 129}) {
    CAPTURE(vocabulary_size);
    const auto logits = randn<3>({3, 5, vocabulary_size}, 1);
    Tokens targets = Tokens::from_shape({3, 5});
    for (std::size_t i = 0; i < targets.size(); ++i) {
      targets.data()[i] = static_cast<std::int64_t>(7 * i % (vocabulary_size + 1)) - 1;
    }
    CHECK(std::abs(cross_entropy(logits, targets) - reference::mean_loss(logits, targets)) <= 1e-6);
  }
}

TEST_CASE("cross_entropy of more rows than one piece of work has") {
  const auto logits = randn<3>({1, 201, 3}, 1);
  Tokens targets = Tokens::from_shape({1, 201});
  for (std::size_t i = 0; i < targets.size(); ++i) {
    targets.data()[i] = static_cast<std::int64_t>(i % 3);
  }
  CHECK(std::abs(cross_entropy(logits, targets) - reference::mean_loss(logits, targets)) <= 1e-6);
}

TEST_CASE("Targets that 32 bits cannot tell apart are an error for any vocabulary") {
  const auto check = [](std::int64_t target) {
    return error_of([&] {
      validation::check_symbols("targets", {{target}}, ignored_target, std::size_t{1} << 33U);
      return 0;
    });
  };
  CHECK(check(2147483647) == "no error");
  CHECK(check(2147483648) ==
        "invalid-value; targets: expected integers from -1 to 2147483647, got 2147483648");
}

TEST_CASE("cross_entropy of hopeless logits is finite") {
  CHECK(cross_entropy(Tensor<3>{{{0, 500, -500}}}, {{0}}) == 500);
  CHECK(cross_entropy(Tensor<3>{{{0, 500, -500}}}, {{2}}) == 1000);
  CHECK(cross_entropy(Tensor<3>{{{0, 500, -500}}}, {{1}}) == 0);
}

TEST_CASE("cross_entropy without any target is 0") {
  CHECK(cross_entropy(randn<3>({2, 3, 5}, 1), {{-1, -1, -1}, {-1, -1, -1}}) == 0);
  CHECK(cross_entropy(randn<3>({0, 3, 5}, 1), Tokens::from_shape({0, 3})) == 0);
}

TEST_CASE("cross_entropy_into leaves the gradient of the mean") {
  const std::vector<std::int32_t> targets = {2, 0, 6};
  const Floats logits = random_floats(3 * 7, 1);
  Floats gradient = logits;
  Floats losses(3);
  const double loss = cross_entropy_into({.logits = gradient.data(),
                                          .targets = targets.data(),
                                          .losses = losses.data(),
                                          .rows = 3,
                                          .vocabulary_size = 7});
  CHECK(std::abs(loss - (losses[0] + losses[1] + losses[2]) / 3.0) <= 1e-6);
  for (std::size_t row = 0; row < 3; ++row) {
    double sum = 0;
    for (std::size_t i = 0; i < 7; ++i) {
      sum += std::exp(static_cast<double>(logits[row * 7 + i]));
    }
    for (std::size_t i = 0; i < 7; ++i) {
      const double expected = (std::exp(static_cast<double>(logits[row * 7 + i])) / sum -
                               (static_cast<std::size_t>(targets[row]) == i ? 1 : 0)) /
                              3;
      CHECK(std::abs(gradient[row * 7 + i] - expected) <= 1e-7);
    }
  }
}

TEST_CASE("cross_entropy names what does not fit") {
  const auto logits = randn<3>({2, 3, 5}, 1);
  CHECK(error_of([&] { return cross_entropy(logits, {{0, 1}, {2, 3}}); }) ==
        "invalid-shape; targets: expected (2, 3), got (2, 2)");
  CHECK(error_of([&] { return cross_entropy(logits, {{0, 1, 2}, {2, 3, 5}}); }) ==
        "invalid-value; targets: expected integers from -1 to 4, got 5");
  CHECK(error_of([&] { return cross_entropy(logits, {{0, 1, 2}, {2, 3, -100}}); }) ==
        "invalid-value; targets: expected integers from -1 to 4, got -100");
}

}  // namespace
}  // namespace headwise::test
