#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>

namespace headwise {

struct CopyOptions {
  /// Symbols that are drawn from. At least 1.
  std::int64_t num_symbols = 0;
  /// Tokens of a sequence. At least `offset` + 1.
  std::int64_t length = 0;
  /// How far back the copied token stands; 1 is the previous token. At least 1.
  std::int64_t offset = 1;
};

struct SequenceOptions {
  /// Symbols that are drawn from; the separator is one more, the last of the vocabulary. At least
  /// 1, and `num_items` for `SortTask`.
  std::int64_t num_symbols = 0;
  /// Symbols before the separator. At least 1.
  std::int64_t num_items = 0;
};

struct AssociativeRecallOptions {
  /// Symbols that names are drawn from, without repetition: at least `num_pairs`.
  std::int64_t num_names = 0;
  /// Symbols that values are drawn from, numbered from `num_names` on. At least 1.
  std::int64_t num_values = 0;
  /// Pairs of a sequence. At least 1.
  std::int64_t num_pairs = 0;
  /// Names asked for after the pairs. At least 1.
  std::int64_t num_questions = 1;
};

struct InductionOptions {
  /// Symbols that a period is drawn from, without repetition: at least `max_period`.
  std::int64_t num_symbols = 0;
  /// Tokens of a sequence. More than `max_period`.
  std::int64_t length = 0;
  /// Each sequence has a period of its own between these two. At least 1.
  std::int64_t min_period = 0;
  std::int64_t max_period = 0;
};

/// One sequence of a task, each (length,).
struct TaskSample {
  std::span<std::int32_t> tokens;
  std::span<std::int32_t> targets;
  std::span<std::int32_t> keys;
};

/// A task for callers who check options and own memory themselves.
class TaskCore {
 public:
  struct Reverse : SequenceOptions {};
  struct Sort : SequenceOptions {};
  using Options =
      std::variant<CopyOptions, Reverse, Sort, AssociativeRecallOptions, InductionOptions>;

  explicit TaskCore(const Options& options) noexcept;

  /// Symbols that tokens may be, separators among them: a model's `vocabulary_size`.
  [[nodiscard]] std::size_t vocabulary_size() const noexcept { return vocabulary_size_; }
  /// Tokens of a sequence: a model's `max_length` at least.
  [[nodiscard]] std::size_t length() const noexcept { return length_; }

  /// Sequence `number` of the seed. `workspace` is `vocabulary_size` integers.
  void sample_into(std::uint64_t seed, std::uint64_t number, const TaskSample& sample,
                   std::span<std::int32_t> workspace) const noexcept;

 private:
  Options options_;
  std::size_t vocabulary_size_;
  std::size_t length_;
};

}  // namespace headwise
