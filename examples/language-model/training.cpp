#include "training.hpp"

#include <algorithm>
#include <chrono>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace example {
namespace {

using namespace headwise;
using Clock = std::chrono::steady_clock;

/// Of a step of the stage, from 0 on.
double learning_rate_at(const Training& training, const Stage& stage, std::size_t step) {
  if (step < stage.warm_up) {
    return training.learning_rate * static_cast<double>(step + 1) /
           static_cast<double>(stage.warm_up);
  }
  const double left = static_cast<double>(stage.steps - step);
  return training.learning_rate * std::min(1.0, left / static_cast<double>(stage.decay));
}

Batch batch_of(const Training& training, const Stage& stage, std::size_t step, const Text& text,
               std::mt19937_64& random) {
  const std::size_t size = training.batch_size;
  const std::size_t length = training.sizes.max_length;
  if (step >= stage.copying_steps) {
    return random_windows(text, size, length, random);
  }
  const auto draw = [&]() -> std::int64_t {
    return stage.copies_shuffled_text
               ? std::int64_t{text[random() % text.size()]}
               : static_cast<std::int64_t>(random() % training.sizes.vocabulary);
  };
  return repeated_windows(text, size, stage.copied_texts, length, draw, random);
}

/// Where training stands, beside the model and the optimizer.
struct Position {
  std::size_t step = 0;
  double seconds = 0;  ///< spent so far
  std::mt19937_64 random;
};

std::string state_name(std::size_t trainable) { return "optimizer." + std::to_string(trainable); }

/// A safetensors file of the parameters, the optimizer's states and the position.
void write_state(const std::filesystem::path& path, const Transformer& model, Adam& optimizer,
                 const Position& position) {
  StateDict tensors = model.state_dict(ParameterNames::pretrained);
  std::size_t number = 0;
  for (const auto& state : optimizer.core().states()) {
    auto& tensor = tensors[state_name(number++)];
    tensor = xt::xarray<float>::from_shape({state.floats.size()});
    std::ranges::copy(state.floats, tensor.begin());
  }
  std::ostringstream random;
  random << position.random;
  const std::vector<std::byte> bytes =
      save_safetensors(tensors, {{"step", std::to_string(position.step)},
                                 {"seconds", std::to_string(position.seconds)},
                                 {"random", random.str()}});
  write_file(path, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

Position read_position(const SafetensorsFile& file) {
  Position position{.step = std::stoul(file.metadata().at("step")),
                    .seconds = std::stod(file.metadata().at("seconds")),
                    .random = {}};
  std::istringstream(file.metadata().at("random")) >> position.random;
  return position;
}

void restore(Adam& optimizer, std::size_t steps, const SafetensorsFile& file) {
  std::vector<UncheckedOptimizer::State> states;
  while (file.contains(state_name(states.size()))) {
    const auto floats = file.tensor(state_name(states.size()));
    states.push_back({.steps = steps, .floats = {floats.begin(), floats.end()}});
  }
  if (!optimizer.core().restore(states)) {
    throw std::runtime_error("the state is that of another model");
  }
}

/// Makes the steps of a stage that begins after `begin` steps.
void run(const Training& training, const Stage& stage, std::size_t begin, const Text& text,
         const std::filesystem::path& state, Transformer& model, Adam& optimizer, Position& at,
         const std::function<void(Transformer& model, const Report& report)>& report) {
  const std::size_t end = begin + stage.steps;
  double sum = 0;
  std::size_t steps = 0;
  auto began = Clock::now();
  while (at.step < std::min(end, training.until)) {
    const std::size_t step = at.step - begin;
    const Batch batch = batch_of(training, stage, step, text, at.random);
    model.zero_gradients();
    sum += model.loss_and_gradients(batch.tokens, batch.targets).loss;
    ++steps;
    clip_gradient_norm(model.trainables(), training.max_gradient_norm);
    optimizer.set_learning_rate(learning_rate_at(training, stage, step));
    optimizer.step();
    ++at.step;
    if (at.step % training.steps_per_report == 0 || at.step == end) {
      const std::chrono::duration<double> seconds = Clock::now() - began;
      at.seconds += seconds.count();
      write_state(state, model, optimizer, at);
      const auto tokens = static_cast<double>(batch.tokens.size() * steps);
      report(model, {.step = at.step,
                     .training_loss = sum / static_cast<double>(steps),
                     .tokens_per_second = tokens / seconds.count()});
      sum = 0;
      steps = 0;
      began = Clock::now();
    }
  }
}

}  // namespace

std::size_t Training::steps() const {
  std::size_t steps = 0;
  for (const Stage& stage : stages) {
    steps += stage.steps;
  }
  return steps;
}

void train(const Training& training, const Text& text, const std::filesystem::path& state,
           const std::function<void(Transformer& model, const Report& report)>& report) {
  const std::size_t length = training.sizes.max_length;
  if (text.size() <= length) {
    throw std::runtime_error("the text is shorter than a window of the model");
  }
  Position at{.random = std::mt19937_64(training.seed)};
  Transformer model = [&] {
    if (!training.resume) {
      return new_model(training.sizes, training.seed);
    }
    const SafetensorsFile file(state);
    at = read_position(file);
    return model_of(training.sizes, file.tensors("model"));
  }();
  std::size_t begin = 0;
  for (const Stage& stage : training.stages) {
    const std::size_t end = begin + stage.steps;
    if (at.step < std::min(end, training.until)) {
      Adam optimizer(model.trainables(),
                     {.betas = {0.9, 0.99}, .weight_decay = training.weight_decay});
      if (at.step > begin) {
        restore(optimizer, at.step - begin, SafetensorsFile(state));
      }
      run(training, stage, begin, text, state, model, optimizer, at, report);
    }
    begin = end;
  }
}

}  // namespace example
