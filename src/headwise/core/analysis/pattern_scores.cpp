#include <headwise/core/analysis/pattern_scores.hpp>
#include <headwise/core/elementary_functions.hpp>
#include <headwise/core/training/cross_entropy.hpp>
#include <optional>

namespace headwise {
namespace {

/// Entropy −Σ w log w of the first n weights, divided by that of uniform weights, log n.
double relative_entropy(const float* weights, std::size_t count) noexcept {
  double entropy = 0;
  for (std::size_t key = 0; key < count; ++key) {
    const auto weight = static_cast<double>(weights[key]);
    // A weight that is NaN makes the entropy NaN.
    entropy -= weight == 0 ? 0 : weight * natural_logarithm(weight);
  }
  return entropy / natural_logarithm(static_cast<double>(count));
}

/// The score of a row of weights; none if the query is left out.
using RowScore = std::optional<double> (*)(const void* context, const float* row,
                                           std::size_t sample, std::size_t query) noexcept;

double mean_score(const WeightsView& view, std::size_t head, RowScore score,
                  const void* context) noexcept {
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t sample = 0; view.num_queries > 0 && sample < view.batch; ++sample) {
    for (std::size_t query = 0; query < view.num_queries; ++query) {
      if (const auto part = score(context, view.row(sample, head, query), sample, query)) {
        sum += *part;
        ++count;
      }
    }
  }
  return count > 0 ? sum / static_cast<double>(count) : 0;
}

/// The mean of `score(row, sample, query)` over a head's queries that have one; 0 without any.
template <typename Function>
double mean_score(const WeightsView& view, std::size_t head, const Function& score) noexcept {
  const RowScore call = [](const void* context, const float* row, std::size_t sample,
                           std::size_t query) noexcept -> std::optional<double> {
    return (*static_cast<const Function*>(context))(row, sample, query);
  };
  return mean_score(view, head, call, &score);
}

}  // namespace

PatternScores pattern_scores_of(const WeightsView& view, std::size_t head, bool causal) noexcept {
  const auto mean = [&](const auto& score) {
    return mean_score(view, head, [&](const float* row, std::size_t /*sample*/, std::size_t query) {
      return query > 0 ? std::optional(static_cast<double>(score(row, query))) : std::nullopt;
    });
  };
  return {
      .previous_token = mean([](const float* row, std::size_t query) { return row[query - 1]; }),
      .first_token = mean([](const float* row, std::size_t /*query*/) { return row[0]; }),
      .diagonal = mean([](const float* row, std::size_t query) { return row[query]; }),
      .uniform = mean([&](const float* row, std::size_t query) {
        return relative_entropy(row, causal ? query + 1 : view.num_keys);
      })};
}

double induction_score_of(const WeightsView& view, std::size_t head,
                          const std::int32_t* tokens) noexcept {
  return mean_score(view, head, [&](const float* row, std::size_t sample, std::size_t query) {
    const std::int32_t* sample_tokens = tokens + sample * view.num_queries;
    std::optional<double> sum;
    for (std::size_t earlier = 0; earlier < query; ++earlier) {
      if (sample_tokens[earlier] == sample_tokens[query]) {
        sum = sum.value_or(0) + static_cast<double>(row[earlier + 1]);
      }
    }
    return sum;
  });
}

double key_score_of(const WeightsView& view, std::size_t head, const std::int32_t* keys) noexcept {
  return mean_score(view, head, [&](const float* row, std::size_t sample, std::size_t query) {
    const std::int32_t key = keys[sample * view.num_queries + query];
    return key != ignored_target ? std::optional(static_cast<double>(row[key])) : std::nullopt;
  });
}

}  // namespace headwise
