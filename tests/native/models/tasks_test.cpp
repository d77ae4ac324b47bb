#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <headwise/core/tasks/random_integers.hpp>
#include <map>
#include <set>
#include <vector>

#include "compare.hpp"

namespace headwise::test {
namespace {

using Sequence = std::vector<std::int64_t>;

/// One sequence of a batch.
struct Row {
  Sequence tokens, targets, keys;
};

std::vector<Row> rows_of(const TaskBatch& batch) {
  std::vector<Row> rows;
  const auto row_of = [](const Tokens& tokens, std::size_t row) {
    const std::int64_t* first = tokens.data() + row * tokens.shape(1);
    return Sequence(first, first + tokens.shape(1));
  };
  for (std::size_t row = 0; row < batch.tokens.shape(0); ++row) {
    rows.push_back(
        {row_of(batch.tokens, row), row_of(batch.targets, row), row_of(batch.keys, row)});
  }
  return rows;
}

/// What holds for every task: each question has its answer at its key, which a causal model sees.
std::vector<Row> checked_rows(const Task& task) {
  std::vector<Row> rows = rows_of(task.batch(3, 50));
  REQUIRE(rows.size() == 50);
  for (const Row& row : rows) {
    REQUIRE(row.tokens.size() == task.length());
    for (std::size_t i = 0; i < row.tokens.size(); ++i) {
      CHECK(row.tokens[i] >= 0);
      CHECK(row.tokens[i] < static_cast<std::int64_t>(task.vocabulary_size()));
      CHECK((row.targets[i] == -1) == (row.keys[i] == -1));
      if (row.keys[i] != -1) {
        REQUIRE(row.keys[i] <= static_cast<std::int64_t>(i));
        CHECK(row.targets[i] == row.tokens[static_cast<std::size_t>(row.keys[i])]);
      }
    }
  }
  return rows;
}

/// The symbols that stand at any position from `first` to below `end`.
std::set<std::int64_t> symbols_at(const std::vector<Row>& rows, std::size_t first,
                                  std::size_t end) {
  std::set<std::int64_t> symbols;
  for (const Row& row : rows) {
    symbols.insert(row.tokens.begin() + static_cast<std::ptrdiff_t>(first),
                   row.tokens.begin() + static_cast<std::ptrdiff_t>(end));
  }
  return symbols;
}

TEST_CASE("Tasks draw from all of their symbols") {
  const auto copies = rows_of(CopyTask({.num_symbols = 5, .length = 4}).batch(1, 50));
  CHECK(symbols_at(copies, 0, 1).size() == 5);
  CHECK(symbols_at(copies, 3, 4).size() == 5);
  const auto reversed = rows_of(ReverseTask({.num_symbols = 5, .num_items = 2}).batch(1, 50));
  CHECK(symbols_at(reversed, 1, 2).size() == 5);
  const auto sorted = rows_of(SortTask({.num_symbols = 5, .num_items = 2}).batch(1, 50));
  CHECK(symbols_at(sorted, 0, 1).size() == 5);
  CHECK(symbols_at(sorted, 1, 2).size() == 5);
  const AssociativeRecallTask recall({.num_names = 5, .num_values = 3, .num_pairs = 2});
  const auto recalled = rows_of(recall.batch(1, 50));
  CHECK(symbols_at(recalled, 0, 1).size() == 5);
  CHECK(symbols_at(recalled, 3, 4).size() == 3);
  std::set<std::int64_t> keys;
  for (const Row& row : recalled) {
    keys.insert(row.keys.back());
  }
  CHECK(keys == std::set<std::int64_t>{1, 3});
  const InductionTask induction({.num_symbols = 5, .length = 4, .min_period = 2, .max_period = 3});
  CHECK(symbols_at(rows_of(induction.batch(1, 50)), 0, 1).size() == 5);
}

TEST_CASE("CopyTask asks for the token a fixed way back") {
  for (const std::int64_t offset : {1, 2, 6}) {
    const CopyTask task({.num_symbols = 5, .length = 7, .offset = offset});
    CHECK(task.vocabulary_size() == 5);
    CHECK(task.length() == 7);
    for (const Row& row : checked_rows(task)) {
      for (std::int64_t i = 0; i < 7; ++i) {
        CHECK(row.keys[static_cast<std::size_t>(i)] == (i < offset ? -1 : i - offset));
      }
    }
  }
}

/// Items, separator and answers; the answers are `expected(items)`, and said one position early.
void check_answers(const Task& task, std::size_t num_items, const auto& expected) {
  for (const Row& row : checked_rows(task)) {
    const Sequence items(row.tokens.begin(),
                         row.tokens.begin() + static_cast<std::ptrdiff_t>(num_items));
    Sequence answers = items;
    expected(answers);
    CHECK(row.tokens[num_items] == static_cast<std::int64_t>(task.vocabulary_size()) - 1);
    for (std::size_t i = 0; i < num_items; ++i) {
      CHECK(items[i] < row.tokens[num_items]);
      CHECK(row.keys[i] == -1);
      CHECK(row.targets[num_items + i] == answers[i]);
      CHECK(row.keys[num_items + i] < static_cast<std::int64_t>(num_items));
      if (i + 1 < num_items) {
        CHECK(row.tokens[num_items + i + 1] == answers[i]);
      }
    }
  }
}

TEST_CASE("ReverseTask asks for the items backwards, each at its own place") {
  for (const std::int64_t items : {1, 2, 5}) {
    const ReverseTask task({.num_symbols = 3, .num_items = items});
    CHECK(task.vocabulary_size() == 4);
    const auto count = static_cast<std::size_t>(items);
    CHECK(task.length() == 2 * count);
    check_answers(task, count, [](Sequence& sequence) { std::ranges::reverse(sequence); });
    for (const Row& row : checked_rows(task)) {
      for (std::size_t i = 0; i < count; ++i) {
        CHECK(row.keys[count + i] == static_cast<std::int64_t>(count - 1 - i));
      }
    }
  }
}

TEST_CASE("SortTask asks for different items in their order") {
  for (const std::int64_t items : {1, 2, 6}) {
    const SortTask task({.num_symbols = 6, .num_items = items});
    CHECK(task.vocabulary_size() == 7);
    const auto count = static_cast<std::size_t>(items);
    check_answers(task, count, [](Sequence& sequence) { std::ranges::sort(sequence); });
    for (const Row& row : checked_rows(task)) {
      const auto end = row.tokens.begin() + static_cast<std::ptrdiff_t>(count);
      CHECK(std::set<std::int64_t>(row.tokens.begin(), end).size() == count);
    }
  }
}

TEST_CASE("AssociativeRecallTask asks for the values of names") {
  for (const std::int64_t questions : {1, 3}) {
    const AssociativeRecallTask task(
        {.num_names = 5, .num_values = 2, .num_pairs = 4, .num_questions = questions});
    CHECK(task.vocabulary_size() == 7);
    CHECK(task.length() == 8 + static_cast<std::size_t>(questions));
    for (const Row& row : checked_rows(task)) {
      std::map<std::int64_t, std::int64_t> place_of_value;
      for (std::size_t i = 0; i < 8; i += 2) {
        CHECK(row.tokens[i] < 5);
        CHECK(row.tokens[i + 1] >= 5);
        CHECK(place_of_value.emplace(row.tokens[i], i + 1).second);
        CHECK(row.keys[i] == -1);
        CHECK(row.keys[i + 1] == -1);
      }
      for (std::size_t i = 8; i < row.tokens.size(); ++i) {
        REQUIRE(place_of_value.contains(row.tokens[i]));
        CHECK(row.keys[i] == place_of_value[row.tokens[i]]);
      }
    }
  }
}

/// How long it takes until the first token comes again.
std::size_t period_of(const Sequence& tokens) {
  return static_cast<std::size_t>(std::find(tokens.begin() + 1, tokens.end(), tokens[0]) -
                                  tokens.begin());
}

TEST_CASE("InductionTask repeats periods of all lengths and asks what follows") {
  const InductionTask task({.num_symbols = 7, .length = 11, .min_period = 1, .max_period = 7});
  std::set<std::size_t> periods;
  for (const Row& row : checked_rows(task)) {
    const std::size_t period = period_of(row.tokens);
    periods.insert(period);
    for (std::size_t i = 0; i < row.tokens.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        CHECK((row.tokens[i] == row.tokens[j]) == ((i - j) % period == 0));
      }
      CHECK((row.keys[i] == -1) == (i < period));
      if (i >= period) {
        // The latest earlier copy of the query's token stands before its key.
        CHECK(row.tokens[static_cast<std::size_t>(row.keys[i]) - 1] == row.tokens[i]);
        CHECK(row.keys[i] == static_cast<std::int64_t>(i - period) + 1);
        if (i + 1 < row.tokens.size()) {
          CHECK(row.targets[i] == row.tokens[i + 1]);
        }
      }
    }
  }
  CHECK(periods.size() == 7);
}

TEST_CASE("A sequence is that of its seed and number") {
  const SortTask task({.num_symbols = 9, .num_items = 6});
  const TaskBatch batch = task.batch(5, 10);
  CHECK(task.batch(5, 10).tokens == batch.tokens);
  CHECK(task.batch(6, 10).tokens != batch.tokens);
  const TaskBatch later = task.batch(5, 4, 6);
  for (std::size_t i = 0; i < later.tokens.size(); ++i) {
    const std::size_t place = 6 * task.length() + i;
    CHECK(later.tokens.data()[i] == batch.tokens.data()[place]);
    CHECK(later.targets.data()[i] == batch.targets.data()[place]);
    CHECK(later.keys.data()[i] == batch.keys.data()[place]);
  }
  // All bits of the number count, not the first 32 alone.
  const std::int64_t far = std::int64_t{1} << 32U;
  CHECK(task.batch(5, 10, far).tokens != batch.tokens);
  CHECK(task.batch(5, 0).tokens.shape() == std::array<std::size_t, 2>{0, 12});
}

TEST_CASE("Random integers are all alike, and the same in every build") {
  for (const std::uint32_t end : {1U, 2U, 3U, 7U, 3000000000U}) {
    RandomIntegers random(1, 2);
    std::vector<int> counts(8);
    double sum = 0;
    for (int i = 0; i < 7000; ++i) {
      const std::uint32_t number = random.below(end);
      REQUIRE(number < end);
      sum += static_cast<double>(number) / end;
      ++counts[std::min<std::uint32_t>(number, 7)];
    }
    for (std::uint32_t number = 0; end <= 7 && number < end; ++number) {
      CHECK(std::abs(counts[number] - 7000.0 / end) <= 5 * std::sqrt(7000.0 / end));
    }
    CHECK(std::abs(sum / 7000 - (end - 1.0) / (2.0 * end)) <= 0.02);
  }
  // Of 2^32 numbers, four fall on three here: without drawing again, a third would come too often.
  RandomIntegers thirds(1, 3);
  int first_thirds = 0;
  for (int i = 0; i < 3000; ++i) {
    first_thirds += thirds.below(3U << 30U) % 3 == 0 ? 1 : 0;
  }
  CHECK(std::abs(first_thirds - 1000) <= 5 * std::sqrt(1000.0));
  RandomIntegers random(12345, 1);
  std::vector<std::uint32_t> numbers;
  for (int i = 0; i < 6; ++i) {
    numbers.push_back(random.below(1000));
  }
  CHECK(numbers == std::vector<std::uint32_t>{905, 141, 335, 28, 197, 122});
}

TEST_CASE("Each number is as often chosen first as second") {
  std::array<std::array<int, 4>, 2> counts{};
  RandomIntegers random(1, 1);
  for (int i = 0; i < 4000; ++i) {
    std::array<std::int32_t, 4> numbers = {0, 1, 2, 3};
    partial_shuffle(numbers, 2, random);
    CHECK(numbers[0] != numbers[1]);
    ++counts[0][static_cast<std::size_t>(numbers[0])];
    ++counts[1][static_cast<std::size_t>(numbers[1])];
  }
  for (const auto& of_place : counts) {
    for (const int count : of_place) {
      CHECK(std::abs(count - 1000) <= 5 * std::sqrt(1000.0));
    }
  }
}

}  // namespace
}  // namespace headwise::test
