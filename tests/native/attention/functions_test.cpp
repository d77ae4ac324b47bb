#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <headwise/api/validation_training.hpp>
#include <headwise/core/tasks/random_integers.hpp>
#include <headwise/headwise.hpp>
#include <memory>
#include <set>
#include <vector>

#include "compare.hpp"
#include "model_reference.hpp"
#include "table.hpp"

/// Functions that keep nothing, and tasks.
namespace headwise::test {
namespace {

TEST_CASE("transpose_qkv and transpose_output follow the chapter and invert each other") {
  for (const std::size_t num_heads : {1, 2, 3, 5}) {
    const std::size_t head_size = 4;
    const Tensor<3> X = randn<3>({2, 3, num_heads * head_size}, num_heads);
    const auto heads = static_cast<std::int64_t>(num_heads);
    const Tensor<3> split = transpose_qkv(X, heads);
    CHECK(split.shape() == std::array<std::size_t, 3>{2 * num_heads, 3, head_size});
    CHECK(transpose_output(split, heads) == X);
    CHECK(split_heads(X, heads) == reference::split(X, num_heads));
    // The same numbers without an axis of heads.
    CHECK(split_heads(X, heads).storage() == split.storage());
  }
}

TEST_CASE("positional_encoding gives d2l's sinusoids") {
  const Tensor<2> first = positional_encoding(1, 4);
  CHECK(first == Tensor<2>{{0, 1, 0, 1}});
  for (const std::size_t size : {1, 6, 7}) {
    const Tensor<2> P = positional_encoding(61, static_cast<std::int64_t>(size));
    REQUIRE(P.shape() == std::array<std::size_t, 2>{61, size});
    double largest = 0;
    for (std::size_t i = 0; i < 61; ++i) {
      for (std::size_t column = 0; column < size; ++column) {
        const double exponent =
            2 * std::floor(static_cast<double>(column) / 2) / static_cast<double>(size);
        const double angle = static_cast<double>(i) / std::pow(10000, exponent);
        const double expected = column % 2 == 0 ? std::sin(angle) : std::cos(angle);
        largest = std::max(largest, std::abs(P(i, column) - expected));
      }
    }
    CHECK(largest <= 6e-8);
  }
  // Far on, turning has made most roundings.
  const Tensor<2> far = positional_encoding(100000, 2);
  CHECK(std::abs(far(99999, 0) - std::sin(99999.0)) <= 6e-8);
  CHECK(std::abs(far(99999, 1) - std::cos(99999.0)) <= 6e-8);
  CHECK(positional_encoding(0, 4).shape() == std::array<std::size_t, 2>{0, 4});
}

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

TEST_CASE("NaN and negative weights count in the scores") {
  Tensor<4> weights = full<4>({1, 1, 4, 4}, 0.25F);
  weights(0, 0, 2, 1) = -0.75F;
  weights(0, 0, 3, 0) = nan;
  const PatternScores scores = pattern_scores(weights, false)[0];
  CHECK(std::abs(scores.previous_token + 1.0 / 12) <= 1e-7);
  CHECK(std::isnan(scores.first_token));
  CHECK(std::isnan(scores.uniform));
  CHECK(scores.diagonal == 0.25);
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

using Sequence = std::vector<std::int64_t>;

Sequence row_of(const Tokens& tokens, std::size_t row) {
  const std::int64_t* first = tokens.data() + row * tokens.shape(1);
  return {first, first + tokens.shape(1)};
}

TEST_CASE("Sequences of tasks are those of the golden file") {
  const auto records = read_records("golden-tasks.txt");
  REQUIRE(records.size() == 6);
  for (const Record& record : records) {
    CAPTURE(record.text("name"));
    const TaskBatch batch = task_of(record)->batch(record.number<std::uint64_t>("batch_seed"),
                                                   record.number<std::int64_t>("batch_size"),
                                                   record.number<std::int64_t>("first"));
    for (const auto& [name, tokens] :
         {std::pair("tokens", &batch.tokens), std::pair("targets", &batch.targets),
          std::pair("keys", &batch.keys)}) {
      CAPTURE(name);
      CHECK(Sequence(tokens->begin(), tokens->end()) == record.numbers<std::int64_t>(name));
    }
  }
}

struct TaskCase {
  std::unique_ptr<Task> task;
  std::size_t vocabulary_size, length;
  std::size_t first_question;  ///< Earlier positions have no target.
};

TEST_CASE("Every question has its answer at its key, which a causal model sees") {
  std::vector<TaskCase> cases;
  for (const std::int64_t size : {1, 2, 5}) {
    const auto count = static_cast<std::size_t>(size);
    cases.push_back(
        {std::make_unique<CopyTask>(CopyOptions{.num_symbols = 5, .length = 7, .offset = size}), 5,
         7, count});
    cases.push_back(
        {std::make_unique<ReverseTask>(SequenceOptions{.num_symbols = 5, .num_items = size}), 6,
         2 * count, count});
    cases.push_back(
        {std::make_unique<SortTask>(SequenceOptions{.num_symbols = 5, .num_items = size}), 6,
         2 * count, count});
    cases.push_back({std::make_unique<AssociativeRecallTask>(AssociativeRecallOptions{
                         .num_names = 5, .num_values = 2, .num_pairs = 4, .num_questions = size}),
                     7, 8 + count, 8});
    cases.push_back({std::make_unique<InductionTask>(InductionOptions{
                         .num_symbols = 5, .length = 11, .min_period = size, .max_period = size}),
                     5, 11, count});
  }
  for (const TaskCase& each : cases) {
    const auto& [task, vocabulary_size, length, first_question] = each;
    CHECK(task->vocabulary_size() == vocabulary_size);
    CHECK(task->length() == length);
    const TaskBatch batch = task->batch(3, 50);
    std::set<std::int64_t> symbols;
    for (std::size_t row = 0; row < 50; ++row) {
      const Sequence tokens = row_of(batch.tokens, row);
      REQUIRE(tokens.size() == length);
      symbols.insert(tokens.begin(), tokens.end());
      for (std::size_t i = 0; i < length; ++i) {
        const std::int64_t key = batch.keys(row, i);
        CHECK((batch.targets(row, i) == -1) == (key == -1));
        CHECK((key == -1) == (i < first_question));
        if (key != -1) {
          REQUIRE(key <= static_cast<std::int64_t>(i));
          CHECK(batch.targets(row, i) == tokens[static_cast<std::size_t>(key)]);
        }
      }
    }
    // All symbols are drawn.
    CHECK(symbols.size() == vocabulary_size);
    CHECK(*symbols.begin() == 0);
    CHECK(*symbols.rbegin() == static_cast<std::int64_t>(vocabulary_size) - 1);
  }
}

TEST_CASE("A sequence is that of its seed and number") {
  const SortTask task({.num_symbols = 9, .num_items = 6});
  const TaskBatch batch = task.batch(5, 10);
  CHECK(task.batch(5, 10).tokens == batch.tokens);
  CHECK(task.batch(6, 10).tokens != batch.tokens);
  // All bits of the number count, not the first 32 alone.
  const std::int64_t far = std::int64_t{1} << 32U;
  CHECK(task.batch(5, 10, far).tokens != batch.tokens);
  CHECK(task.batch(5, 0).tokens.shape() == std::array<std::size_t, 2>{0, 12});
}

TEST_CASE("Random integers below a number are equally likely") {
  // Of 2^32 numbers, four fall on three here: without drawing again, a third would come too often.
  RandomIntegers thirds(1, 3);
  int first_thirds = 0;
  for (int i = 0; i < 3000; ++i) {
    first_thirds += thirds.below(3U << 30U) % 3 == 0 ? 1 : 0;
  }
  CHECK(std::abs(first_thirds - 1000) <= 5 * std::sqrt(1000.0));
}

}  // namespace
}  // namespace headwise::test
