#include "training.hpp"

#include <chrono>
#include <cmath>
#include <numbers>
#include <random>
#include <stdexcept>

namespace example {
namespace {

using namespace headwise;

double learning_rate_at(const Training& training, std::size_t step) {
  if (step < training.warm_up) {
    return training.learning_rate * static_cast<double>(step + 1) /
           static_cast<double>(training.warm_up);
  }
  const double done = static_cast<double>(step - training.warm_up) /
                      static_cast<double>(training.steps - training.warm_up);
  return training.learning_rate * (0.55 + 0.45 * std::cos(std::numbers::pi * done));
}

}  // namespace

Transformer train(const Training& training, const Text& text,
                  const std::function<void(Transformer& model, const Report& report)>& report) {
  using Clock = std::chrono::steady_clock;
  const std::size_t length = training.sizes.max_length;
  if (text.size() <= length) {
    throw std::runtime_error("the text is shorter than a window of the model");
  }
  Transformer model = new_model(training.sizes, training.seed);
  Adam optimizer(model.trainables(), {.betas = {0.9, 0.99}, .weight_decay = training.weight_decay});
  std::mt19937_64 random(training.seed);
  double sum = 0;
  std::size_t steps = 0;
  auto began = Clock::now();
  for (std::size_t step = 0; step < training.steps; ++step) {
    const Batch batch =
        step < training.copying_steps
            ? repeated_random_tokens(training.sizes.vocabulary, training.batch_size, length, random)
            : random_windows(text, training.batch_size, length, random);
    model.zero_gradients();
    sum += model.loss_and_gradients(batch.tokens, batch.targets).loss;
    ++steps;
    clip_gradient_norm(model.trainables(), training.max_gradient_norm);
    optimizer.set_learning_rate(learning_rate_at(training, step));
    optimizer.step();
    if ((step + 1) % training.steps_per_report == 0 || step + 1 == training.steps) {
      const std::chrono::duration<double> seconds = Clock::now() - began;
      const auto tokens = static_cast<double>(steps * training.batch_size * length);
      report(model, {.step = step + 1,
                     .training_loss = sum / static_cast<double>(steps),
                     .tokens_per_second = tokens / seconds.count()});
      sum = 0;
      steps = 0;
      began = Clock::now();
    }
  }
  return model;
}

}  // namespace example
