#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>

#include "checkpoint.hpp"
#include "token_windows.hpp"

namespace example {

/// How a model is trained: on random tokens that are repeated, then on text; by AdamW, gradients
/// clipped by their norm, a learning rate that rises linearly and then falls along a cosine to a
/// tenth.
struct Training {
  Sizes sizes;
  std::size_t steps = 24000;
  std::size_t copying_steps = 1500;  ///< the first of them, on repeated random tokens
  std::size_t warm_up = 200;
  std::size_t batch_size = 4;  ///< windows of `sizes.max_length` tokens
  double learning_rate = 2e-3;
  double weight_decay = 0.01;
  double max_gradient_norm = 1;
  std::uint64_t seed = 1;
  std::size_t steps_per_report = 500;
};

struct Report {
  std::size_t step;      ///< how many were made
  double training_loss;  ///< mean of the steps since the last report
  double tokens_per_second;
};

/// Trains a new model, in the end on random windows of the text. `report` is called with it from
/// time to time, and after the last step. Results do not depend on the number of threads.
[[nodiscard]] headwise::Transformer train(
    const Training& training, const Text& text,
    const std::function<void(headwise::Transformer& model, const Report& report)>& report);

}  // namespace example
