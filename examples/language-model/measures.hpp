#pragma once

#include <headwise/headwise.hpp>
#include <vector>

#include "token_windows.hpp"

/// How well a model predicts a text, and what its heads do.
namespace example {

/// Mean cross-entropy of the text's tokens in nats, each but the first predicted once, from the
/// tokens before it in its window.
[[nodiscard]] double loss_of(headwise::Transformer& model, const Text& text);

struct HeadScores {
  std::size_t layer;
  std::size_t head;
  /// Mean weights over the text, see `pattern_scores`.
  double previous_token;
  double first_token;
  /// Mean weight on the token after the earlier copy of the query's, in sequences of random tokens
  /// that are repeated once. Source: Olsson et al. 2022, "prefix matching".
  double induction;
};

/// Of every head, in the order of layers. The text's first whole windows are taken, at most 16.
/// Throws `std::runtime_error` for a text without one.
[[nodiscard]] std::vector<HeadScores> head_scores(headwise::Transformer& model, const Text& text);

}  // namespace example
