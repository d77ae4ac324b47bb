#pragma once

namespace headwise::kernels {

/// What a step of stochastic gradient descent multiplies by.
struct SGDFactors {
  float learning_rate;
  float momentum;
  float weight_decay;
};

/// What a step of Adam multiplies by. Beside β₁ and β₂ stand 1 − β₁ and 1 − β₂, rounded once.
struct AdamFactors {
  float beta_1;
  float rest_1;
  float beta_2;
  float rest_2;
  float decay;
  float step_size;
  float root_correction;
  float epsilon;
};

}  // namespace headwise::kernels
