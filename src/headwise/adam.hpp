#pragma once

#include <array>
#include <headwise/optimizer.hpp>
#include <vector>

namespace headwise {

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

/// Adam (Kingma and Ba 2015) with the decoupled decay of AdamW (Loshchilov and Hutter 2019).
/// Source: PyTorch, `torch.optim.AdamW`; without weight decay it is `torch.optim.Adam`.
class Adam final : public Optimizer {
 public:
  /// Throws as `SGD` does.
  explicit Adam(const std::vector<Trainable*>& trainables, const AdamOptions& options = {});

  /// As they are now: with the learning rate that was set last.
  [[nodiscard]] AdamOptions options() const noexcept;

 private:
  void update(const TrainableParameter& parameter, float* state,
              std::size_t step) const noexcept override;

  AdamOptions options_;
};

}  // namespace headwise
