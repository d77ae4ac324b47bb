#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <vector>

#include "checkpoint.hpp"
#include "token_windows.hpp"

namespace example {

/// Steps of AdamW with a learning rate that rises linearly, stays, and falls linearly to 0.
struct Stage {
  std::size_t steps = 0;
  std::size_t warm_up = 200;
  std::size_t decay = 0;  ///< the last steps, in which the learning rate falls
  /// The first steps, in which all windows repeat: some of the text, the others of random or
  /// shuffled tokens.
  std::size_t copying_steps = 0;
  std::size_t copied_texts = 2;       ///< windows of the text among these
  bool copies_shuffled_text = false;  ///< tokens drawn from the text, not from the vocabulary
};

/// How a model is trained: on windows of a text, in stages of which each has an optimizer of its
/// own, gradients clipped by their norm. The first stage learns English, the second one to copy.
struct Training {
  Sizes sizes;
  std::vector<Stage> stages = {{.steps = 8000, .warm_up = 200, .decay = 2400, .copying_steps = 800},
                               {.steps = 3500,
                                .warm_up = 50,
                                .decay = 1500,
                                .copying_steps = 1000,
                                .copied_texts = 1,
                                .copies_shuffled_text = true}};
  std::size_t batch_size = 4;  ///< windows of `sizes.max_length` tokens
  double learning_rate = 2e-3;
  double weight_decay = 0.01;
  double max_gradient_norm = 1;
  std::uint64_t seed = 1;
  std::size_t steps_per_report = 250;
  std::size_t until = static_cast<std::size_t>(-1);  ///< ends after so many steps
  bool resume = false;

  /// Of all stages.
  [[nodiscard]] std::size_t steps() const;
};

struct Report {
  std::size_t step;      ///< how many were made
  double training_loss;  ///< mean of the steps since the last report
  double tokens_per_second;
};

/// Trains a model on random windows of the text. `report` is called with it from time to time, and
/// after the last step; before that, the file `state` is written with all that training needs to go
/// on. Training begins from that file if `resume` says so, otherwise anew, and ends after step
/// `until`. Results do not depend on where it was interrupted, nor on the number of threads.
void train(const Training& training, const Text& text, const std::filesystem::path& state,
           const std::function<void(headwise::Transformer& model, const Report& report)>& report);

}  // namespace example
