#pragma once

#include <cstddef>
#include <cstdint>
#include <headwise/core/attention/attention_types.hpp>
#include <headwise/core/attention/heads_view.hpp>
#include <headwise/core/kernels/packed_matrix.hpp>
#include <headwise/core/memory/arena.hpp>
#include <span>

/// Linear maps of rows, forward and backward, and the matrix products of gradients.
namespace headwise {

/// y = x Wᵀ + b with W (out, in) and b (out,): PyTorch's `nn.Linear`. With groups, group g of the
/// outputs reads group g of the inputs only and W is (out, in / groups): `nn.Conv1d` of kernel size
/// 1. It owns nothing that it points to.
struct Linear {
  struct Sizes {
    std::size_t in;
    std::size_t out;
    std::size_t groups = 1;

    [[nodiscard]] std::size_t group_in() const noexcept { return in / groups; }
    [[nodiscard]] std::size_t group_out() const noexcept { return out / groups; }
    /// Floats of the memory for all groups' packed weights, saturated.
    [[nodiscard]] std::size_t packed_size(Precision packed_as) const noexcept;
  };

  Sizes sizes{};
  const float* weight = nullptr;             ///< null if the packed weights are all there is
  const float* bias = nullptr;               ///< null for none
  const float* packed = nullptr;             ///< by `pack`, or by `pack_rows`
  Precision precision = Precision::float32;  ///< of the packed weights
};

/// Packs weights for products, each group's after the other: of float32, or rounded to float16.
void pack(const Linear::Sizes& sizes, Precision precision, const float* weight,
          float* packed) noexcept;
/// Packs the weights (rows, in / groups) of the outputs [row, row + rows): of float32, or rounded
/// to integers.
void pack_rows(const Linear::Sizes& sizes, Precision precision, std::size_t row, std::size_t rows,
               const float* weights, float* packed) noexcept;

/// Weights of the outputs [row, row + rows) for the inputs [first, first + count) of their groups.
struct PartOfWeights {
  std::size_t row;
  std::size_t rows;
  std::size_t first;
  std::size_t count;
};

/// Copies weights to rows `stride` floats apart.
void copy_weights(const Linear& linear, PartOfWeights part, float* to, std::size_t stride) noexcept;

/// A projection of rows: inputs (rows, in) → outputs (rows, out).
struct RowProjection {
  Linear linear;
  const float* inputs = nullptr;
  float* outputs = nullptr;
  std::size_t rows = 0;
  /// One mark per row: rows marked 0 are not read, and their outputs are zeros. Null marks every
  /// row.
  const std::uint8_t* read = nullptr;
};

/// Computes all projections on up to `num_threads` threads.
void project(std::span<const RowProjection> projections, std::size_t num_threads) noexcept;

/// outputs (rows, out) = what the inputs [first, first + count) give of y, without the bias. Not
/// for groups. `inputs` are those alone, in rows `inputs.stride` floats apart.
void project_inputs(const Linear& linear, std::size_t first, std::size_t count, Rows inputs,
                    std::size_t rows, float* outputs) noexcept;

/// Arguments of the backward pass of y = x Wᵀ + b.
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
struct LinearBackwardMemory {
  float* transposed;  ///< gradients of some outputs for some rows
  ThreadArenas threads;

  static LinearBackwardMemory lay_out(Arena& arena, std::size_t out,
                                      std::size_t num_threads) noexcept;
};

/// dX = dY W, dW += dYᵀ X, db += the sum of dY's rows. Rows of dY that are 0 are skipped, so that
/// keys that no query reads affect no gradient, even if they hold NaN or infinity.
void linear_backward(const Linear& linear, const LinearBackward& backward, Arena& arena) noexcept;

/// C (rows, columns) = scale · A (rows, depth) · B (depth, columns) + addend, for a B that is not
/// packed. `packed` is memory for it, of `kernels::packed_size` floats.
void pack_and_gemm(std::size_t rows, std::size_t columns, std::size_t depth,
                   kernels::StridedMatrix a, Rows b, float scale, kernels::Addend addend, float* c,
                   std::size_t c_stride, float* packed) noexcept;

/// C += scale · A · B, skipping zeros of A: 0 times NaN or infinity would be NaN.
void gemm_skipping_zeros(std::size_t rows, std::size_t columns, std::size_t depth,
                         kernels::StridedMatrix a, Rows b, float scale, float* c,
                         std::size_t c_stride) noexcept;

}  // namespace headwise
