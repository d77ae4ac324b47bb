#pragma once

#include <cstddef>
#include <cstdint>
#include <headwise/tokens.hpp>
#include <span>

namespace headwise {

class RandomIntegers;

/// Sequences of a task, (batch, length) each.
struct TaskBatch {
  Tokens tokens;
  Tokens targets;  ///< what each position is to say; −1 where nothing is asked
  Tokens keys;     ///< the position that each query should look at; −1 where there is none
};

/// One sequence of a task, each (length,).
struct TaskSample {
  std::span<std::int32_t> tokens;
  std::span<std::int32_t> targets;
  std::span<std::int32_t> keys;
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
  [[nodiscard]] std::size_t vocabulary_size() const noexcept { return vocabulary_size_; }
  /// Tokens of a sequence: a model's `max_length` at least.
  [[nodiscard]] std::size_t length() const noexcept { return length_; }

  /// Sequence `number` of the seed, for callers who own the memory of it: `sample` and
  /// `vocabulary_size` integers of `workspace`.
  void sample_into(std::uint64_t seed, std::uint64_t number, const TaskSample& sample,
                   std::span<std::int32_t> workspace) const noexcept;

 protected:
  Task(std::size_t vocabulary_size, std::size_t length) noexcept
      : vocabulary_size_(vocabulary_size), length_(length) {}

 private:
  /// Writes tokens, and targets and keys where they are not −1. `symbols` hold 0, 1, … up to the
  /// vocabulary's size.
  virtual void draw(RandomIntegers& random, const TaskSample& sample,
                    std::span<std::int32_t> symbols) const noexcept = 0;

  std::size_t vocabulary_size_;
  std::size_t length_;
};

}  // namespace headwise
