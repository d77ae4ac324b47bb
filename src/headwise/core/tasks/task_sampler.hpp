#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>

namespace headwise {

struct CopyOptions {
  /// Number of symbols to draw from. At least 1.
  std::int64_t num_symbols = 0;
  /// Length of a sequence in tokens. At least `offset` + 1.
  std::int64_t length = 0;
  /// Distance to the copied token; 1 is the previous token. At least 1.
  std::int64_t offset = 1;
};

struct SequenceOptions {
  /// Number of symbols to draw from; the separator is one more, the last of the vocabulary. At
  /// least 1, and `num_items` for `SortTask`.
  std::int64_t num_symbols = 0;
  /// Number of symbols before the separator. At least 1.
  std::int64_t num_items = 0;
};

struct AssociativeRecallOptions {
  /// Number of symbols for names, which do not repeat: at least `num_pairs`.
  std::int64_t num_names = 0;
  /// Number of symbols for values, numbered from `num_names` on. At least 1.
  std::int64_t num_values = 0;
  /// Number of pairs in a sequence. At least 1.
  std::int64_t num_pairs = 0;
  /// Number of names after the pairs, whose values are the targets. At least 1.
  std::int64_t num_questions = 1;
};

struct InductionOptions {
  /// Number of symbols for a period, in which none repeats: at least `max_period`.
  std::int64_t num_symbols = 0;
  /// Length of a sequence in tokens. More than `max_period`.
  std::int64_t length = 0;
  /// Bounds of the period, drawn for each sequence. At least 1.
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
class TaskSampler {
 public:
  struct Reverse : SequenceOptions {};
  struct Sort : SequenceOptions {};
  using Options =
      std::variant<CopyOptions, Reverse, Sort, AssociativeRecallOptions, InductionOptions>;

  explicit TaskSampler(const Options& options) noexcept;

  /// Size of the vocabulary, separators included: a model's `vocabulary_size`.
  [[nodiscard]] std::size_t vocabulary_size() const noexcept { return vocabulary_size_; }
  /// Length of a sequence in tokens: a model's `max_length` is at least that.
  [[nodiscard]] std::size_t length() const noexcept { return length_; }

  /// Draws sequence `number` of the seed. `workspace` holds `vocabulary_size` integers.
  void sample_into(std::uint64_t seed, std::uint64_t number, const TaskSample& sample,
                   std::span<std::int32_t> workspace) const noexcept;

 private:
  Options options_;
  std::size_t vocabulary_size_;
  std::size_t length_;
};

}  // namespace headwise
