#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <headwise/tensor.hpp>
#include <numeric>
#include <span>

/// Inputs and results in memory that the caller owns, of any number of axes.
namespace headwise {

/// Row-major numbers that a call reads; by default none.
template <typename Number>
struct Input {
  Input() = default;
  template <std::size_t Rank>
    requires std::same_as<Number, float>
  Input(const TensorView<Rank>& tensor) noexcept  // NOLINT(*-explicit-*)
      : data(tensor.data()), shape(tensor.shape()) {}
  Input(const Number* numbers, std::span<const std::size_t> axes) noexcept
      : data(numbers), shape(axes) {}

  [[nodiscard]] bool is_given() const noexcept { return data != nullptr || !shape.empty(); }
  [[nodiscard]] std::span<const Number> numbers() const noexcept {
    return {data, is_given() ? std::accumulate(shape.begin(), shape.end(), std::size_t{1},
                                               std::multiplies<>())
                             : 0};
  }
  /// Sizes of the last axis but one, and of the last; 0 if it is not given.
  [[nodiscard]] std::size_t length() const noexcept {
    return is_given() ? shape[shape.size() - 2] : 0;
  }
  [[nodiscard]] std::size_t size() const noexcept { return is_given() ? shape.back() : 0; }

  const Number* data = nullptr;
  std::span<const std::size_t> shape = {};
};

using InputTensor = Input<float>;

/// A tensor that a pass returns: the members of `ForwardResult`, `CapturedTensors` and
/// `BackwardResult`.
enum class ResultName : unsigned char {
  output,
  attention_weights,
  key_mass,
  captured_queries,
  captured_keys,
  captured_values,
  captured_scores,
  captured_pooled,
  dropped_weights,
  gradient_of_queries,
  gradient_of_keys,
  gradient_of_values,
  gradient_of_head_gate,
};

/// Provides the memory that a pass writes its results to.
class ResultMemory {
 public:
  /// Returns memory for a result of this shape, or null to receive the result by `take`. The shape
  /// has a batch axis, except for gradients of inputs without one. Called after shapes and values
  /// are checked and before anything is changed, so it may throw.
  virtual float* of(ResultName name, std::span<const std::size_t> shape) = 0;
  /// Receives a result at the end of the call. Its memory is valid until this function returns.
  virtual void take(ResultName /*name*/, const float* /*numbers*/) noexcept {}

 protected:
  ResultMemory() = default;
  ResultMemory(const ResultMemory&) = default;
  ResultMemory(ResultMemory&&) = default;
  ResultMemory& operator=(const ResultMemory&) = default;
  ResultMemory& operator=(ResultMemory&&) = default;
  ~ResultMemory() = default;
};

}  // namespace headwise
