#pragma once

#include <concepts>
#include <headwise/core/training/trainable.hpp>
#include <headwise/error.hpp>
#include <initializer_list>
#include <vector>

namespace headwise {

/// A layer, a model, or a list of pointers to layers and parts of models, for an optimizer.
class Trainables : public std::vector<Trainable*> {
 public:
  Trainables(Trainable& layer)  // NOLINT(*-explicit-*)
      : vector(report_out_of_memory([&] { return vector{&layer}; })) {}
  template <typename Model>
    requires requires(Model& model) {
      { model.trainables() } -> std::same_as<std::vector<Trainable*>>;
    }
  Trainables(Model& model) : vector(model.trainables()) {}  // NOLINT(*-explicit-*)
  Trainables(const std::vector<Trainable*>& trainables)     // NOLINT(*-explicit-*)
      : vector(report_out_of_memory([&] { return vector(trainables); })) {}
  Trainables(std::initializer_list<Trainable*> trainables)
      : vector(report_out_of_memory([&] { return vector(trainables); })) {}
};

}  // namespace headwise
