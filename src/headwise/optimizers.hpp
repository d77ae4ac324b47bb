#pragma once

#include <headwise/core/training/trainable.hpp>
#include <headwise/core/training/unchecked_optimizer.hpp>
#include <headwise/trainables.hpp>
#include <vector>

namespace headwise {

/// Updates parameters by their gradients. Trainables must outlive the optimizer and must not move;
/// those without gradients are skipped. Pruning a layer also prunes the optimizer's state for it,
/// such as momenta; assigning to a layer resets that state. Calls of a moved-from optimizer throw
/// `Error` (disposed).
class Optimizer {
 public:
  virtual ~Optimizer() = default;

  /// Updates every parameter, which outdates a pending backward. Throws `Error` (invalid-option) if
  /// weights have fewer than 32 bits; out-of-memory. Nothing has changed then.
  void step();

  /// Sets every gradient to 0.
  void zero_gradients() const;

  [[nodiscard]] double learning_rate() const noexcept { return core_.learning_rate(); }
  /// For learning rate schedules. Throws `Error` (invalid-option) unless it is finite and at least
  /// 0.
  void set_learning_rate(double learning_rate);

  /// Whether the optimizer trains nothing but these trainables. Compares addresses only.
  [[nodiscard]] bool trains_only(const std::vector<Trainable*>& trainables) const noexcept {
    return core_.trains_only(trainables);
  }

  /// For a model's training step. Throws `Error` (disposed).
  [[nodiscard]] UncheckedOptimizer& core();

 protected:
  /// Throws `Error` for no trainables, or the same twice.
  Optimizer(const Trainables& trainables, const UncheckedOptimizer::Options& options);
  Optimizer(const Optimizer& other);
  Optimizer(Optimizer&&) = default;
  Optimizer& operator=(const Optimizer& other);
  Optimizer& operator=(Optimizer&&) = default;

  [[nodiscard]] const UncheckedOptimizer::Options& options_of_core() const noexcept {
    return core_.options();
  }

 private:
  /// Checks the optimizer and its trainables.
  void check_in_use() const;

  UncheckedOptimizer core_;
};

/// Stochastic gradient descent: b ← momentum · b + g + weight_decay · p, p ← p − learning_rate · b.
/// Source: PyTorch, `torch.optim.SGD`, without dampening and Nesterov's variant.
class SGD final : public Optimizer {
 public:
  /// Throws `Error` (invalid-option) for options outside their range, and for no trainables, or the
  /// same twice.
  explicit SGD(const Trainables& trainables, const SGDOptions& options = {});
};

/// Adam (Kingma and Ba 2015) with the decoupled decay of AdamW (Loshchilov and Hutter 2019).
/// Source: PyTorch, `torch.optim.AdamW`; without weight decay it is `torch.optim.Adam`.
class Adam final : public Optimizer {
 public:
  /// Throws as `SGD` does.
  explicit Adam(const Trainables& trainables, const AdamOptions& options = {});

  /// The options, with the current learning rate.
  [[nodiscard]] AdamOptions options() const noexcept;
};

/// Returns the norm of all gradients together and multiplies them by min(1, max_norm / (norm +
/// 1e-6)), so that it is at most `max_norm` afterwards. Source: PyTorch,
/// `torch.nn.utils.clip_grad_norm_`. Throws `Error` (invalid-option) unless `max_norm` is finite
/// and at least 0; out-of-memory, and nothing is changed.
double clip_gradient_norm(const Trainables& trainables, double max_norm);

}  // namespace headwise
