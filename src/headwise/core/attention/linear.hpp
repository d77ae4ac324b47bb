#pragma once

#include <cstddef>
#include <cstdint>
#include <headwise/tensor.hpp>
#include <optional>

namespace headwise {

/// y = x Wᵀ + b with W (out, in) and b (out,): PyTorch's `nn.Linear`. With groups, group g of the
/// outputs sees group g of the inputs only and W is (out, in / groups): `nn.Conv1d` of kernel
/// size 1. The weights are packed for the matrix kernel at their first use after a change.
class Linear {
 public:
  struct Sizes {
    std::size_t in;
    std::size_t out;
    std::size_t groups = 1;
  };

  Linear(const Sizes& sizes, bool bias);

  /// PyTorch's default: weight and bias from U(−1/√n, 1/√n) with n the inputs of one output.
  /// `stream` and the one after it are drawn from.
  void initialize(std::uint64_t seed, std::uint32_t stream) noexcept;

  [[nodiscard]] const Tensor<2>& weight() const noexcept { return weight_; }
  [[nodiscard]] const std::optional<Tensor<1>>& bias() const noexcept { return bias_; }

  /// For writing; `invalidate` afterwards.
  [[nodiscard]] float* weight_data() noexcept { return weight_.data(); }
  [[nodiscard]] float* bias_data() noexcept { return bias_.has_value() ? bias_->data() : nullptr; }
  /// The weights were written: the next projection packs anew.
  void invalidate() noexcept { packed_is_current_ = false; }

  /// Packs the weights if they have changed. `project` needs that.
  void pack() noexcept;

  /// The columns [first, first + count) of outputs (rows, out) for inputs (rows, in), both
  /// contiguous. `first` is where a panel begins.
  void project(const float* inputs, std::size_t rows, std::size_t first, std::size_t count,
               float* outputs) const noexcept;

  [[nodiscard]] const Sizes& sizes() const noexcept { return sizes_; }

 private:
  [[nodiscard]] std::size_t group_in() const noexcept { return sizes_.in / sizes_.groups; }
  [[nodiscard]] std::size_t group_out() const noexcept { return sizes_.out / sizes_.groups; }
  /// Floats of one group's packed weights.
  [[nodiscard]] std::size_t packed_size() const noexcept;

  Sizes sizes_;
  Tensor<2> weight_;
  std::optional<Tensor<1>> bias_;
  /// Each group's weights packed, one after the other.
  Tensor<1> packed_weight_;
  bool packed_is_current_ = false;
};

}  // namespace headwise
