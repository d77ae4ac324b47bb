#include "measures.hpp"

#include <algorithm>
#include <random>
#include <stdexcept>

namespace example {
namespace {

using namespace headwise;

constexpr std::size_t windows_at_once = 16;

/// Random tokens, then the same once more.
Tokens repeated_tokens(const Transformer& model, std::size_t size) {
  const std::size_t length = model.settings().max_length / 2;
  Tokens tokens = Tokens::from_shape({size, 2 * length});
  std::mt19937_64 random(1);
  for (std::size_t sequence = 0; sequence < size; ++sequence) {
    for (std::size_t i = 0; i < length; ++i) {
      const auto token = static_cast<std::int64_t>(random() % model.settings().vocabulary_size);
      tokens(sequence, i) = tokens(sequence, length + i) = token;
    }
  }
  return tokens;
}

}  // namespace

double loss_of(Transformer& model, const Text& text) {
  const std::size_t length = model.settings().max_length;
  double sum = 0;
  for (std::size_t first = 0; first < num_windows(text, length); first += windows_at_once) {
    const Batch batch = successive_windows(text, first, windows_at_once, length);
    std::size_t targets = 0;
    for (const std::int64_t target : batch.targets) {
      targets += target >= 0 ? 1 : 0;
    }
    sum += static_cast<double>(targets) * model.loss(batch.tokens, batch.targets);
  }
  return sum / static_cast<double>(text.size() - 1);
}

std::vector<HeadScores> head_scores(Transformer& model, const Text& text) {
  const std::size_t length = model.settings().max_length;
  if (text.size() < length) {
    throw std::runtime_error("the text is shorter than a window of the model");
  }
  const std::size_t whole = std::min(windows_at_once, text.size() / length);
  const Batch batch = successive_windows(text, 0, whole, length);
  const Tokens repeated = repeated_tokens(model, windows_at_once);
  const TransformerResult of_text = model.forward(batch.tokens, {.return_weights = true});
  const TransformerResult of_repeated = model.forward(repeated, {.return_weights = true});
  std::vector<HeadScores> scores;
  for (std::size_t layer = 0; layer < model.num_layers(); ++layer) {
    const std::vector<PatternScores> patterns =
        pattern_scores(of_text.attention_weights[layer], model.causal());
    const std::vector<double> induction =
        induction_scores(of_repeated.attention_weights[layer], repeated);
    for (std::size_t head = 0; head < patterns.size(); ++head) {
      scores.push_back({.layer = layer,
                        .head = head,
                        .previous_token = patterns[head].previous_token,
                        .first_token = patterns[head].first_token,
                        .induction = induction[head]});
    }
  }
  return scores;
}

}  // namespace example
