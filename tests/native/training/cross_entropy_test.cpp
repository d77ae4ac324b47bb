#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <headwise/api/validation_training.hpp>
#include <headwise/headwise.hpp>

#include "compare.hpp"
#include "model_reference.hpp"

namespace headwise::test {
namespace {

TEST_CASE("cross_entropy is the mean over the targets that count, as in float64") {
  // The last has more rows than one piece of work.
  for (const auto& [rows, vocabulary_size] :
       {std::pair<std::size_t, std::size_t>(5, 1), {5, 3}, {5, 7}, {5, 33}, {5, 129}, {201, 3}}) {
    CAPTURE(rows, vocabulary_size);
    const auto logits = randn<3>({3, rows, vocabulary_size}, 1);
    Tokens targets = Tokens::from_shape({3, rows});
    for (std::size_t i = 0; i < targets.size(); ++i) {
      targets.data()[i] = static_cast<std::int64_t>(7 * i % (vocabulary_size + 1)) - 1;
    }
    CHECK(std::abs(cross_entropy(logits, targets) - reference::mean_loss(logits, targets)) <= 1e-6);
  }
  const Tensor<3> hopeless = {{{0, 500, -500}}};
  CHECK(cross_entropy(hopeless, {{0}}) == 500);
  CHECK(cross_entropy(hopeless, {{2}}) == 1000);
  CHECK(cross_entropy(hopeless, {{1}}) == 0);
  CHECK(cross_entropy(randn<3>({2, 3, 5}, 1), {{-1, -1, -1}, {-1, -1, -1}}) == 0);
}

TEST_CASE("Targets that 32 bits cannot tell apart are an error for any vocabulary") {
  const auto check = [](std::int64_t target) {
    return error_of([&] {
      validation::check_symbols("targets", {{target}}, ignored_target, std::size_t{1} << 33U);
    });
  };
  CHECK(check(2147483647) == "no error");
  CHECK(check(2147483648) ==
        "invalid-value; targets: expected integers from -1 to 2147483647, got 2147483648");
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
