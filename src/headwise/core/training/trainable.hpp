#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <headwise/core/memory/parameter_table.hpp>
#include <headwise/core/memory/zeros.hpp>
#include <span>
#include <string_view>
#include <vector>

namespace headwise {

/// A parameter and its gradient, both row-major (rows, columns); a vector has one column.
struct TrainableParameter {
  std::string_view name;  ///< owned by the trainable
  float* values;
  float* gradients;  ///< null before the first backward
  std::size_t rows;
  std::size_t columns;

  [[nodiscard]] std::size_t size() const noexcept { return rows * columns; }
};

/// Something with parameters to train: a layer, or a model's parameters outside its layers.
class Trainable {
 public:
  /// Whether it was not moved from.
  [[nodiscard]] virtual bool in_use() const noexcept { return true; }

  /// A number that changes when the object is assigned to. State kept for its parameters is then
  /// obsolete.
  [[nodiscard]] virtual std::uint64_t identity() const noexcept { return 0; }

  /// The name of its weights' precision. Only float32 is trained: rounded weights would stay where
  /// they are at small steps.
  [[nodiscard]] virtual std::string_view weights_precision() const noexcept { return "float32"; }

  /// Names and shapes of its parameters; empty while sizes are unknown.
  [[nodiscard]] virtual const ParameterTable& parameter_table() const noexcept = 0;
  /// A block of values in the table's layout; null if weights are held as integers, so that it
  /// cannot be trained. The first call allocates it; later ones allocate nothing and return the
  /// same address. Call `parameters_changed` after writing.
  [[nodiscard]] virtual float* parameter_values() = 0;
  /// A block of gradients; null before the first backward. Optimizers skip trainables without
  /// gradients.
  [[nodiscard]] virtual float* parameter_gradients() noexcept = 0;

  /// Must be called after values were written: invalidates what was computed from the old ones.
  virtual void parameters_changed() noexcept { ++version_; }
  /// Changes whenever parameters change.
  [[nodiscard]] std::uint64_t version() const noexcept { return version_; }

  /// All slices removed so far, the oldest first, for owners of numbers per parameter.
  [[nodiscard]] virtual std::span<const RemovedSlice> removed_slices() const noexcept = 0;

  /// Makes the gradients of the parameters 0.
  void zero_gradients() noexcept {
    if (float* gradients = parameter_gradients(); gradients != nullptr) {
      write_zeros(gradients, parameter_table().size());
    }
  }

  /// The parameters one by one, at their present addresses. From the first call on, as from the
  /// first pass that requires gradients, float32 weights take 8 bytes each instead of 4. Throws
  /// `Error` (invalid-option) for weights of int8 or int4, which are not floats, `Error` (disposed,
  /// out-of-memory).
  [[nodiscard]] std::vector<TrainableParameter> trainable_parameters();

 protected:
  Trainable() = default;
  Trainable(const Trainable&) = default;
  Trainable(Trainable&&) = default;
  Trainable& operator=(const Trainable&) = default;
  Trainable& operator=(Trainable&&) = default;
  ~Trainable() = default;

 private:
  std::uint64_t version_ = 0;
};

}  // namespace headwise
