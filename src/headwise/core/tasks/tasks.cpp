#include <algorithm>
#include <headwise/api/validation.hpp>
#include <headwise/api/validation_tasks.hpp>
#include <headwise/core/tasks/random_integers.hpp>
#include <headwise/tasks.hpp>

namespace headwise {
namespace {

template <typename Options>
Options checked_task(const Options& options) {
  if constexpr (validation::enabled) {
    report_out_of_memory([&] { validation::check_task_options(options); });
  }
  return options;
}

std::size_t count_of(std::int64_t number) noexcept { return static_cast<std::size_t>(number); }

void draw_each(std::span<std::int32_t> tokens, std::size_t num_symbols,
               RandomIntegers& random) noexcept {
  for (std::int32_t& token : tokens) {
    token = static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(num_symbols)));
  }
}

/// The query at `position` is to say the token at `key`.
void ask(const TaskSample& sample, std::size_t position, std::size_t key) noexcept {
  sample.targets[position] = sample.tokens[key];
  sample.keys[position] = static_cast<std::int32_t>(key);
}

/// After the items, a separator and the answers: `key_of(i)` is where answer i stands. Each is
/// asked for one position before it.
template <typename KeyOf>
void ask_in_turn(const TaskSample& sample, std::size_t separator, KeyOf key_of) noexcept {
  const std::size_t num_items = sample.tokens.size() / 2;
  sample.tokens[num_items] = static_cast<std::int32_t>(separator);
  for (std::size_t i = 0; i < num_items; ++i) {
    const std::size_t key = key_of(i);
    ask(sample, num_items + i, key);
    if (i + 1 < num_items) {
      sample.tokens[num_items + i + 1] = sample.tokens[key];
    }
  }
}

}  // namespace

CopyTask::CopyTask(const CopyOptions& options)
    : Task(count_of(checked_task(options).num_symbols), count_of(options.length)),
      offset_(count_of(options.offset)) {}

void CopyTask::draw(RandomIntegers& random, const TaskSample& sample,
                    std::span<std::int32_t> /*symbols*/) const noexcept {
  draw_each(sample.tokens, vocabulary_size(), random);
  for (std::size_t i = offset_; i < length(); ++i) {
    ask(sample, i, i - offset_);
  }
}

ReverseTask::ReverseTask(const SequenceOptions& options)
    : Task(count_of(checked_task(options).num_symbols) + 1, 2 * count_of(options.num_items)) {}

void ReverseTask::draw(RandomIntegers& random, const TaskSample& sample,
                       std::span<std::int32_t> /*symbols*/) const noexcept {
  const std::size_t num_items = length() / 2;
  const std::size_t separator = vocabulary_size() - 1;
  draw_each(sample.tokens.first(num_items), separator, random);
  ask_in_turn(sample, separator, [&](std::size_t i) { return num_items - 1 - i; });
}

SortTask::SortTask(const SequenceOptions& options)
    : Task(count_of(checked_task(options).num_symbols) + 1, 2 * count_of(options.num_items)) {
  if constexpr (validation::enabled) {
    report_out_of_memory([&] {
      validation::check_distinct("num_symbols", options.num_symbols, "num_items",
                                 options.num_items);
    });
  }
}

void SortTask::draw(RandomIntegers& random, const TaskSample& sample,
                    std::span<std::int32_t> symbols) const noexcept {
  const std::size_t num_items = length() / 2;
  const std::size_t separator = vocabulary_size() - 1;
  const auto items = sample.tokens.first(num_items);
  choose(symbols.first(separator), num_items, random);
  std::copy_n(symbols.begin(), num_items, items.begin());
  const auto sorted = symbols.first(num_items);
  // Slower than std::sort, and a tenth of its code.
  std::ranges::make_heap(sorted);
  std::ranges::sort_heap(sorted);
  ask_in_turn(sample, separator, [&](std::size_t i) {
    return static_cast<std::size_t>(std::find(items.begin(), items.end(), sorted[i]) -
                                    items.begin());
  });
}

AssociativeRecallTask::AssociativeRecallTask(const AssociativeRecallOptions& options)
    : Task(count_of(checked_task(options).num_names) + count_of(options.num_values),
           2 * count_of(options.num_pairs) + count_of(options.num_questions)),
      num_names_(count_of(options.num_names)),
      num_pairs_(count_of(options.num_pairs)) {}

void AssociativeRecallTask::draw(RandomIntegers& random, const TaskSample& sample,
                                 std::span<std::int32_t> symbols) const noexcept {
  const auto below = [&](std::size_t end) { return random.below(static_cast<std::uint32_t>(end)); };
  choose(symbols.first(num_names_), num_pairs_, random);
  for (std::size_t pair = 0; pair < num_pairs_; ++pair) {
    sample.tokens[2 * pair] = symbols[pair];
    sample.tokens[2 * pair + 1] =
        static_cast<std::int32_t>(num_names_ + below(vocabulary_size() - num_names_));
  }
  for (std::size_t i = 2 * num_pairs_; i < length(); ++i) {
    const std::size_t pair = below(num_pairs_);
    sample.tokens[i] = symbols[pair];
    ask(sample, i, 2 * pair + 1);
  }
}

InductionTask::InductionTask(const InductionOptions& options)
    : Task(count_of(checked_task(options).num_symbols), count_of(options.length)),
      min_period_(static_cast<std::uint32_t>(options.min_period)),
      max_period_(static_cast<std::uint32_t>(options.max_period)) {}

void InductionTask::draw(RandomIntegers& random, const TaskSample& sample,
                         std::span<std::int32_t> symbols) const noexcept {
  const std::size_t period = random.between(min_period_, max_period_);
  choose(symbols, period, random);
  for (std::size_t i = 0; i < length(); ++i) {
    sample.tokens[i] = symbols[i % period];
  }
  for (std::size_t i = period; i < length(); ++i) {
    ask(sample, i, i + 1 - period);
  }
}

}  // namespace headwise
