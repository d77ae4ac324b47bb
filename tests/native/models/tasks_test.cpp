#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <headwise/core/tasks/random_integers.hpp>
#include <memory>
#include <set>
#include <vector>

#include "compare.hpp"
#include "table.hpp"

namespace headwise::test {
namespace {

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
