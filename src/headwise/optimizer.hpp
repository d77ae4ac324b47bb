#pragma once

#include <cstddef>
#include <headwise/api/in_use.hpp>
#include <headwise/trainable.hpp>
#include <optional>
#include <string_view>
#include <vector>

namespace headwise {

/// Changes the parameters of one or more layers, or parts of models, by their gradients. What it
/// trains must outlive it, at the same place in memory. Numbers that it keeps beside a parameter,
/// such as momenta, follow when slices of it are removed; a layer that another one was assigned to
/// is better given a new optimizer. What has no gradients yet is left alone. Of an optimizer that
/// was moved from, every call throws `Error` (disposed).
class Optimizer {
 public:
  virtual ~Optimizer() = default;

  /// Changes every parameter once; a backward that was pending is then outdated. Throws `Error`
  /// (out-of-memory), and nothing was changed.
  void step();

  /// Makes every gradient 0.
  void zero_gradients() const;

  [[nodiscard]] double learning_rate() const noexcept { return learning_rate_; }
  /// For schedules. Throws `Error` (invalid-option) unless it is finite and at least 0.
  void set_learning_rate(double learning_rate);

  // What follows is for callers who allocate everything before they change anything.

  class Step;
  /// Allocates what a step needs, and changes nothing that anybody sees. `everything`: also for
  /// what has no gradients yet, but will by then.
  [[nodiscard]] Step allocate_step(bool everything);
  void step(Step&& allocated) noexcept;

 protected:
  /// `states` is how many numbers go beside one of a parameter.
  Optimizer(const std::vector<Trainable*>& trainables, std::size_t states, double learning_rate);
  Optimizer(const Optimizer& other);
  Optimizer(Optimizer&&) = default;
  Optimizer& operator=(const Optimizer& other);
  Optimizer& operator=(Optimizer&&) = default;

  /// Changes one parameter, in step `step` from 1 on. `state` holds the parameter's size of floats
  /// for every state, one state after the other; 0 before the first step.
  virtual void update(const TrainableParameter& parameter, float* state,
                      std::size_t step) const noexcept = 0;

 private:
  struct State {
    std::string_view name;  ///< of the parameter
    std::size_t rows;
    std::size_t columns;
    std::vector<float> numbers;
  };
  struct Training {
    Trainable* trainable;
    std::vector<State> states;  ///< empty before the first step
    std::size_t steps = 0;
    std::size_t slices_seen = 0;
  };

  /// It, and what it trains.
  void check_in_use() const;
  /// Removes what was removed from the parameters since the last step.
  void follow_removals(Training& training) const noexcept;
  void remove(std::vector<State>& states, const RemovedSlice& slice) const noexcept;
  [[nodiscard]] std::vector<State> first_states(
      const std::vector<TrainableParameter>& parameters) const;

  InUse in_use_;
  std::vector<Training> trainings_;
  std::size_t states_;
  double learning_rate_;
};

/// What one step needs of memory.
class Optimizer::Step {
 private:
  friend class Optimizer;

  struct Part {
    std::vector<TrainableParameter> parameters;
    /// For a first step, or for a layer of other sizes that was put in the place of the old.
    std::optional<std::vector<State>> first_states;
  };

  std::vector<Part> parts_;  ///< one a trainable
};

/// Returns the norm of all gradients together and multiplies them by min(1, max_norm / (norm +
/// 1e-6)), so that it is at most `max_norm` from then on. Source: PyTorch,
/// `torch.nn.utils.clip_grad_norm_`. Throws `Error` (invalid-option) unless `max_norm` is finite
/// and at least 0; out-of-memory, and nothing was changed.
double clip_gradient_norm(const std::vector<Trainable*>& trainables, double max_norm);

}  // namespace headwise
