#pragma once

#include <cstddef>
#include <cstdint>
#include <headwise/core/tasks/task_core.hpp>
#include <headwise/tokens.hpp>

namespace headwise {

/// Sequences of a task, (batch, length) each.
struct TaskBatch {
  Tokens tokens;
  Tokens targets;  ///< what each position is to say; −1 where nothing is asked
  Tokens keys;     ///< the position that each query should look at; −1 where there is none
};

/// A task whose answer, and the place where it stands, is known: endless sequences for a causal
/// model. The same seed and number give the same sequence natively and in WebAssembly.
class Task {
 public:
  Task(const Task&) = delete;
  Task(Task&&) = delete;
  Task& operator=(const Task&) = delete;
  Task& operator=(Task&&) = delete;
  virtual ~Task() = default;

  /// The sequences `first` to `first` + `batch_size` − 1 of the seed. Throws `Error`
  /// (invalid-option) for negative numbers, (out-of-memory).
  [[nodiscard]] TaskBatch batch(std::uint64_t seed, std::int64_t batch_size,
                                std::int64_t first = 0) const;

  /// Symbols that tokens may be, separators among them: a model's `vocabulary_size`.
  [[nodiscard]] std::size_t vocabulary_size() const noexcept { return core_.vocabulary_size(); }
  /// Tokens of a sequence: a model's `max_length` at least.
  [[nodiscard]] std::size_t length() const noexcept { return core_.length(); }

 protected:
  explicit Task(const TaskCore& core) noexcept : core_(core) {}

 private:
  TaskCore core_;
};

/// Random tokens; each position is to say the token `offset` positions before it.
class CopyTask final : public Task {
 public:
  /// Throws `Error` (invalid-option), as do the others.
  explicit CopyTask(const CopyOptions& options);
};

/// Random items, a separator, and the items from the last to the first, which are to be said: 2 ·
/// `num_items` tokens, since nothing follows the last answer.
class ReverseTask final : public Task {
 public:
  explicit ReverseTask(const SequenceOptions& options);
};

/// The same with the items from the smallest to the largest. They are drawn without repetition, so
/// that each query has one right key.
class SortTask final : public Task {
 public:
  explicit SortTask(const SequenceOptions& options);
};

/// Pairs of a name and a value, then names, of each of which the value is to be said; the right key
/// is the value in the pair. Source: Ba et al. 2016, Using Fast Weights to Attend to the Recent
/// Past; Arora et al. 2023, Zoology, for several questions.
class AssociativeRecallTask final : public Task {
 public:
  explicit AssociativeRecallTask(const AssociativeRecallOptions& options);
};

/// A random period, repeated. From the first token that was there before on, each position is to
/// say what will follow; the right key is what followed the same token a period ago. Where a period
/// fits in more than twice, what followed older copies is as right: `induction_scores` counts it.
/// Since periods vary, distance says nothing: a head must match tokens. Source: Elhage et al. 2021;
/// Olsson et al. 2022, In-context Learning and Induction Heads.
class InductionTask final : public Task {
 public:
  explicit InductionTask(const InductionOptions& options);
};

}  // namespace headwise
