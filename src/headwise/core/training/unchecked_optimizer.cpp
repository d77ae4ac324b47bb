#include <algorithm>
#include <cmath>
#include <headwise/core/kernels/dispatch.hpp>
#include <headwise/core/training/unchecked_optimizer.hpp>
#include <utility>

namespace headwise {
namespace {

/// By squaring: std::pow adds 2 KB to a WebAssembly module.
double power(double base, std::size_t exponent) noexcept {
  double result = 1;
  for (; exponent > 0; exponent /= 2, base *= base) {
    result *= exponent % 2 == 1 ? base : 1;
  }
  return result;
}

bool has_gradients(Trainable& trainable) noexcept {
  return !trainable.parameter_table().empty() && trainable.parameter_gradients() != nullptr;
}

}  // namespace

UncheckedOptimizer::UncheckedOptimizer(const std::vector<Trainable*>& trainables,
                                       const Options& options)
    : options_(options), trainings_(trainables.size()) {
  for (std::size_t i = 0; i < trainables.size(); ++i) {
    trainings_[i].trainable = trainables[i];
  }
}

double UncheckedOptimizer::learning_rate() const noexcept {
  const auto* sgd = std::get_if<SGDOptions>(&options_);
  return sgd != nullptr ? sgd->learning_rate : std::get_if<AdamOptions>(&options_)->learning_rate;
}

void UncheckedOptimizer::set_learning_rate(double learning_rate) noexcept {
  if (auto* sgd = std::get_if<SGDOptions>(&options_)) {
    sgd->learning_rate = learning_rate;
  } else {
    std::get_if<AdamOptions>(&options_)->learning_rate = learning_rate;
  }
}

bool UncheckedOptimizer::trainables_in_use() const noexcept {
  return std::ranges::all_of(trainings_,
                             [](const Training& training) { return training.trainable->in_use(); });
}

std::string_view UncheckedOptimizer::weights_precision() const noexcept {
  std::string_view precision = "float32";
  for (const Training& training : trainings_) {
    precision = training.trainable->weights_precision();
    if (precision != "float32") {
      break;
    }
  }
  return precision;
}

bool UncheckedOptimizer::trains_only(std::span<Trainable* const> trainables) const noexcept {
  return std::ranges::all_of(trainings_, [&](const Training& training) {
    return std::ranges::find(trainables, training.trainable) != trainables.end();
  });
}

void UncheckedOptimizer::zero_gradients() const noexcept {
  for (const Training& training : trainings_) {
    training.trainable->zero_gradients();
  }
}

/// States of each parameter: SGD keeps a momentum, Adam two means.
std::size_t UncheckedOptimizer::num_states() const noexcept { return 1 + options_.index(); }

UncheckedOptimizer::Step UncheckedOptimizer::allocate_step(bool everything) {
  Step step;
  step.first_states_ = std::vector<std::optional<Step::States>>(trainings_.size());
  for (std::size_t i = 0; i < trainings_.size(); ++i) {
    Training& training = trainings_[i];
    follow_removals(training);
    const ParameterTable& table = training.trainable->parameter_table();
    if (!everything && !has_gradients(*training.trainable)) {
      continue;
    }
    if (training.table != table) {
      step.first_states_[i] = Step::States{
          .table = table, .floats = zero_floats(saturating_product(num_states(), table.size()))};
    }
    static_cast<void>(training.trainable->parameter_values());
  }
  return step;
}

void UncheckedOptimizer::step(Step&& allocated) noexcept {
  for (std::size_t i = 0; i < trainings_.size(); ++i) {
    Training& training = trainings_[i];
    if (!has_gradients(*training.trainable)) {
      continue;
    }
    if (auto first = std::move(allocated.first_states_[i])) {
      training.table = std::move(first->table);
      training.states = std::move(first->floats);
      training.steps = 0;
    }
    ++training.steps;
    update(training);
    training.trainable->parameters_changed();
  }
}

std::vector<UncheckedOptimizer::State> UncheckedOptimizer::states() const {
  std::vector<State> states(trainings_.size());
  std::ranges::transform(trainings_, states.begin(), [](const Training& training) {
    return State{.steps = training.steps,
                 .floats = {training.states.begin(), training.states.end()}};
  });
  return states;
}

bool UncheckedOptimizer::restore(std::span<const State> states) {
  Step memory = allocate_step(true);
  const auto matches = [&](const Training& training, const State& state) {
    const std::size_t size = num_states() * training.trainable->parameter_table().size();
    return state.floats.empty() || state.floats.size() == size;
  };
  if (!std::ranges::equal(trainings_, states, matches)) {
    return false;
  }
  for (std::size_t i = 0; i < states.size(); ++i) {
    Training& training = trainings_[i];
    if (states[i].floats.empty()) {
      continue;
    }
    if (auto first = std::move(memory.first_states_[i])) {
      training.table = std::move(first->table);
      training.states = std::move(first->floats);
    }
    std::ranges::copy(states[i].floats, training.states.begin());
    training.steps = states[i].steps;
  }
  return true;
}

void UncheckedOptimizer::update(Training& training) const noexcept {
  const std::size_t count = training.table.size();
  float* const values = training.trainable->parameter_values();
  const float* const gradients = training.trainable->parameter_gradients();
  float* const states = training.states.data();
  const auto factor = [](double number) { return static_cast<float>(number); };
  if (const auto* sgd = std::get_if<SGDOptions>(&options_)) {
    kernels::sgd_step(values, gradients, states, count,
                      {.learning_rate = factor(sgd->learning_rate),
                       .momentum = factor(sgd->momentum),
                       .weight_decay = factor(sgd->weight_decay)});
    return;
  }
  const AdamOptions& adam = *std::get_if<AdamOptions>(&options_);
  const auto [beta_1, beta_2] = adam.betas;
  kernels::adam_step(values, gradients, states, states + count, count,
                     {.beta_1 = factor(beta_1),
                      .one_minus_beta_1 = factor(1 - beta_1),
                      .beta_2 = factor(beta_2),
                      .one_minus_beta_2 = factor(1 - beta_2),
                      .weight_decay_factor = factor(1 - adam.learning_rate * adam.weight_decay),
                      .step_size = factor(adam.learning_rate / (1 - power(beta_1, training.steps))),
                      .sqrt_bias_correction = factor(std::sqrt(1 - power(beta_2, training.steps))),
                      .epsilon = factor(adam.epsilon)});
}

void UncheckedOptimizer::follow_removals(Training& training) const noexcept {
  const auto slices = training.trainable->removed_slices();
  if (training.identity != training.trainable->identity()) {
    training.identity = training.trainable->identity();
    training.table = {};
    training.slices_seen = slices.size();
  }
  for (std::size_t i = training.slices_seen; i < slices.size(); ++i) {
    training.table.cut(slices[i], training.states.data(), num_states());
    training.table.remove(slices[i]);
  }
  training.slices_seen = slices.size();
}

double gradient_norm(const std::vector<Trainable*>& trainables) noexcept {
  double squares = 0;
  for (Trainable* trainable : trainables) {
    const float* const gradients = trainable->parameter_gradients();
    const std::size_t count = gradients != nullptr ? trainable->parameter_table().size() : 0;
    for (std::size_t i = 0; i < count; ++i) {
      const auto gradient = static_cast<double>(gradients[i]);
      squares += gradient * gradient;
    }
  }
  return std::sqrt(squares);
}

void scale_gradients_to(double max_norm, double norm,
                        const std::vector<Trainable*>& trainables) noexcept {
  constexpr double epsilon = 1e-6;
  const auto factor = static_cast<float>(max_norm / (norm + epsilon));
  if (factor >= 1.0F) {
    return;
  }
  for (Trainable* trainable : trainables) {
    if (float* gradients = trainable->parameter_gradients(); gradients != nullptr) {
      kernels::scale(gradients, trainable->parameter_table().size(), factor);
    }
  }
}

}  // namespace headwise
