#include <headwise/api/validation.hpp>
#include <headwise/api/validation_model_options.hpp>
#include <headwise/api/validation_options.hpp>
#include <headwise/api/validation_training.hpp>
#include <headwise/error.hpp>
#include <headwise/optimizers.hpp>
#include <utility>

namespace headwise {
Optimizer::Optimizer(const Trainables& trainables, const UncheckedOptimizer::Options& options)
    : core_(report_out_of_memory([&] {
        validation::check_trainables(trainables);
        validation::check_optimizer_options(options);
        return UncheckedOptimizer(trainables, options);
      })) {}

Optimizer::Optimizer(const Optimizer& other) : core_(copied(other.core_)) {}

Optimizer& Optimizer::operator=(const Optimizer& other) {
  core_ = copied(other.core_);
  return *this;
}

void Optimizer::check_in_use() const {
  report_out_of_memory([&] {
    validation::check_in_use(core_.in_use(), "optimizer");
    validation::check_in_use(core_.trainables_in_use(), "layer");
  });
}

UncheckedOptimizer& Optimizer::core() {
  check_in_use();
  return core_;
}

void Optimizer::step() {
  check_in_use();
  core_.step(report_out_of_memory([&] {
    validation::check_can_be_trained(core_);
    return core_.allocate_step(false);
  }));
}

void Optimizer::zero_gradients() const {
  check_in_use();
  core_.zero_gradients();
}

void Optimizer::set_learning_rate(double learning_rate) {
  check_in_use();
  report_out_of_memory([&] { validation::check_at_least_0("learning_rate", learning_rate); });
  core_.set_learning_rate(learning_rate);
}

SGD::SGD(const Trainables& trainables, const SGDOptions& options)
    : Optimizer(trainables, options) {}

Adam::Adam(const Trainables& trainables, const AdamOptions& options)
    : Optimizer(trainables, options) {}

AdamOptions Adam::options() const noexcept { return std::get<AdamOptions>(options_of_core()); }

double clip_gradient_norm(const Trainables& trainables, double max_norm) {
  return report_out_of_memory([&] {
    validation::check_trainables(trainables);
    validation::check_at_least_0("max_norm", max_norm);
    for (const Trainable* trainable : trainables) {
      validation::check_in_use(trainable->in_use(), "layer");
    }
    const double norm = gradient_norm(trainables);
    scale_gradients_to(max_norm, norm, trainables);
    return norm;
  });
}

}  // namespace headwise
