#pragma once

#include <cstddef>
#include <cstdint>
#include <headwise/tensor.hpp>
#include <optional>

namespace headwise {

/// y = x Wᵀ + b with W (out, in) and b (out,): PyTorch's `nn.Linear`. The weights are packed for
/// the matrix kernel at their first use after a change.
class Linear {
 public:
  Linear(std::size_t in, std::size_t out, bool bias);

  /// PyTorch's default: weight and bias from U(−1/√in, 1/√in). `stream` and the one after it are
  /// drawn from.
  void initialize(std::uint64_t seed, std::uint32_t stream) noexcept;

  [[nodiscard]] const Tensor<2>& weight() const noexcept { return weight_; }
  [[nodiscard]] const std::optional<Tensor<1>>& bias() const noexcept { return bias_; }

  /// For writing: the next projection packs anew.
  [[nodiscard]] Tensor<2>& mutable_weight() noexcept;
  [[nodiscard]] std::optional<Tensor<1>>& mutable_bias() noexcept { return bias_; }

  /// inputs (rows, in) → outputs (rows, out), both contiguous.
  void project(const float* inputs, std::size_t rows, float* outputs);

 private:
  Tensor<2> weight_;
  std::optional<Tensor<1>> bias_;
  Tensor<1> packed_weight_;
  bool packed_is_current_ = false;
};

}  // namespace headwise
