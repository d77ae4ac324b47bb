#pragma once

#include <algorithm>
#include <cstddef>
#include <headwise/core/memory/parameter_table.hpp>
#include <span>
#include <string_view>
#include <vector>

namespace headwise {

/// A parameter and its gradient, both row-major (rows, columns); a vector has one column.
struct TrainableParameter {
  std::string_view name;  ///< its letters are the trainable's
  float* values;
  float* gradients;  ///< null as long as there was no backward
  std::size_t rows;
  std::size_t columns;

  [[nodiscard]] std::size_t size() const noexcept { return rows * columns; }
};

/// What has parameters to train: the layer, or a part of a model.
class Trainable {
 public:
  /// Whether it was not moved from.
  [[nodiscard]] virtual bool in_use() const noexcept { return true; }

  /// Names and shapes of its parameters; empty while sizes are unknown.
  [[nodiscard]] virtual const ParameterTable& parameter_table() const noexcept = 0;
  /// The values as the table has them. Whoever writes them calls `parameters_changed`.
  [[nodiscard]] virtual float* parameter_values() noexcept = 0;
  /// Their gradients; null as long as there was no backward. What has none is not trained.
  [[nodiscard]] virtual float* parameter_gradients() noexcept = 0;

  /// To be called when values were written, at any time since they were asked for: what was
  /// computed from the old ones is invalid.
  virtual void parameters_changed() noexcept = 0;

  /// Every slice ever removed, the first one first, for who keeps numbers beside the parameters.
  [[nodiscard]] virtual std::span<const RemovedSlice> removed_slices() const noexcept = 0;

  /// Makes the gradients of the parameters 0.
  void zero_gradients() noexcept {
    if (float* gradients = parameter_gradients(); gradients != nullptr) {
      std::fill_n(gradients, parameter_table().size(), 0.0F);
    }
  }

  /// The parameters one by one, as they lie now. Throws `Error` (disposed, out-of-memory).
  [[nodiscard]] std::vector<TrainableParameter> trainable_parameters();

 protected:
  Trainable() = default;
  Trainable(const Trainable&) = default;
  Trainable(Trainable&&) = default;
  Trainable& operator=(const Trainable&) = default;
  Trainable& operator=(Trainable&&) = default;
  ~Trainable() = default;
};

}  // namespace headwise
