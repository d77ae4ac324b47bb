#include "training_calls.hpp"

#include <algorithm>
#include <headwise/optimizers.hpp>
#include <headwise/attention_only_transformer.hpp>
#include <headwise/core/parallel/for_each.hpp>
#include <vector>

#include "layer_calls.hpp"

namespace headwise::bindings {
namespace {

std::vector<Trainable*> read_trainables(Address address) {
  Record record(address);
  std::vector<Trainable*> trainables;
  for (std::size_t left = record.size(); left > 0; --left) {
    const bool is_model = record.flag();
    const Address trainable = record.size();
    if (is_model) {
      std::ranges::copy(at<AttentionOnlyTransformer>(trainable)->trainables(),
                        std::back_inserter(trainables));
    } else {
      trainables.push_back(&layer_at(trainable));
    }
  }
  return trainables;
}

Optimizer& optimizer_at(Address optimizer) noexcept { return *at<Optimizer>(optimizer); }

/// JavaScript owns it.
template <typename Kind, typename Options>
Address new_optimizer(Address trainables, const Options& options) {
  Optimizer* const optimizer =
      new Kind(read_trainables(trainables), options);  // NOLINT(*-owning-memory)
  return address_of(optimizer);
}

}  // namespace

std::size_t pending_backward(Address layer) {
  return static_cast<std::size_t>(layer_at(layer).pending_backward());
}

double backward_workspace_size(Address layer) {
  const AttentionMask& sizes = layer_at(layer).pending_sizes();
  return layer_at(layer).backward_workspace_size(
      static_cast<double>(sizes.batch), static_cast<double>(sizes.num_queries),
      static_cast<double>(sizes.num_keys), static_cast<double>(parallel::num_threads()));
}

void backward(Address layer, Address address) {
  Record record(address);
  BackwardArguments arguments;
  arguments.grad_output = record.pointer<const float>();
  arguments.queries = record.pointer<float>();
  arguments.keys = record.pointer<float>();
  arguments.values = record.pointer<float>();
  arguments.head_gate = record.pointer<float>();
  arguments.workspace = record.pointer<float>();
  arguments.num_threads = parallel::num_threads();
  layer_at(layer).backward_into(arguments);
}

Address gradient(Address layer, std::size_t number) {
  return address_of(layer_at(layer).gradient(number));
}

void zero_gradients(Address layer) { layer_at(layer).zero_gradients(); }

void parameters_changed(Address layer) { layer_at(layer).parameters_changed(); }

void remove_heads(Address layer, Address address) {
  Record record(address);
  MultiHeadAttention& pruned = layer_at(layer);
  pruned.remove_heads(pruned.allocate_without(read_heads(record)));
}

Address new_sgd(Address trainables, double learning_rate, double momentum, double weight_decay) {
  return new_optimizer<SGD>(trainables, SGDOptions{.learning_rate = learning_rate,
                                                   .momentum = momentum,
                                                   .weight_decay = weight_decay});
}

Address new_adam(Address trainables, double learning_rate, double beta_1, double beta_2,
                 double epsilon, double weight_decay) {
  return new_optimizer<Adam>(trainables, AdamOptions{.learning_rate = learning_rate,
                                                     .betas = {beta_1, beta_2},
                                                     .epsilon = epsilon,
                                                     .weight_decay = weight_decay});
}

void delete_optimizer(Address optimizer) { delete at<Optimizer>(optimizer); }

void set_learning_rate(Address optimizer, double learning_rate) {
  optimizer_at(optimizer).set_learning_rate(learning_rate);
}

void step(Address optimizer) { optimizer_at(optimizer).step(); }

void zero_all_gradients(Address optimizer) { optimizer_at(optimizer).zero_gradients(); }

double clip_gradient_norm(Address trainables, double max_norm) {
  return headwise::clip_gradient_norm(read_trainables(trainables), max_norm);
}

}  // namespace headwise::bindings
