#include "task_calls.hpp"

#include <headwise/core/analysis/weight_statistics.hpp>
#include <headwise/pattern_scores.hpp>
#include <headwise/tasks.hpp>

namespace headwise::bindings {
namespace {

/// The sequences that the record asks of the task.
void draw_sequences(const Task& task, Record& record) {
  const std::uint64_t seed = record.wide();
  const std::uint64_t first = record.wide();
  const std::size_t batch_size = record.size();
  auto* const tokens = record.pointer<std::int32_t>();
  auto* const targets = record.pointer<std::int32_t>();
  auto* const keys = record.pointer<std::int32_t>();
  const std::span workspace(record.pointer<std::int32_t>(), task.vocabulary_size());
  const std::size_t length = task.length();
  for (std::size_t i = 0; i < batch_size; ++i) {
    const std::size_t start = i * length;
    task.sample_into(seed, first + i,
                     {.tokens = {tokens + start, length},
                      .targets = {targets + start, length},
                      .keys = {keys + start, length}},
                     workspace);
  }
}

/// As in `scoreHeads` of head-scores.ts.
enum class Score : std::uint8_t { patterns, induction, keys, confidence, entropy };

}  // namespace

void draw_task(Address address) {
  Record record(address);
  const std::int32_t kind = record.integer();
  const std::int32_t a = record.integer();
  const std::int32_t b = record.integer();
  const std::int32_t c = record.integer();
  const std::int32_t d = record.integer();
  switch (kind) {
    case 0:
      return draw_sequences(CopyTask({.num_symbols = a, .length = b, .offset = c}), record);
    case 1:
      return draw_sequences(ReverseTask({.num_symbols = a, .num_items = b}), record);
    case 2:
      return draw_sequences(SortTask({.num_symbols = a, .num_items = b}), record);
    case 3:
      return draw_sequences(
          AssociativeRecallTask(
              {.num_names = a, .num_values = b, .num_pairs = c, .num_questions = d}),
          record);
    default:
      return draw_sequences(
          InductionTask({.num_symbols = a, .length = b, .min_period = c, .max_period = d}), record);
  }
}

void score_heads(Address address) {
  Record record(address);
  const auto score = static_cast<Score>(record.integer());
  WeightsView view;
  view.weights = record.pointer<const float>();
  view.batch = record.size();
  view.num_heads = record.size();
  view.num_queries = record.size();
  view.num_keys = record.size();
  const std::size_t num_extra_slots = record.size();
  const bool causal = record.flag();
  const auto* const positions = record.pointer<const std::int32_t>();
  const auto* const ignored_keys = record.pointer<const std::uint8_t>();
  auto* const scores = record.pointer<double>();
  if (score >= Score::confidence) {
    const WeightsSizes sizes{.batch = view.batch,
                             .num_heads = view.num_heads,
                             .num_queries = view.num_queries,
                             .num_keys = view.num_keys - num_extra_slots,
                             .num_extra_slots = num_extra_slots};
    auto* const sums = reinterpret_cast<RowSum*>(scores);
    std::fill_n(sums, view.num_heads, RowSum{});
    score == Score::confidence ? add_confidence(view.weights, sizes, ignored_keys, sums)
                               : add_entropy(view.weights, sizes, sums);
    return;
  }
  for (std::size_t head = 0; head < view.num_heads; ++head) {
    if (score == Score::patterns) {
      reinterpret_cast<PatternScores*>(scores)[head] = pattern_scores_of(view, head, causal);
    } else {
      scores[head] = score == Score::induction ? induction_score_of(view, head, positions)
                                               : key_score_of(view, head, positions);
    }
  }
}

}  // namespace headwise::bindings
