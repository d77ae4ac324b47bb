#pragma once

#include <cstddef>
#include <cstdint>
#include <headwise/core/attention/heads_view.hpp>
#include <headwise/core/kernels/packed_matrix.hpp>
#include <headwise/core/memory/arena.hpp>
#include <span>

/// Linear maps of rows, forward and backward, and the products that gradients are made of.
namespace headwise {

/// y = x Wᵀ + b with W (out, in) and b (out,): PyTorch's `nn.Linear`. With groups, group g of the
/// outputs sees group g of the inputs only and W is (out, in / groups): `nn.Conv1d` of kernel
/// size 1. What it points to is the caller's.
struct Linear {
  struct Sizes {
    std::size_t in;
    std::size_t out;
    std::size_t groups = 1;

    [[nodiscard]] std::size_t group_in() const noexcept { return in / groups; }
    [[nodiscard]] std::size_t group_out() const noexcept { return out / groups; }
    /// Floats of all groups' packed weights, saturated.
    [[nodiscard]] std::size_t packed_size() const noexcept;
  };

  Sizes sizes{};
  const float* weight = nullptr;
  const float* bias = nullptr;  ///< null without
  /// The weights as `pack` lays them out; what only goes backward needs none.
  const float* packed = nullptr;
};

/// Packs the weights for the matrix kernel: each group's, one after the other.
void pack(const Linear::Sizes& sizes, const float* weight, float* packed) noexcept;

/// Rows to be projected: inputs (rows, in) → outputs (rows, out).
struct RowProjection {
  Linear linear;
  const float* inputs = nullptr;
  float* outputs = nullptr;
  std::size_t rows = 0;
  /// A mark a row: only those that are not 0 are projected, and the others' outputs are zeros. What
  /// masked memory holds is never looked at. Null marks every row.
  const std::uint8_t* read = nullptr;
};

/// All of them, by as many of the threads as is worth it.
void project(std::span<const RowProjection> projections, std::size_t num_threads) noexcept;

/// One projection y = x Wᵀ + b and the gradient of y, and where the other gradients go.
struct LinearBackward {
  const float* inputs = nullptr;    ///< (rows, in)
  const float* gradient = nullptr;  ///< (rows, out)
  std::size_t rows = 0;
  float* input_gradient = nullptr;   ///< (rows, in), written
  float* weight_gradient = nullptr;  ///< (out, in / groups), added to
  float* bias_gradient = nullptr;    ///< (out,), added to; null without bias
  std::size_t num_threads = 1;
};

/// Working memory of `linear_backward` for a map to `out` outputs.
ThreadArenas lay_out_linear_backward(Arena& arena, std::size_t out,
                                     std::size_t num_threads) noexcept;

/// dX = dY W, dW += dYᵀ X, db += the sum of dY's rows. A row whose gradient is 0 adds nothing,
/// whatever its input holds: what no query reads reaches no gradient, NaN and infinity included.
void linear_backward(const Linear& linear, const LinearBackward& backward, Arena& arena) noexcept;

/// C (rows, columns) = scale · A (rows, depth) · B (depth, columns) + addend, with B as it lies.
/// `packed` is room for B packed, of the size that `kernels::packed_size` says.
void multiply_unpacked(std::size_t rows, std::size_t columns, std::size_t depth,
                       kernels::StridedMatrix a, Rows b, float scale, kernels::Addend addend,
                       float* c, std::size_t c_stride, float* packed) noexcept;

/// C += scale · A · B. Where A is 0 it adds nothing, whatever B holds: 0 times NaN or infinity
/// would be NaN.
void add_product_of_nonzeros(std::size_t rows, std::size_t columns, std::size_t depth,
                             kernels::StridedMatrix a, Rows b, float scale, float* c,
                             std::size_t c_stride) noexcept;

}  // namespace headwise
