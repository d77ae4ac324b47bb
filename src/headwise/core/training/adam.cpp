#include <cmath>
#include <headwise/adam.hpp>
#include <headwise/api/validation.hpp>
#include <headwise/api/validation_training.hpp>
#include <headwise/core/kernels/dispatch.hpp>

namespace headwise {
namespace {

/// By squaring: the standard library's takes 2 KB of a WebAssembly module.
double power(double base, std::size_t exponent) noexcept {
  double result = 1;
  for (; exponent > 0; exponent /= 2, base *= base) {
    result *= exponent % 2 == 1 ? base : 1;
  }
  return result;
}

}  // namespace

Adam::Adam(const std::vector<Trainable*>& trainables, const AdamOptions& options)
    : Optimizer(trainables, 2, options.learning_rate), options_(options) {
  if constexpr (validation::enabled) {
    report_out_of_memory([&] {
      validation::check_betas(options.betas);
      validation::check_at_least_0("epsilon", options.epsilon);
      validation::check_at_least_0("weight_decay", options.weight_decay);
    });
  }
}

AdamOptions Adam::options() const noexcept {
  AdamOptions now = options_;
  now.learning_rate = learning_rate();
  return now;
}

void Adam::update(const TrainableParameter& parameter, float* state,
                  std::size_t step) const noexcept {
  const auto [beta_1, beta_2] = options_.betas;
  const auto factor = [](double number) { return static_cast<float>(number); };
  kernels::adam_step(parameter.values, parameter.gradients, state, state + parameter.size(),
                     parameter.size(),
                     {.beta_1 = factor(beta_1),
                      .rest_1 = factor(1 - beta_1),
                      .beta_2 = factor(beta_2),
                      .rest_2 = factor(1 - beta_2),
                      .decay = factor(1 - learning_rate() * options_.weight_decay),
                      .step_size = factor(learning_rate() / (1 - power(beta_1, step))),
                      .root_correction = factor(std::sqrt(1 - power(beta_2, step))),
                      .epsilon = factor(options_.epsilon)});
}

}  // namespace headwise
