#pragma once

#include <headwise/optimizer.hpp>
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

/// Stochastic gradient descent: b ← momentum · b + g + weight_decay · p, p ← p − learning_rate · b.
/// Source: PyTorch, `torch.optim.SGD`, without dampening and Nesterov's variant.
class SGD final : public Optimizer {
 public:
  /// Throws `Error` (invalid-option) for options outside their range, and for nothing, or the same
  /// twice, to train.
  explicit SGD(const std::vector<Trainable*>& trainables, const SGDOptions& options = {});

 private:
  void update(const TrainableParameter& parameter, float* state,
              std::size_t step) const noexcept override;

  SGDOptions options_;
};

}  // namespace headwise
