#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace headwise {

/// A parameter and its gradient, both row-major (rows, columns); a vector has one column.
struct TrainableParameter {
  std::string_view name;  ///< no other's of the same trainable; its letters outlive optimizers
  float* values;
  float* gradients;  ///< null as long as there was no backward
  std::size_t rows;
  std::size_t columns;

  [[nodiscard]] std::size_t size() const noexcept { return rows * columns; }
};

/// Neighbouring rows, or columns, that were cut out of a parameter for good.
struct RemovedSlice {
  enum class Axis : unsigned char { rows, columns };

  std::string_view name;  ///< of the parameter
  Axis axis;
  std::size_t first;  ///< as the parameter was before
  std::size_t count;
};

/// Cuts a slice out of a row-major matrix, the rest moving together at its beginning. `rows` and
/// `columns` are those before.
void cut_slice(float* matrix, std::size_t rows, std::size_t columns,
               const RemovedSlice& slice) noexcept;

/// What has parameters to train: the layer, or a part of a model.
class Trainable {
 public:
  /// Whether it was not moved from.
  [[nodiscard]] virtual bool in_use() const noexcept { return true; }

  /// Parameters and gradients as they lie now, in the same order every time; none while sizes are
  /// unknown. What has no gradients is not trained. Throws `Error` (disposed, out-of-memory).
  [[nodiscard]] virtual std::vector<TrainableParameter> trainable_parameters() = 0;

  /// Writes where the values and gradients of `trainable_parameters`, asked for before, lie now.
  /// Allocates nothing. Of what never moves there is nothing to write.
  virtual void locate(std::span<TrainableParameter> /*parameters*/) noexcept {}

  /// To be called when values were written, at any time since they were asked for: what was
  /// computed from the old ones is invalid.
  virtual void parameters_changed() noexcept = 0;

  /// Makes the gradients of the parameters 0. Throws `Error` (out-of-memory) where listing them
  /// needs memory, which it does not in the library's own.
  virtual void zero_gradients();

  /// Every slice ever removed, the first one first, for who keeps numbers beside the parameters.
  [[nodiscard]] virtual std::span<const RemovedSlice> removed_slices() const noexcept = 0;

 protected:
  Trainable() = default;
  Trainable(const Trainable&) = default;
  Trainable(Trainable&&) = default;
  Trainable& operator=(const Trainable&) = default;
  Trainable& operator=(Trainable&&) = default;
  ~Trainable() = default;
};

}  // namespace headwise
