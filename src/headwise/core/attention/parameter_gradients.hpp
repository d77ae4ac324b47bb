#pragma once

#include <array>
#include <cstddef>
#include <headwise/core/attention/layer_parameters.hpp>
#include <headwise/core/attention/parameter_names.hpp>
#include <headwise/tensor.hpp>
#include <utility>

namespace headwise {

/// Gradients of a layer's parameters, in one piece. None until they are made, nor when they were
/// moved away.
class ParameterGradients {
 public:
  ParameterGradients() = default;
  ParameterGradients(const ParameterGradients&) = default;
  ParameterGradients(ParameterGradients&& other) noexcept { *this = std::move(other); }
  ParameterGradients& operator=(const ParameterGradients&) = default;
  ParameterGradients& operator=(ParameterGradients&& other) noexcept {
    floats_ = std::move(other.floats_);
    offsets_ = other.offsets_;
    has_ = other.has_;
    exist_ = std::exchange(other.exist_, false);
    return *this;
  }
  ~ParameterGradients() = default;
  /// Zeros for every parameter that a layer of these settings has.
  ParameterGradients(const LayerSettings& settings, const InputSizes& sizes);

  [[nodiscard]] bool exist() const noexcept { return exist_; }

  /// The gradient of a parameter by its number, of the parameter's shape; null if there is none.
  [[nodiscard]] float* data(std::size_t number) noexcept {
    return has_[number] ? floats_.data() + offsets_[number] : nullptr;
  }
  [[nodiscard]] const float* data(std::size_t number) const noexcept {
    return has_[number] ? floats_.data() + offsets_[number] : nullptr;
  }

  void zero() noexcept {
    if (exist_) {
      floats_.fill(0.0F);
    }
  }

 private:
  Tensor<1> floats_;
  std::array<std::size_t, parameter_names.size()> offsets_{};
  std::array<bool, parameter_names.size()> has_{};
  bool exist_ = false;
};

}  // namespace headwise
