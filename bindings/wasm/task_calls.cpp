#include "task_calls.hpp"

#include <algorithm>
#include <array>
#include <headwise/api/validation_models.hpp>
#include <headwise/api/validation_tasks.hpp>
#include <headwise/core/analysis/weight_statistics.hpp>
#include <headwise/core/tasks/task_sampler.hpp>
#include <span>
#include <vector>

#include "records.hpp"

namespace headwise::bindings {
namespace {

TaskSampler::Options options_of(const TaskRecord& record) noexcept {
  const auto [a, b, c, d] = std::array{record.a, record.b, record.c, record.d};
  switch (record.kind) {
    case 0:
      return CopyOptions{.num_symbols = a, .length = b, .offset = c};
    case 1:
      return TaskSampler::Reverse{{.num_symbols = a, .num_items = b}};
    case 2:
      return TaskSampler::Sort{{.num_symbols = a, .num_items = b}};
    case 3:
      return AssociativeRecallOptions{
          .num_names = a, .num_values = b, .num_pairs = c, .num_questions = d};
    default:
      return InductionOptions{.num_symbols = a, .length = b, .min_period = c, .max_period = d};
  }
}

/// As in `scoreHeads` of head-scores.ts.
enum class Score : std::uint8_t { patterns, induction, keys, confidence, entropy };

}  // namespace

void draw_task(Address address) {
  const auto& record = record_at<TaskRecord>(address);
  const TaskSampler task(options_of(record));
  const std::span workspace(record.workspace, task.vocabulary_size());
  const std::size_t length = task.length();
  for (std::size_t i = 0; i < record.batch_size; ++i) {
    const std::size_t start = i * length;
    task.sample_into(record.seed, record.first + i,
                     {.tokens = {record.tokens + start, length},
                      .targets = {record.targets + start, length},
                      .keys = {record.keys + start, length}},
                     workspace);
  }
}

void check_importance(std::size_t measure, std::size_t normalize, std::size_t num_batches,
                      std::size_t needs_loss, std::size_t has_value, std::size_t has_gradient,
                      std::size_t side, std::size_t num_layers) {
  validation::check_importance({.measure = static_cast<HeadMeasure>(measure),
                                .normalize = normalize != 0,
                                .num_batches = num_batches,
                                .needs_loss = needs_loss != 0,
                                .has_value = has_value != 0,
                                .has_gradient = has_gradient != 0,
                                .side = static_cast<Side>(side),
                                .has_layers = num_layers != 0});
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
