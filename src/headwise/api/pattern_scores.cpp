#include <headwise/api/native_inputs.hpp>
#include <headwise/api/validation_tasks.hpp>
#include <headwise/error.hpp>
#include <headwise/pattern_scores.hpp>

namespace headwise {
namespace {

/// `score_of(view, head)` for each head.
template <typename Score, typename Function>
std::vector<Score> score_heads(const WeightsView& view, const Function& score_of) {
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
    return score_heads<PatternScores>(validation::check_self_attention(attention_weights),
                                      [&](const WeightsView& view, std::size_t head) {
                                        return pattern_scores_of(view, head, causal);
                                      });
  });
}

std::vector<double> induction_scores(const TensorView<4>& attention_weights, const Tokens& tokens) {
  return report_out_of_memory([&] {
    const WeightsView weights = validation::check_self_attention(attention_weights);
    const std::vector<std::int32_t> symbols =
        validation::check_tokens_of_weights(attention_weights, IntegerInput(tokens).input());
    return score_heads<double>(weights, [&](const WeightsView& view, std::size_t head) {
      return induction_score_of(view, head, symbols.data());
    });
  });
}

std::vector<double> key_scores(const TensorView<4>& attention_weights, const Tokens& keys) {
  return report_out_of_memory([&] {
    const WeightsView weights = validation::check_weights(attention_weights);
    const std::vector<std::int32_t> positions =
        validation::check_keys(attention_weights, IntegerInput(keys).input());
    return score_heads<double>(weights, [&](const WeightsView& view, std::size_t head) {
      return key_score_of(view, head, positions.data());
    });
  });
}

}  // namespace headwise
