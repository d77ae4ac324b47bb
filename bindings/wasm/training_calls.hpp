#pragma once

#include <cstddef>

#include "record.hpp"

/// Backward passes and optimizers.
namespace headwise::bindings {

void backward(Address layer, Address record);
void zero_gradients(Address layer);

void parameters_changed(Address layer);

/// Checks and removes heads: `count` doubles.
void remove_heads(Address layer, Address heads, std::size_t count);

/// Returns the address of a new optimizer of these `Trainables`.
Address new_sgd(Address trainables, double learning_rate, double momentum, double weight_decay);
Address new_adam(Address trainables, double learning_rate, double beta_1, double beta_2,
                 double epsilon, double weight_decay);
void delete_optimizer(Address optimizer);
void set_learning_rate(Address optimizer, double learning_rate);
void step(Address optimizer);
void zero_all_gradients(Address optimizer);

double clip_gradient_norm(Address trainables, double max_norm);

}  // namespace headwise::bindings
