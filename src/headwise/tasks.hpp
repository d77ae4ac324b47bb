#pragma once

#include <cstddef>
#include <cstdint>
#include <headwise/core/tasks/task_sampler.hpp>
#include <headwise/tokens.hpp>

namespace headwise {

/// Sequences of a task, (batch, length) each.
struct TaskBatch {
  Tokens tokens;
  Tokens targets;  ///< the token that each position must predict; −1 where there is none
  Tokens keys;     ///< the position that each query should attend to; −1 where there is none
};

/// A synthetic task for a causal model: an endless supply of sequences with known answers, at known
/// positions. The same seed and number give the same sequence natively and in WebAssembly.
class Task {
 public:
  Task(const Task&) = delete;
  Task(Task&&) = delete;
  Task& operator=(const Task&) = delete;
  Task& operator=(Task&&) = delete;
  virtual ~Task() = default;

  /// Sequences `first` to `first` + `batch_size` − 1 of this seed. Throws `Error` (invalid-option)
  /// for negative numbers, (out-of-memory).
  [[nodiscard]] TaskBatch batch(std::uint64_t seed, std::int64_t batch_size,
                                std::int64_t first = 0) const;

  /// Size of the vocabulary, separators included: a model's `vocabulary_size`.
  [[nodiscard]] std::size_t vocabulary_size() const noexcept { return core_.vocabulary_size(); }
  /// Length of a sequence in tokens: the minimum `max_length` of a model.
  [[nodiscard]] std::size_t length() const noexcept { return core_.length(); }

 protected:
  explicit Task(const TaskSampler& core) noexcept : core_(core) {}

 private:
  TaskSampler core_;
};

/// Random tokens; each position must predict the token `offset` positions before it.
class CopyTask final : public Task {
 public:
  /// All tasks throw `Error` (invalid-option).
  explicit CopyTask(const CopyOptions& options);
};

/// Random items, a separator, and the items in reverse, which must be predicted. The last answer is
/// a target only, so a sequence has 2 · `num_items` tokens.
class ReverseTask final : public Task {
 public:
  explicit ReverseTask(const SequenceOptions& options);
};

/// As `ReverseTask`, with the items in ascending order. They are drawn without repetition, so that
/// each query has one correct key.
class SortTask final : public Task {
 public:
  explicit SortTask(const SequenceOptions& options);
};

/// Pairs of a name and a value, then names, whose values must be predicted. The correct key is the
/// value in the pair. Source: Ba et al. 2016, Using Fast Weights to Attend to
/// the Recent Past; Arora et al. 2023, Zoology, for several questions.
class AssociativeRecallTask final : public Task {
 public:
  explicit AssociativeRecallTask(const AssociativeRecallOptions& options);
};

/// A random period, repeated. From the first repeated token on, each position must predict the next
/// token; the correct key is the one after the same token one period earlier. If a period fits in
/// more than twice, the successors of older copies are correct, too, and `induction_scores` counts
/// them. Periods vary, so a head cannot rely on distance: it must match tokens. Source: Elhage et
/// al. 2021; Olsson et al. 2022, In-context Learning and Induction Heads.
class InductionTask final : public Task {
 public:
  explicit InductionTask(const InductionOptions& options);
};

}  // namespace headwise
