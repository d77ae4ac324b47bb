#include <algorithm>
#include <array>
#include <headwise/core/attention/linear.hpp>
#include <headwise/core/attention/quantized_weights.hpp>
#include <headwise/core/kernels/dispatch.hpp>
#include <headwise/core/memory/zeros.hpp>
#include <headwise/core/parallel/for_each.hpp>

namespace headwise {
namespace {

/// Upper limit of a block's rows: inputs that stay in the inner caches while the weights are
/// streamed.
constexpr std::size_t max_block_rows = 256;
/// Columns of a block, whole panels of any instruction set: blocks small enough for threads to
/// finish at nearly the same time.
constexpr std::size_t block_columns = 128;
/// The same of rounded weights, where a block begins with turning rows into integers.
constexpr std::size_t quantized_block_columns = 384;

constexpr std::size_t divide_up(std::size_t count, std::size_t size) noexcept {
  return (count + size - 1) / size;
}

/// Up to so many rows are multiplied by integers, more by the rounded weights as floats.
constexpr std::size_t max_quantized_rows = 4;
/// Depths of those that are packed at a time: a panel of them stays in the inner cache.
constexpr std::size_t packed_depth = 128;

/// Floats of one group's packed weights.
std::size_t group_size(Precision precision, std::size_t in, std::size_t out) noexcept {
  return precision == Precision::float32 ? kernels::packed_size(in, out)
                                         : quantized_size(precision, out, in);
}

/// The product of many rows and the weights of one panel, (columns, in), which are packed on the
/// stack.
void multiply_panel(const Linear& linear, const float* weight, const float* inputs,
                    std::size_t rows, std::size_t columns, kernels::Addend addend,
                    float* outputs) noexcept {
  std::array<float, packed_depth * kernels::max_panel_width> panel;
  const std::size_t in = linear.sizes.group_in();
  for (std::size_t first = 0; first < in; first += packed_depth) {
    const std::size_t depth = std::min(packed_depth, in - first);
    kernels::pack_columns(weight + first, in, depth, columns, panel.data());
    kernels::gemm(rows, columns, depth, {.data = inputs + first, .row_stride = linear.sizes.in},
                  {.panels = panel.data(), .panel_stride = depth * kernels::panel_width()}, 1.0F,
                  addend, outputs, linear.sizes.out);
    addend = {.data = outputs, .row_stride = linear.sizes.out};
  }
}

/// `columns` outputs, from `column` on, of one group with rounded weights.
void multiply_quantized(const Linear& linear, std::size_t group, std::size_t column,
                        std::size_t columns, const float* inputs, std::size_t rows,
                        const float* bias, float* outputs) noexcept {
  const std::size_t in = linear.sizes.group_in();
  const std::size_t out = linear.sizes.group_out();
  if (rows <= max_quantized_rows) {
    const float* packed = linear.packed + group * group_size(linear.precision, in, out);
    const kernels::QuantizedMatrix weights =
        quantized_weights(linear.precision, out, in, packed, column);
    for (std::size_t row = 0; row < rows; ++row) {
      kernels::quantized_gemv(inputs + row * linear.sizes.in, nullptr, in, weights, columns, 1.0F,
                              bias, outputs + row * linear.sizes.out);
    }
    return;
  }
  const float* weight = linear.weight + (group * out + column) * in;
  const std::size_t width = kernels::panel_width();
  for (std::size_t first = 0; first < columns; first += width) {
    multiply_panel(linear, weight + first * in, inputs, rows, std::min(width, columns - first),
                   {.data = bias != nullptr ? bias + first : nullptr}, outputs + first);
  }
}

/// The columns [first, first + count) of outputs (rows, out) for inputs (rows, in). `first` is
/// where a panel begins.
void project_columns(const Linear& linear, const float* inputs, std::size_t rows, std::size_t first,
                     std::size_t count, float* outputs) noexcept {
  const std::size_t in = linear.sizes.group_in();
  const std::size_t out = linear.sizes.group_out();
  const std::size_t end = first + count;
  while (first < end) {
    const std::size_t group = first / out;
    const std::size_t column = first - group * out;
    const std::size_t columns = std::min(end - first, out - column);
    const float* bias = linear.bias != nullptr ? linear.bias + first : nullptr;
    if (linear.precision != Precision::float32) {
      multiply_quantized(linear, group, column, columns, inputs + group * in, rows, bias,
                         outputs + first);
    } else {
      kernels::gemm(rows, columns, in, {.data = inputs + group * in, .row_stride = linear.sizes.in},
                    {.panels = linear.packed + group * kernels::packed_size(in, out) + column * in,
                     .panel_stride = in * kernels::panel_width()},
                    1.0F, {.data = bias}, outputs + first, linear.sizes.out);
    }
    first += columns;
  }
}

/// One projection cut into blocks of rows and columns.
class Blocks {
 public:
  explicit Blocks(const RowProjection& projection) noexcept
      : projection_(projection),
        row_blocks_(divide_up(projection.rows, max_block_rows)),
        // Each group has panels of its own.
        width_(projection.linear.sizes.groups > 1                  ? projection.linear.sizes.out
               : projection.linear.precision == Precision::float32 ? block_columns
                                                                   : quantized_block_columns),
        column_blocks_(divide_up(projection.linear.sizes.out, width_)) {}

  [[nodiscard]] std::size_t count() const noexcept { return row_blocks_ * column_blocks_; }

  void project(std::size_t block) const noexcept {
    const std::size_t row_block = block / column_blocks_;
    const std::size_t first = block % column_blocks_ * width_;
    const std::size_t rows = projection_.rows;
    project_rows(row_block * rows / row_blocks_, (row_block + 1) * rows / row_blocks_, first,
                 std::min(width_, projection_.linear.sizes.out - first));
  }

 private:
  /// Projects runs of rows with the same mark at once.
  void project_rows(std::size_t first_row, std::size_t end, std::size_t first_column,
                    std::size_t columns) const noexcept {
    const auto& [linear, inputs, outputs, rows, read] = projection_;
    const auto [in, out, groups] = linear.sizes;
    for (std::size_t row = first_row; row < end;) {
      std::size_t next = end;
      if (read != nullptr) {
        const std::uint8_t* other = std::find_if(
            read + row, read + end, [&](std::uint8_t mark) { return mark != read[row]; });
        next = static_cast<std::size_t>(other - read);
      }
      if (read == nullptr || read[row] != 0) {
        project_columns(linear, inputs + row * in, next - row, first_column, columns,
                        outputs + row * out);
        row = next;
      }
      for (; row < next; ++row) {
        write_zeros(outputs + row * out + first_column, columns);
      }
    }
  }

  const RowProjection& projection_;
  std::size_t row_blocks_;
  std::size_t width_;
  std::size_t column_blocks_;
};

/// Rows whose products are summed into a weight's gradient at a time.
constexpr std::size_t rows_summed_at_once = 256;

/// Memory for one packed panel: of the weights' columns, or of `rows_summed_at_once` rows of
/// inputs.
float* take_packed(Arena& arena, std::size_t out) noexcept {
  return arena.take(std::max(rows_summed_at_once, out), kernels::panel_width());
}

bool is_zero_row(const float* row, std::size_t size) noexcept {
  return std::all_of(row, row + size, [](float number) { return number == 0.0F; });
}

/// The gradients of `columns` columns of one group's inputs and weights, from `column` on, for the
/// rows [first, last).
void linear_backward_columns(const Linear& linear, const LinearBackward& backward,
                             std::size_t group, std::size_t column, std::size_t columns,
                             std::size_t first, std::size_t last, float* packed) noexcept {
  const std::size_t in = linear.sizes.group_in();
  const std::size_t out = linear.sizes.group_out();
  const std::size_t in_stride = linear.sizes.in;
  const std::size_t out_stride = linear.sizes.out;
  const std::size_t in_column = group * in + column;
  const float* gradient = backward.gradient + group * out;
  pack_and_gemm(last - first, columns, out,
                {.data = gradient + first * out_stride, .row_stride = out_stride},
                {.data = linear.weight + group * out * in + column, .stride = in}, 1.0F, {},
                backward.input_gradient + first * in_stride + in_column, in_stride, packed);
  float* weight_gradient = backward.weight_gradient + group * out * in + column;
  for (std::size_t row = first; row < last; row += rows_summed_at_once) {
    pack_and_gemm(
        out, columns, std::min(rows_summed_at_once, last - row),
        {.data = gradient + row * out_stride, .row_stride = 1, .depth_stride = out_stride},
        {.data = backward.inputs + row * in_stride + in_column, .stride = in_stride}, 1.0F,
        {.data = weight_gradient, .row_stride = in}, weight_gradient, in, packed);
  }
}

/// The gradients for the rows [first, last). A piece of work is the columns of one panel, which is
/// read right after it is packed.
void linear_backward_rows(const Linear& linear, const LinearBackward& backward, std::size_t first,
                          std::size_t last, const ThreadArenas& memory) noexcept {
  const auto [in, out, groups] = linear.sizes;
  const std::size_t width = kernels::panel_width();
  const std::size_t group_in = in / groups;
  const std::size_t panels = (group_in + width - 1) / width;
  const double operations = 4.0 * static_cast<double>(last - first) *
                            static_cast<double>(group_in) * static_cast<double>(out);
  parallel::for_each(groups * panels, parallel::threads_worth(operations, backward.num_threads),
                     [&](std::size_t piece, std::size_t thread) {
                       Arena arena = memory.of(thread);
                       const std::size_t column = piece % panels * width;
                       linear_backward_columns(linear, backward, piece / panels, column,
                                               std::min(width, group_in - column), first, last,
                                               take_packed(arena, linear.sizes.out));
                     });
}

}  // namespace

std::size_t Linear::Sizes::packed_size(Precision packed_as) const noexcept {
  return packed_as == Precision::float32
             ? saturating_product(in, kernels::round_up_to_panel(group_out()))
             : saturating_product(groups, quantized_size(packed_as, group_out(), group_in()));
}

void pack(const Linear::Sizes& sizes, Precision precision, const float* weight,
          float* packed) noexcept {
  const std::size_t in = sizes.group_in();
  const std::size_t out = sizes.group_out();
  for (std::size_t group = 0; group < sizes.groups; ++group) {
    const float* weights = weight + group * out * in;
    float* to = packed + group * group_size(precision, in, out);
    if (precision == Precision::float32) {
      kernels::pack_columns(weights, in, in, out, to);
    } else {
      quantize_weights(precision, out, in, weights, to);
    }
  }
}

void project(std::span<const RowProjection> projections, std::size_t num_threads) noexcept {
  std::size_t blocks = 0;
  double operations = 0;
  for (const RowProjection& projection : projections) {
    const auto [in, out, groups] = projection.linear.sizes;
    blocks += Blocks(projection).count();
    const std::size_t group_in = in / groups;
    operations += 2.0 * static_cast<double>(projection.rows) * static_cast<double>(group_in) *
                  static_cast<double>(out);
  }
  parallel::for_each(blocks, parallel::threads_worth(operations, num_threads),
                     [&](std::size_t block, std::size_t /*thread*/) {
                       for (const RowProjection& projection : projections) {
                         const Blocks current(projection);
                         if (block < current.count()) {
                           return current.project(block);
                         }
                         block -= current.count();
                       }
                     });
}

ThreadArenas lay_out_linear_backward(Arena& arena, std::size_t out,
                                     std::size_t num_threads) noexcept {
  return {arena, num_threads, [&](Arena& part) { static_cast<void>(take_packed(part, out)); }};
}

void linear_backward(const Linear& linear, const LinearBackward& backward, Arena& arena) noexcept {
  const Arena::Scope scope(arena);
  const auto [in, out, groups] = linear.sizes;
  const ThreadArenas memory = lay_out_linear_backward(arena, out, backward.num_threads);
  for (std::size_t first = 0; first < backward.rows;) {
    const bool is_zero = is_zero_row(backward.gradient + first * out, out);
    std::size_t last = first + 1;
    while (last < backward.rows && is_zero_row(backward.gradient + last * out, out) == is_zero) {
      ++last;
    }
    if (is_zero) {
      write_zeros(backward.input_gradient + first * in, (last - first) * in);
    } else {
      linear_backward_rows(linear, backward, first, last, memory);
    }
    first = last;
  }
  if (backward.bias_gradient != nullptr) {
    kernels::add_rows(backward.gradient, backward.rows, out, backward.bias_gradient);
  }
}

void pack_and_gemm(std::size_t rows, std::size_t columns, std::size_t depth,
                   kernels::StridedMatrix a, Rows b, float scale, kernels::Addend addend, float* c,
                   std::size_t c_stride, float* packed) noexcept {
  kernels::pack_rows(b.data, b.stride, depth, columns, packed);
  kernels::gemm(rows, columns, depth, a,
                {.panels = packed, .panel_stride = depth * kernels::panel_width()}, scale, addend,
                c, c_stride);
}

void gemm_skipping_zeros(std::size_t rows, std::size_t columns, std::size_t depth,
                         kernels::StridedMatrix a, Rows b, float scale, float* c,
                         std::size_t c_stride) noexcept {
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t k = 0; k < depth; ++k) {
      const float factor = a.data[i * a.row_stride + k * a.depth_stride];
      for (std::size_t j = 0; factor != 0.0F && j < columns; ++j) {
        c[i * c_stride + j] += scale * factor * b.data[k * b.stride + j];
      }
    }
  }
}

}  // namespace headwise
