#include "training_calls.hpp"

#include <headwise/api/validation.hpp>
#include <headwise/api/validation_model_options.hpp>
#include <headwise/api/validation_options.hpp>
#include <headwise/api/validation_training.hpp>
#include <headwise/core/training/unchecked_optimizer.hpp>
#include <vector>

#include "layer_calls.hpp"
#include "memory.hpp"
#include "model.hpp"
#include "records.hpp"
#include "results.hpp"

namespace headwise::bindings {
namespace {

std::vector<Trainable*> read_trainables(Address address) {
  std::vector<Trainable*> trainables;
  for (const TrainableAddress& each : message_at<Trainables>(address).trainables) {
    if (each.is_model) {
      for (Trainable* trainable : static_cast<Model*>(each.address)->transformer.trainables()) {
        trainables.push_back(trainable);
      }
    } else {
      trainables.push_back(static_cast<MultiHeadAttention*>(each.address));
    }
  }
  validation::check_trainables(trainables);
  return trainables;
}

UncheckedOptimizer& optimizer_at(Address optimizer) noexcept {
  return *at<UncheckedOptimizer>(optimizer);
}

/// JavaScript owns it.
Address new_optimizer(Address trainables, const UncheckedOptimizer::Options& options) {
  validation::check_optimizer_options(options);
  return address_of(
      new UncheckedOptimizer(read_trainables(trainables), options));  // NOLINT(*-owning-memory)
}

}  // namespace

void backward(Address layer, Address address) {
  Results results;
  layer_at(layer).backward(record_at<BackwardRecord>(address).grad_output, results);
}

void zero_gradients(Address layer) { layer_at(layer).zero_gradients(); }

void parameters_changed(Address layer) { layer_at(layer).parameters_changed(); }

void remove_heads(Address layer, Address heads, std::size_t count) {
  MultiHeadAttention& pruned = layer_at(layer);
  pruned.remove_heads(pruned.allocate_without(
      validation::check_prune_heads(pruned, {at<const double>(heads), count})));
}

Address new_sgd(Address trainables, double learning_rate, double momentum, double weight_decay) {
  return new_optimizer(trainables, SGDOptions{.learning_rate = learning_rate,
                                              .momentum = momentum,
                                              .weight_decay = weight_decay});
}

Address new_adam(Address trainables, double learning_rate, double beta_1, double beta_2,
                 double epsilon, double weight_decay) {
  return new_optimizer(trainables, AdamOptions{.learning_rate = learning_rate,
                                               .betas = {beta_1, beta_2},
                                               .epsilon = epsilon,
                                               .weight_decay = weight_decay});
}

void delete_optimizer(Address optimizer) { delete at<UncheckedOptimizer>(optimizer); }

void set_learning_rate(Address optimizer, double learning_rate) {
  validation::check_at_least_0("learning_rate", learning_rate);
  optimizer_at(optimizer).set_learning_rate(learning_rate);
}

void step(Address optimizer) {
  validation::check_can_be_trained(optimizer_at(optimizer));
  optimizer_at(optimizer).step(optimizer_at(optimizer).allocate_step(false));
}

void zero_all_gradients(Address optimizer) { optimizer_at(optimizer).zero_gradients(); }

double clip_gradient_norm(Address trainables, double max_norm) {
  const std::vector<Trainable*> list = read_trainables(trainables);
  validation::check_at_least_0("max_norm", max_norm);
  const double norm = gradient_norm(list);
  scale_gradients_to(max_norm, norm, list);
  return norm;
}

}  // namespace headwise::bindings
