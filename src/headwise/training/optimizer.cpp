#include <algorithm>
#include <cmath>
#include <headwise/attention/validation.hpp>
#include <headwise/error.hpp>
#include <headwise/training/optimizer.hpp>
#include <headwise/training/validation.hpp>
#include <utility>

namespace headwise {

Optimizer::Optimizer(const std::vector<Trainable*>& trainables, std::size_t states,
                     double learning_rate)
    : states_(states), learning_rate_(learning_rate) {
  if constexpr (validation::enabled) {
    validation::check_trainables(trainables);
    validation::check_at_least_0("learning_rate", learning_rate);
  }
  for (Trainable* trainable : trainables) {
    trainings_.push_back({.trainable = trainable, .states = {}});
  }
}

void Optimizer::step() {
  std::vector<std::vector<TrainableParameter>> parameters;
  report_out_of_memory([&] {
    for (Training& training : trainings_) {
      parameters.push_back(training.trainable->trainable_parameters());
      prepare(training, parameters.back());
    }
  });
  for (std::size_t i = 0; i < trainings_.size(); ++i) {
    Training& training = trainings_[i];
    if (parameters[i].empty()) {
      continue;
    }
    ++training.steps;
    for (std::size_t number = 0; number < parameters[i].size(); ++number) {
      update(parameters[i][number], training.states[number].numbers.data(), training.steps);
    }
    training.trainable->parameters_changed();
  }
}

/// Removes what was removed since the last step. Makes the states for a first one, or for a layer
/// of other sizes that was put in the place of the old.
void Optimizer::prepare(Training& training,
                        const std::vector<TrainableParameter>& parameters) const {
  const auto slices = training.trainable->removed_slices();
  for (std::size_t i = training.slices_seen; i < slices.size(); ++i) {
    remove(training.states, slices[i]);
  }
  training.slices_seen = slices.size();
  const auto fits = [](const State& state, const TrainableParameter& parameter) {
    return state.name == parameter.name && state.rows == parameter.rows &&
           state.columns == parameter.columns;
  };
  if (!std::ranges::equal(training.states, parameters, fits)) {
    std::vector<State> states;
    states.reserve(parameters.size());
    for (const TrainableParameter& parameter : parameters) {
      states.push_back({.name = parameter.name,
                        .rows = parameter.rows,
                        .columns = parameter.columns,
                        .numbers = std::vector<float>(states_ * parameter.size(), 0.0F)});
    }
    training.states = std::move(states);
    training.steps = 0;
  }
}

void Optimizer::remove(std::vector<State>& states, const RemovedSlice& slice) const {
  for (State& state : states) {
    if (state.name != slice.name) {
      continue;
    }
    const bool is_of_rows = slice.axis == RemovedSlice::Axis::rows;
    std::size_t& length = is_of_rows ? state.rows : state.columns;
    if (slice.first + slice.count > length) {
      continue;
    }
    const std::size_t size = state.rows * state.columns;
    const std::size_t left = size - size / length * slice.count;
    for (std::size_t i = 0; i < states_; ++i) {
      float* numbers = state.numbers.data() + i * size;
      cut_slice(numbers, state.rows, state.columns, slice);
      std::copy_n(numbers, left, state.numbers.data() + i * left);
    }
    state.numbers.resize(states_ * left);
    length -= slice.count;
  }
}

void Optimizer::zero_gradients() const {
  for (const Training& training : trainings_) {
    for (const TrainableParameter& parameter : training.trainable->trainable_parameters()) {
      std::fill_n(parameter.gradients, parameter.size(), 0.0F);
    }
  }
}

void Optimizer::set_learning_rate(double learning_rate) {
  if constexpr (validation::enabled) {
    validation::check_at_least_0("learning_rate", learning_rate);
  }
  learning_rate_ = learning_rate;
}

double Optimizer::missing_state() const {
  double floats = 0;
  for (const Training& training : trainings_) {
    if (training.states.empty()) {
      for (const TrainableParameter& parameter : training.trainable->trainable_parameters()) {
        floats += static_cast<double>(states_) * static_cast<double>(parameter.size());
      }
    }
  }
  return floats;
}

double clip_gradient_norm(const std::vector<Trainable*>& trainables, double max_norm) {
  if constexpr (validation::enabled) {
    validation::check_trainables(trainables);
    validation::check_at_least_0("max_norm", max_norm);
  }
  double squares = 0;
  for (Trainable* trainable : trainables) {
    for (const TrainableParameter& parameter : trainable->trainable_parameters()) {
      for (std::size_t i = 0; i < parameter.size(); ++i) {
        const auto gradient = static_cast<double>(parameter.gradients[i]);
        squares += gradient * gradient;
      }
    }
  }
  const double norm = std::sqrt(squares);
  constexpr double epsilon = 1e-6;
  const auto factor = static_cast<float>(max_norm / (norm + epsilon));
  if (factor >= 1.0F) {
    return norm;
  }
  for (Trainable* trainable : trainables) {
    for (const TrainableParameter& parameter : trainable->trainable_parameters()) {
      for (std::size_t i = 0; i < parameter.size(); ++i) {
        parameter.gradients[i] *= factor;
      }
    }
  }
  return norm;
}

}  // namespace headwise
