#include <array>
#include <headwise/api/validation.hpp>
#include <headwise/api/validation_tasks.hpp>
#include <headwise/core/elementary_functions.hpp>
#include <headwise/error.hpp>
#include <headwise/pattern_scores.hpp>

namespace headwise {
namespace {

WeightsView view_of(const Tensor<4>& weights) noexcept {
  return {.weights = weights.data(),
          .batch = weights.shape(0),
          .num_heads = weights.shape(1),
          .num_queries = weights.shape(2),
          .num_keys = weights.shape(3)};
}

/// −Σ w log w / log n of the first n weights, which is 1 where all are the same.
double relative_entropy(const float* weights, std::size_t count) noexcept {
  double entropy = 0;
  for (std::size_t key = 0; key < count; ++key) {
    const auto weight = static_cast<double>(weights[key]);
    if (weight > 0) {
      entropy -= weight * natural_logarithm(weight);
    }
  }
  return entropy / natural_logarithm(static_cast<double>(count));
}

/// A score of each head; `score_of` is told the view and the head.
template <typename Score, typename Function>
std::vector<Score> score_heads(const Tensor<4>& weights, const Function& score_of) {
  const WeightsView view = view_of(weights);
  std::vector<Score> scores;
  scores.reserve(view.num_heads);
  for (std::size_t head = 0; head < view.num_heads; ++head) {
    scores.push_back(score_of(view, head));
  }
  return scores;
}

/// The mean of `score(row, sample, query)` over a head's queries where it is not negative; 0
/// without any.
template <typename Function>
double mean_score(const WeightsView& view, std::size_t head, const Function& score) noexcept {
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t sample = 0; sample < view.batch; ++sample) {
    for (std::size_t query = 0; query < view.num_queries; ++query) {
      const double part = score(view.row(sample, head, query), sample, query);
      if (part >= 0) {
        sum += part;
        ++count;
      }
    }
  }
  return count > 0 ? sum / static_cast<double>(count) : 0;
}

/// Of a query that does not count.
constexpr double no_score = -1;

}  // namespace

std::vector<PatternScores> pattern_scores(const Tensor<4>& attention_weights, bool causal) {
  return report_out_of_memory([&] {
    validation::check_self_attention(attention_weights);
    return score_heads<PatternScores>(attention_weights,
                                      [&](const WeightsView& view, std::size_t head) {
                                        return pattern_scores_of(view, head, causal);
                                      });
  });
}

std::vector<double> induction_scores(const Tensor<4>& attention_weights, const Tokens& tokens) {
  return report_out_of_memory([&] {
    validation::check_self_attention(attention_weights);
    validation::check_tokens_of_weights(attention_weights, tokens);
    const std::vector<std::int32_t> symbols(tokens.begin(), tokens.end());
    return score_heads<double>(attention_weights, [&](const WeightsView& view, std::size_t head) {
      return induction_score_of(view, head, symbols.data());
    });
  });
}

std::vector<double> key_scores(const Tensor<4>& attention_weights, const Tokens& keys) {
  return report_out_of_memory([&] {
    validation::check_keys(attention_weights, keys);
    const std::vector<std::int32_t> positions(keys.begin(), keys.end());
    return score_heads<double>(attention_weights, [&](const WeightsView& view, std::size_t head) {
      return key_score_of(view, head, positions.data());
    });
  });
}

PatternScores pattern_scores_of(const WeightsView& view, std::size_t head, bool causal) noexcept {
  const auto mean = [&](const auto& score) {
    return mean_score(view, head, [&](const float* row, std::size_t /*sample*/, std::size_t query) {
      return query > 0 ? static_cast<double>(score(row, query)) : no_score;
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
    const std::int32_t* own = tokens + sample * view.num_queries;
    double sum = no_score;
    for (std::size_t earlier = 0; earlier < query; ++earlier) {
      if (own[earlier] == own[query]) {
        sum = (sum >= 0 ? sum : 0) + static_cast<double>(row[earlier + 1]);
      }
    }
    return sum;
  });
}

double key_score_of(const WeightsView& view, std::size_t head, const std::int32_t* keys) noexcept {
  return mean_score(view, head, [&](const float* row, std::size_t sample, std::size_t query) {
    const std::int32_t key = keys[sample * view.num_queries + query];
    return key != ignored_target ? static_cast<double>(row[key]) : no_score;
  });
}

}  // namespace headwise
