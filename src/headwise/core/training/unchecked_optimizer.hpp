#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <headwise/core/memory/aligned_floats.hpp>
#include <headwise/core/memory/in_use.hpp>
#include <headwise/core/memory/parameter_table.hpp>
#include <headwise/core/training/trainable.hpp>
#include <optional>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

namespace headwise {

struct SGDOptions {
  /// All options are at least 0.
  double learning_rate = 1e-3;
  /// Factor of the momentum at each step.
  double momentum = 0;
  /// L2 penalty: adds weight_decay · parameter to the gradient.
  double weight_decay = 0;
};

struct AdamOptions {
  /// At least 0.
  double learning_rate = 1e-3;
  /// Decay rates of the running means of gradients and of their squares; from 0 to below 1.
  std::array<double, 2> betas = {0.9, 0.999};
  /// Added to the square root in the denominator. At least 0.
  double epsilon = 1e-8;
  /// Decoupled weight decay (AdamW): each step subtracts learning_rate · weight_decay · parameter.
  /// At least 0. PyTorch's default for AdamW is 0.01.
  double weight_decay = 0;
};

/// An optimizer for callers who check arguments themselves. For each trainable it keeps blocks of
/// states in the layout of its table.
class UncheckedOptimizer {
 public:
  using Options = std::variant<SGDOptions, AdamOptions>;

  UncheckedOptimizer(const std::vector<Trainable*>& trainables, const Options& options);

  [[nodiscard]] const Options& options() const noexcept { return options_; }
  [[nodiscard]] double learning_rate() const noexcept;
  void set_learning_rate(double learning_rate) noexcept;

  [[nodiscard]] bool in_use() const noexcept { return static_cast<bool>(in_use_); }
  /// Whether no trainable was moved from.
  [[nodiscard]] bool trainables_in_use() const noexcept;
  /// The precision of the first trainable whose weights are not float32; float32 if there is none.
  [[nodiscard]] std::string_view weights_precision() const noexcept;
  /// Whether each of its trainables is one of these.
  [[nodiscard]] bool trains_only(std::span<Trainable* const> trainables) const noexcept;
  void zero_gradients() const noexcept;

  /// Memory of one step.
  class Step {
   private:
    friend class UncheckedOptimizer;

    /// States for a first step, or for a layer that was replaced.
    struct States {
      ParameterTable table;
      AlignedFloats floats;
    };
    std::vector<std::optional<States>> first_states_;  ///< one per trainable
  };
  /// Allocates what a step needs, without a visible change. `everything` includes trainables that
  /// have no gradients yet.
  [[nodiscard]] Step allocate_step(bool everything);
  /// Updates every parameter.
  void step(Step&& allocated) noexcept;

  /// What it keeps for a trainable, so that a program can resume training later.
  struct State {
    std::size_t steps = 0;
    std::vector<float> floats;  ///< the states one after another; empty before the first step
  };
  /// One per trainable.
  [[nodiscard]] std::vector<State> states() const;
  /// Continues from `states()` of an optimizer of equal options and layouts. Returns whether sizes
  /// match; nothing has changed otherwise.
  [[nodiscard]] bool restore(std::span<const State> states);

 private:
  struct Training {
    Trainable* trainable = nullptr;
    ParameterTable table;  ///< layout of each state; empty before the first step
    AlignedFloats states;  ///< one block per state
    std::size_t steps = 0;
    std::size_t slices_seen = 0;
    std::uint64_t identity = 0;  ///< of the trainable that the states are for
  };

  [[nodiscard]] std::size_t num_states() const noexcept;
  /// Removes the slices from the states that were removed from the parameters since the last step;
  /// all states of a trainable that was replaced.
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
