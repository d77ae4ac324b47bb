#include <algorithm>
#include <headwise/core/heap_sort.hpp>
#include <headwise/core/tasks/random_integers.hpp>
#include <headwise/core/tasks/task_sampler.hpp>
#include <headwise/core/training/cross_entropy.hpp>
#include <numeric>

namespace headwise {
namespace {

std::size_t count_of(std::int64_t number) noexcept { return static_cast<std::size_t>(number); }

void draw_uniform(std::span<std::int32_t> tokens, std::size_t num_symbols,
                  RandomIntegers& random) noexcept {
  for (std::int32_t& token : tokens) {
    token = static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(num_symbols)));
  }
}

/// Makes the token at `key` the target of `position`.
void set_target(const TaskSample& sample, std::size_t position, std::size_t key) noexcept {
  sample.targets[position] = sample.tokens[key];
  sample.keys[position] = static_cast<std::int32_t>(key);
}

/// Appends the separator and the answers to the items: `key_of(i)` is the position of answer i
/// among them. Each answer is the target of the position before it.
template <typename KeyOf>
void append_answers(const TaskSample& sample, std::size_t separator, KeyOf key_of) noexcept {
  const std::size_t num_items = sample.tokens.size() / 2;
  sample.tokens[num_items] = static_cast<std::int32_t>(separator);
  for (std::size_t i = 0; i < num_items; ++i) {
    const std::size_t key = key_of(i);
    set_target(sample, num_items + i, key);
    if (i + 1 < num_items) {
      sample.tokens[num_items + i + 1] = sample.tokens[key];
    }
  }
}

/// Draws a sequence: tokens, and the targets and keys that are not −1. `symbols` holds 0, 1, …
/// below the vocabulary's size.
struct Draw {
  RandomIntegers& random;
  const TaskSample& sample;
  std::span<std::int32_t> symbols;

  [[nodiscard]] std::size_t length() const noexcept { return sample.tokens.size(); }
  [[nodiscard]] std::size_t vocabulary_size() const noexcept { return symbols.size(); }

  void operator()(const CopyOptions& task) const noexcept {
    const std::size_t offset = count_of(task.offset);
    draw_uniform(sample.tokens, vocabulary_size(), random);
    for (std::size_t i = offset; i < length(); ++i) {
      set_target(sample, i, i - offset);
    }
  }

  void operator()(const TaskSampler::Reverse& /*task*/) const noexcept {
    const std::size_t num_items = length() / 2;
    const std::size_t separator = vocabulary_size() - 1;
    draw_uniform(sample.tokens.first(num_items), separator, random);
    append_answers(sample, separator, [&](std::size_t i) { return num_items - 1 - i; });
  }

  void operator()(const TaskSampler::Sort& /*task*/) const noexcept {
    const std::size_t num_items = length() / 2;
    const std::size_t separator = vocabulary_size() - 1;
    const auto items = sample.tokens.first(num_items);
    partial_shuffle(symbols.first(separator), num_items, random);
    std::copy_n(symbols.begin(), num_items, items.begin());
    const auto sorted = symbols.first(num_items);
    heap_sort(sorted);
    append_answers(sample, separator, [&](std::size_t i) {
      return static_cast<std::size_t>(std::find(items.begin(), items.end(), sorted[i]) -
                                      items.begin());
    });
  }

  void operator()(const AssociativeRecallOptions& task) const noexcept {
    const std::size_t num_names = count_of(task.num_names);
    const std::size_t num_pairs = count_of(task.num_pairs);
    const auto below = [&](std::size_t end) {
      return random.below(static_cast<std::uint32_t>(end));
    };
    partial_shuffle(symbols.first(num_names), num_pairs, random);
    for (std::size_t pair = 0; pair < num_pairs; ++pair) {
      sample.tokens[2 * pair] = symbols[pair];
      sample.tokens[2 * pair + 1] =
          static_cast<std::int32_t>(num_names + below(vocabulary_size() - num_names));
    }
    for (std::size_t i = 2 * num_pairs; i < length(); ++i) {
      const std::size_t pair = below(num_pairs);
      sample.tokens[i] = symbols[pair];
      set_target(sample, i, 2 * pair + 1);
    }
  }

  void operator()(const InductionOptions& task) const noexcept {
    const std::size_t period = random.between(static_cast<std::uint32_t>(task.min_period),
                                              static_cast<std::uint32_t>(task.max_period));
    partial_shuffle(symbols, period, random);
    for (std::size_t i = 0; i < length(); ++i) {
      sample.tokens[i] = symbols[i % period];
    }
    for (std::size_t i = period; i < length(); ++i) {
      set_target(sample, i, i + 1 - period);
    }
  }
};

/// Numbers of symbols, and of tokens in a sequence.
struct Sizes {
  std::size_t vocabulary_size;
  std::size_t length;
};

/// std::visit without the throw for a variant without a value.
template <typename Visitor, std::size_t Index = 0>
auto with_options(const Visitor& visitor, const TaskSampler::Options& options) noexcept {
  if constexpr (Index + 1 < std::variant_size_v<TaskSampler::Options>) {
    if (options.index() != Index) {
      return with_options<Visitor, Index + 1>(visitor, options);
    }
  }
  return visitor(*std::get_if<Index>(&options));
}

struct SizesOf {
  Sizes operator()(const CopyOptions& task) const noexcept {
    return {.vocabulary_size = count_of(task.num_symbols), .length = count_of(task.length)};
  }
  Sizes operator()(const SequenceOptions& task) const noexcept {
    return {.vocabulary_size = count_of(task.num_symbols) + 1,
            .length = 2 * count_of(task.num_items)};
  }
  Sizes operator()(const AssociativeRecallOptions& task) const noexcept {
    return {.vocabulary_size = count_of(task.num_names) + count_of(task.num_values),
            .length = 2 * count_of(task.num_pairs) + count_of(task.num_questions)};
  }
  Sizes operator()(const InductionOptions& task) const noexcept {
    return {.vocabulary_size = count_of(task.num_symbols), .length = count_of(task.length)};
  }
};

}  // namespace

TaskSampler::TaskSampler(const Options& options) noexcept : options_(options) {
  const Sizes sizes = with_options(SizesOf{}, options);
  vocabulary_size_ = sizes.vocabulary_size;
  length_ = sizes.length;
}

void TaskSampler::sample_into(std::uint64_t seed, std::uint64_t number, const TaskSample& sample,
                              std::span<std::int32_t> workspace) const noexcept {
  std::ranges::fill(sample.targets, ignored_target);
  std::ranges::fill(sample.keys, ignored_target);
  std::iota(workspace.begin(), workspace.end(), 0);
  RandomIntegers random(seed, number);
  with_options(Draw{.random = random, .sample = sample, .symbols = workspace}, options_);
}

}  // namespace headwise
