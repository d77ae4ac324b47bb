#include <headwise/api/validation.hpp>
#include <headwise/api/validation_training.hpp>
#include <headwise/core/kernels/dispatch.hpp>
#include <headwise/sgd.hpp>

namespace headwise {

SGD::SGD(const std::vector<Trainable*>& trainables, const SGDOptions& options)
    : Optimizer(trainables, 1, options.learning_rate), options_(options) {
  if constexpr (validation::enabled) {
    report_out_of_memory([&] {
      validation::check_at_least_0("momentum", options.momentum);
      validation::check_at_least_0("weight_decay", options.weight_decay);
    });
  }
}

void SGD::update(const TrainableParameter& parameter, float* state,
                 std::size_t /*step*/) const noexcept {
  kernels::sgd_step(parameter.values, parameter.gradients, state, parameter.size(),
                    {.learning_rate = static_cast<float>(learning_rate()),
                     .momentum = static_cast<float>(options_.momentum),
                     .weight_decay = static_cast<float>(options_.weight_decay)});
}

}  // namespace headwise
