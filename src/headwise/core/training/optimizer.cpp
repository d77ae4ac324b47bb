#include <algorithm>
#include <array>
#include <cmath>
#include <headwise/api/validation.hpp>
#include <headwise/api/validation_training.hpp>
#include <headwise/core/kernels/dispatch.hpp>
#include <headwise/core/memory/checked_sizes.hpp>
#include <headwise/error.hpp>
#include <headwise/optimizer.hpp>
#include <utility>

namespace headwise {
namespace {

/// Those of one trainable all have gradients, or none has.
bool has_gradients(const std::vector<TrainableParameter>& parameters) noexcept {
  return !parameters.empty() && parameters.front().gradients != nullptr;
}

}  // namespace

Optimizer::Optimizer(const std::vector<Trainable*>& trainables, std::size_t states,
                     double learning_rate)
    : states_(states), learning_rate_(learning_rate) {
  report_out_of_memory([&] {
    if constexpr (validation::enabled) {
      validation::check_trainables(trainables);
      validation::check_at_least_0("learning_rate", learning_rate);
    }
    for (Trainable* trainable : trainables) {
      trainings_.push_back({.trainable = trainable, .states = {}});
    }
  });
}

Optimizer::Optimizer(const Optimizer& other)
    : in_use_(other.in_use_),
      trainings_(copied(other.trainings_)),
      states_(other.states_),
      learning_rate_(other.learning_rate_) {}

Optimizer& Optimizer::operator=(const Optimizer& other) {
  std::vector<Training> trainings = copied(other.trainings_);
  in_use_ = other.in_use_;
  trainings_ = std::move(trainings);
  states_ = other.states_;
  learning_rate_ = other.learning_rate_;
  return *this;
}

void Optimizer::check_in_use() const {
  if constexpr (validation::enabled) {
    report_out_of_memory([&] {
      validation::check_in_use(static_cast<bool>(in_use_), "optimizer");
      for (const Training& training : trainings_) {
        validation::check_in_use(training.trainable->in_use(), "layer");
      }
    });
  }
}

void Optimizer::step() { step(allocate_step(false)); }

Optimizer::Step Optimizer::allocate_step(bool everything) {
  check_in_use();
  return report_out_of_memory([&] {
    Step step;
    for (Training& training : trainings_) {
      follow_removals(training);
      Step::Part part{.parameters = training.trainable->trainable_parameters(), .first_states = {}};
      const auto fits = [](const State& state, const TrainableParameter& parameter) {
        return state.name == parameter.name && state.rows == parameter.rows &&
               state.columns == parameter.columns;
      };
      const bool will_step = has_gradients(part.parameters) || everything;
      if (will_step && !std::ranges::equal(training.states, part.parameters, fits)) {
        part.first_states = first_states(part.parameters);
      }
      step.parts_.push_back(std::move(part));
    }
    return step;
  });
}

void Optimizer::step(Step&& allocated) noexcept {
  for (std::size_t i = 0; i < trainings_.size(); ++i) {
    Training& training = trainings_[i];
    auto [parameters, first_states] = std::move(allocated.parts_[i]);
    training.trainable->locate(parameters);
    if (!has_gradients(parameters)) {
      continue;
    }
    if (first_states) {
      training.states = std::move(*first_states);
      training.steps = 0;
    }
    ++training.steps;
    for (std::size_t number = 0; number < parameters.size(); ++number) {
      update(parameters[number], training.states[number].numbers.data(), training.steps);
    }
    training.trainable->parameters_changed();
  }
}

std::vector<Optimizer::State> Optimizer::first_states(
    const std::vector<TrainableParameter>& parameters) const {
  std::vector<State> states;
  states.reserve(parameters.size());
  for (const TrainableParameter& parameter : parameters) {
    const std::array<std::size_t, 3> shape = {states_, parameter.rows, parameter.columns};
    states.push_back({.name = parameter.name,
                      .rows = parameter.rows,
                      .columns = parameter.columns,
                      .numbers = std::vector<float>(checked_count(shape, sizeof(float)), 0.0F)});
  }
  return states;
}

void Optimizer::follow_removals(Training& training) const noexcept {
  const auto slices = training.trainable->removed_slices();
  for (std::size_t i = training.slices_seen; i < slices.size(); ++i) {
    remove(training.states, slices[i]);
  }
  training.slices_seen = slices.size();
}

void Optimizer::remove(std::vector<State>& states, const RemovedSlice& slice) const noexcept {
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
  check_in_use();
  for (const Training& training : trainings_) {
    training.trainable->zero_gradients();
  }
}

void Optimizer::set_learning_rate(double learning_rate) {
  check_in_use();
  if constexpr (validation::enabled) {
    report_out_of_memory([&] { validation::check_at_least_0("learning_rate", learning_rate); });
  }
  learning_rate_ = learning_rate;
}

double clip_gradient_norm(const std::vector<Trainable*>& trainables, double max_norm) {
  return report_out_of_memory([&] {
    if constexpr (validation::enabled) {
      validation::check_trainables(trainables);
      validation::check_at_least_0("max_norm", max_norm);
    }
    std::vector<TrainableParameter> parameters;
    for (Trainable* trainable : trainables) {
      for (const TrainableParameter& parameter : trainable->trainable_parameters()) {
        if (parameter.gradients != nullptr) {
          parameters.push_back(parameter);
        }
      }
    }
    double squares = 0;
    for (const TrainableParameter& parameter : parameters) {
      for (std::size_t i = 0; i < parameter.size(); ++i) {
        const auto gradient = static_cast<double>(parameter.gradients[i]);
        squares += gradient * gradient;
      }
    }
    const double norm = std::sqrt(squares);
    constexpr double epsilon = 1e-6;
    const auto factor = static_cast<float>(max_norm / (norm + epsilon));
    if (!(factor >= 1.0F)) {
      for (const TrainableParameter& parameter : parameters) {
        kernels::scale(parameter.gradients, parameter.size(), factor);
      }
    }
    return norm;
  });
}

}  // namespace headwise
