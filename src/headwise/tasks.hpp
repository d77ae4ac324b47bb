#pragma once

#include <cstdint>
#include <headwise/task.hpp>

namespace headwise {

struct CopyOptions {
  /// Symbols that are drawn from. At least 1.
  std::int64_t num_symbols = 0;
  /// Tokens of a sequence. At least `offset` + 1.
  std::int64_t length = 0;
  /// How far back the copied token stands; 1 is the previous token. At least 1.
  std::int64_t offset = 1;
};

/// Random tokens; each position is to say the token `offset` positions before it.
class CopyTask final : public Task {
 public:
  /// Throws `Error` (invalid-option), as do the others.
  explicit CopyTask(const CopyOptions& options);

 private:
  void draw(RandomIntegers& random, const TaskSample& sample,
            std::span<std::int32_t> symbols) const noexcept override;

  std::size_t offset_;
};

struct SequenceOptions {
  /// Symbols that are drawn from; the separator is one more, the last of the vocabulary. At least
  /// 1, and `num_items` for `SortTask`.
  std::int64_t num_symbols = 0;
  /// Symbols before the separator. At least 1.
  std::int64_t num_items = 0;
};

/// Random items, a separator, and the items from the last to the first, which are to be said: 2 ·
/// `num_items` tokens, since nothing follows the last answer.
class ReverseTask final : public Task {
 public:
  explicit ReverseTask(const SequenceOptions& options);

 private:
  void draw(RandomIntegers& random, const TaskSample& sample,
            std::span<std::int32_t> symbols) const noexcept override;
};

/// The same with the items from the smallest to the largest. They are drawn without repetition, so
/// that each query has one right key.
class SortTask final : public Task {
 public:
  explicit SortTask(const SequenceOptions& options);

 private:
  void draw(RandomIntegers& random, const TaskSample& sample,
            std::span<std::int32_t> symbols) const noexcept override;
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

/// Pairs of a name and a value, then names, of each of which the value is to be said; the right key
/// is the value in the pair. Source: Ba et al. 2016, Using Fast Weights to Attend to the Recent
/// Past; Arora et al. 2023, Zoology, for several questions.
class AssociativeRecallTask final : public Task {
 public:
  explicit AssociativeRecallTask(const AssociativeRecallOptions& options);

 private:
  void draw(RandomIntegers& random, const TaskSample& sample,
            std::span<std::int32_t> symbols) const noexcept override;

  std::size_t num_names_;
  std::size_t num_pairs_;
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

/// A random period, repeated. From the first token that was there before on, each position is to
/// say what will follow; the right key is what followed the same token a period ago. Where a period
/// fits in more than twice, what followed older copies is as right: `induction_scores` counts it.
/// Since periods vary, distance says nothing: a head must match tokens. Source: Elhage et al. 2021;
/// Olsson et al. 2022, In-context Learning and Induction Heads.
class InductionTask final : public Task {
 public:
  explicit InductionTask(const InductionOptions& options);

 private:
  void draw(RandomIntegers& random, const TaskSample& sample,
            std::span<std::int32_t> symbols) const noexcept override;

  std::uint32_t min_period_;
  std::uint32_t max_period_;
};

}  // namespace headwise
