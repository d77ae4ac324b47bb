#include <headwise/api/validation.hpp>
#include <headwise/api/validation_tasks.hpp>
#include <headwise/error.hpp>
#include <headwise/pattern_scores.hpp>

namespace headwise {
namespace {

WeightsView view_of(const TensorView<4>& weights) noexcept {
  return {.weights = weights.data(),
          .batch = weights.shape(0),
          .num_heads = weights.shape(1),
          .num_queries = weights.shape(2),
          .num_keys = weights.shape(3)};
}

/// `score_of(view, head)` for each head.
template <typename Score, typename Function>
std::vector<Score> score_heads(const TensorView<4>& weights, const Function& score_of) {
  const WeightsView view = view_of(weights);
  std::vector<Score> scores;
  scores.reserve(view.num_heads);
  for (std::size_t head = 0; head < view.num_heads; ++head) {
    scores.push_back(score_of(view, head));
  }
  return scores;
}

}  // namespace

std::vector<PatternScores> pattern_scores(const TensorView<4>& attention_weights, bool causal) {
  return report_out_of_memory([&] {
    validation::check_self_attention(attention_weights);
    return score_heads<PatternScores>(attention_weights,
                                      [&](const WeightsView& view, std::size_t head) {
                                        return pattern_scores_of(view, head, causal);
                                      });
  });
}

std::vector<double> induction_scores(const TensorView<4>& attention_weights, const Tokens& tokens) {
  return report_out_of_memory([&] {
    validation::check_self_attention(attention_weights);
    validation::check_tokens_of_weights(attention_weights, tokens);
    const std::vector<std::int32_t> symbols(tokens.begin(), tokens.end());
    return score_heads<double>(attention_weights, [&](const WeightsView& view, std::size_t head) {
      return induction_score_of(view, head, symbols.data());
    });
  });
}

std::vector<double> key_scores(const TensorView<4>& attention_weights, const Tokens& keys) {
  return report_out_of_memory([&] {
    validation::check_keys(attention_weights, keys);
    const std::vector<std::int32_t> positions(keys.begin(), keys.end());
    return score_heads<double>(attention_weights, [&](const WeightsView& view, std::size_t head) {
      return key_score_of(view, head, positions.data());
    });
  });
}

}  // namespace headwise
