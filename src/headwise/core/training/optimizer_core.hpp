#pragma once

#include <array>
#include <cstddef>
#include <headwise/core/memory/aligned_floats.hpp>
#include <headwise/core/memory/in_use.hpp>
#include <headwise/core/memory/parameter_table.hpp>
#include <headwise/core/training/trainable.hpp>
#include <optional>
#include <variant>
#include <vector>

namespace headwise {

struct SGDOptions {
  /// At least 0, as are the others.
  double learning_rate = 1e-3;
  /// What is kept of the sum of gradients at each step.
  double momentum = 0;
  /// How much of the parameter is added to its gradient: an L2 penalty.
  double weight_decay = 0;
};

struct AdamOptions {
  /// At least 0.
  double learning_rate = 1e-3;
  /// What is kept of the means of gradients and of their squares at each step; from 0 to below 1.
  std::array<double, 2> betas = {0.9, 0.999};
  /// Added to the root that is divided by. At least 0.
  double epsilon = 1e-8;
  /// Times the learning rate, the part of the parameter that goes at each step, whatever its
  /// gradient: AdamW's decay, not an L2 penalty. At least 0; AdamW's default in PyTorch is 0.01.
  double weight_decay = 0;
};

/// An optimizer for callers who check arguments themselves. Beside each trainable's block of values
/// it keeps blocks of states that the same table describes.
class OptimizerCore {
 public:
  using Options = std::variant<SGDOptions, AdamOptions>;

  OptimizerCore(const std::vector<Trainable*>& trainables, const Options& options);

  [[nodiscard]] const Options& options() const noexcept { return options_; }
  [[nodiscard]] double learning_rate() const noexcept;
  void set_learning_rate(double learning_rate) noexcept;

  [[nodiscard]] bool in_use() const noexcept { return static_cast<bool>(in_use_); }
  /// Whether nothing that it trains was moved from.
  [[nodiscard]] bool trainables_in_use() const noexcept;
  void zero_gradients() const noexcept;

  /// What one step needs of memory.
  class Step {
   private:
    friend class OptimizerCore;

    /// The states before a first step, or for a layer of other sizes in the place of the old.
    struct States {
      ParameterTable table;
      AlignedFloats floats;
    };
    std::vector<std::optional<States>> first_states_;  ///< one a trainable
  };
  /// Allocates what a step needs, and changes nothing that anybody sees. `everything`: also for
  /// what has no gradients yet, but will by then.
  [[nodiscard]] Step allocate_step(bool everything);
  /// Changes every parameter once.
  void step(Step&& allocated) noexcept;

 private:
  struct Training {
    Trainable* trainable;
    ParameterTable table;  ///< of each state; empty before the first step
    AlignedFloats states;  ///< as many blocks as there are states
    std::size_t steps = 0;
    std::size_t slices_seen = 0;
  };

  [[nodiscard]] std::size_t num_states() const noexcept;
  /// Removes what was removed from the parameters since the last step.
  void follow_removals(Training& training) const noexcept;
  void update(Training& training) const noexcept;

  InUse in_use_;
  Options options_;
  std::vector<Training> trainings_;
};

/// The Euclidean norm of all gradients together.
[[nodiscard]] double gradient_norm(const std::vector<Trainable*>& trainables) noexcept;

/// Multiplies every gradient by min(1, max_norm / (norm + 1e-6)).
void scale_gradients_to(double max_norm, double norm,
                        const std::vector<Trainable*>& trainables) noexcept;

}  // namespace headwise
