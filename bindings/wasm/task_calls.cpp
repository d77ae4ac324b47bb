#include "task_calls.hpp"

#include <algorithm>
#include <cstdint>
#include <headwise/api/least_important_heads.hpp>
#include <headwise/api/validation.hpp>
#include <headwise/api/validation_models.hpp>
#include <headwise/api/validation_tasks.hpp>
#include <headwise/core/analysis/weight_statistics.hpp>
#include <headwise/core/tasks/task_sampler.hpp>
#include <span>
#include <vector>

#include "records.hpp"
#include "response.hpp"

namespace headwise::bindings {
namespace {

template <typename Options>
TaskSampler checked(const Options& options) {
  validation::check_task_options(options);
  return TaskSampler(options);
}

/// The order of `kinds` in tasks.ts.
TaskSampler task_of(std::size_t kind, Address options) {
  switch (kind) {
    case 0:
      return checked(message_at<CopyOptions>(options));
    case 1:
      return checked(TaskSampler::Reverse{message_at<SequenceOptions>(options)});
    case 2:
      return checked(TaskSampler::Sort{message_at<SequenceOptions>(options)});
    case 3:
      return checked(message_at<AssociativeRecallOptions>(options));
    default:
      return checked(message_at<InductionOptions>(options));
  }
}

/// As in `scoreHeads` of head-scores.ts.
enum class Score : std::uint8_t { patterns, induction, keys, confidence, entropy };

}  // namespace

Address task_sizes(std::size_t kind, Address options) { return respond(task_of(kind, options)); }

Address draw_task(std::size_t kind, Address options, double seed, double batch_size, double first) {
  validation::check_at_least("seed", static_cast<std::int64_t>(seed), 0);
  validation::check_at_least("batch_size", static_cast<std::int64_t>(batch_size), 0);
  validation::check_at_least("first", static_cast<std::int64_t>(first), 0);
  const TaskSampler task = task_of(kind, options);
  const std::size_t length = task.length();
  const double count = batch_size * static_cast<double>(length);
  const Address address = reserve(3 * count + static_cast<double>(task.vocabulary_size()));
  if (address == 0) {
    return address;
  }
  auto* const tokens = at<std::int32_t>(address);
  auto* const targets = tokens + size_of(count);
  auto* const keys = targets + size_of(count);
  const std::span workspace(keys + size_of(count), task.vocabulary_size());
  for (std::size_t i = 0; i < size_of(batch_size); ++i) {
    const std::size_t start = i * length;
    task.sample_into(static_cast<std::uint64_t>(seed), static_cast<std::uint64_t>(first) + i,
                     {.tokens = {tokens + start, length},
                      .targets = {targets + start, length},
                      .keys = {keys + start, length}},
                     workspace);
  }
  return address;
}

void check_importance(Address request) {
  const auto [inputs, ignored_keys] = message_at<MeasuredImportance>(request);
  validation::check_importance(inputs);
  for (const auto& [keys, ignored] : ignored_keys) {
    validation::check_ignored_keys(keys, ignored);
  }
}

Address least_important_heads(Address request) {
  const auto [fraction, measure, size, num_heads, bytes] = message_at<RankedHeads>(request);
  std::vector<double> importance(bytes.size() / sizeof(double));
  std::ranges::copy(bytes, reinterpret_cast<char*>(importance.data()));
  return respond(
      PrunedHeads{.layers = select_least_important(importance.data(), num_heads, fraction,
                                                   static_cast<HeadMeasure>(measure),
                                                   static_cast<std::int64_t>(size))});
}

void score_heads(Address address) {
  const auto& record = record_at<ScoreRecord>(address);
  const auto score = static_cast<Score>(record.score);
  const InputTensor weights = record.weights;
  const bool is_of_self_attention = score == Score::patterns || score == Score::induction;
  const WeightsView view = is_of_self_attention ? validation::check_self_attention(weights)
                                                : validation::check_weights(weights);
  double* const scores = record.scores;
  if (score >= Score::confidence) {
    const WeightsSizes sizes{.batch = view.batch,
                             .num_heads = view.num_heads,
                             .num_queries = view.num_queries,
                             .num_keys = view.num_keys - record.num_extra_slots,
                             .num_extra_slots = record.num_extra_slots};
    auto* const sums = reinterpret_cast<RowSum*>(scores);
    std::fill_n(sums, view.num_heads, RowSum{});
    const auto ignored_keys = record.ignored_keys;
    score == Score::confidence ? add_confidence(view.weights, sizes, ignored_keys.data, sums)
                               : add_entropy(view.weights, sizes, sums);
    return;
  }
  const auto given = record.positions;
  std::vector<std::int32_t> positions;
  if (score != Score::patterns) {
    positions = is_of_self_attention ? validation::check_tokens_of_weights(weights, given)
                                     : validation::check_keys(weights, given);
  }
  for (std::size_t head = 0; head < view.num_heads; ++head) {
    if (score == Score::patterns) {
      reinterpret_cast<PatternScores*>(scores)[head] = pattern_scores_of(view, head, record.causal);
    } else {
      scores[head] = score == Score::induction ? induction_score_of(view, head, positions.data())
                                               : key_score_of(view, head, positions.data());
    }
  }
}

}  // namespace headwise::bindings
