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

/// Up to this many rows are multiplied by integers one by one; more rows all at once, or by the
/// rounded weights as floats.
constexpr std::size_t max_quantized_rows = 4;
/// Depths of those that are packed at a time: a panel of them stays in the inner cache.
constexpr std::size_t packed_depth = 128;

/// Floats of one group's packed weights.
std::size_t group_size(Precision precision, std::size_t in, std::size_t out) noexcept {
  return precision == Precision::float32 ? kernels::packed_size(in, out)
                                         : quantized_size(precision, out, in);
}

/// Where an output's weights begin in packed ones of float32.
std::size_t offset_of(const Linear::Sizes& sizes, std::size_t row) noexcept {
  const std::size_t in = sizes.group_in();
  const std::size_t out = sizes.group_out();
  const std::size_t column = row % out;
  const std::size_t place = column % kernels::panel_width();
  return row / out * kernels::packed_size(in, out) + (column - place) * in + place;
}

/// The outputs [column, column + columns) of one panel of a group, and a range of its inputs.
struct PanelOfWeights {
  std::size_t group;
  std::size_t column;
  std::size_t columns;
  std::size_t first;
  std::size_t depth;
};

/// Packs weights that are not held as packed floats.
void pack_panel(const Linear& linear, const PanelOfWeights& part, float* panel) noexcept {
  const std::size_t in = linear.sizes.group_in();
  const std::size_t out = linear.sizes.group_out();
  const auto [group, column, columns, first, depth] = part;
  const std::size_t row = group * out + column;
  const float* packed = linear.packed + group * group_size(linear.precision, in, out);
  if (linear.weight != nullptr) {
    kernels::pack_columns(linear.weight + row * in + first, in, depth, columns, panel);
  } else if (linear.precision == Precision::int4 && first % kernels::int4_block == 0) {
    kernels::Int4Matrix weights = int4_weights(in, packed, column);
    weights.blocks +=
        first / kernels::int4_block * kernels::int4_block_floats * kernels::panel_width();
    kernels::unpack_int4_columns(weights, depth, columns, panel);
  } else if (linear.precision == Precision::int8 && !kernels::integers_are_faster &&
             first % 2 == 0) {
    kernels::QuantizedMatrix weights = quantized_weights(linear.precision, out, in, packed, column);
    weights.int8 += first * kernels::panel_width();
    kernels::unpack_columns(weights, depth, columns, panel);
  } else {
    std::array<float, packed_depth> weights;
    for (std::size_t j = 0; j < columns; ++j) {
      copy_weights(linear, {.row = row + j, .rows = 1, .first = first, .count = depth},
                   weights.data(), depth);
      for (std::size_t k = 0; k < depth; ++k) {
        panel[k * kernels::panel_width() + j] = weights[k];
      }
    }
  }
}

/// The product of many rows and the weights of one panel, which are packed on the stack unless they
/// are held so.
void multiply_panel(const Linear& linear, PanelOfWeights part, Rows inputs, std::size_t rows,
                    kernels::Addend addend, float* outputs, std::size_t outputs_stride) noexcept {
  std::array<float, packed_depth * kernels::max_panel_width> memory;
  const std::size_t width = kernels::panel_width();
  const float* data = inputs.data;
  for (const std::size_t end = part.first + part.depth; part.first < end;) {
    part.depth = std::min(packed_depth, end - part.first);
    const float* panel = memory.data();
    if (linear.weight == nullptr && linear.precision == Precision::float32) {
      panel = linear.packed + part.first * width +
              offset_of(linear.sizes, part.group * linear.sizes.group_out() + part.column);
    } else {
      pack_panel(linear, part, memory.data());
    }
    kernels::gemm(rows, part.columns, part.depth, {.data = data, .row_stride = inputs.stride},
                  {.panels = panel, .panel_stride = part.depth * width}, 1.0F, addend, outputs,
                  outputs_stride);
    addend = {.data = outputs, .row_stride = outputs_stride};
    part.first += part.depth;
    data += part.depth;
  }
}

/// `columns` outputs, from `column` on, of one group with rounded weights.
void multiply_quantized(const Linear& linear, std::size_t group, std::size_t column,
                        std::size_t columns, const float* inputs, std::size_t rows,
                        const float* bias, float* outputs) noexcept {
  const std::size_t in = linear.sizes.group_in();
  const std::size_t out = linear.sizes.group_out();
  const float* packed = linear.packed + group * group_size(linear.precision, in, out);
  if (linear.precision == Precision::int4 && rows <= max_quantized_rows) {
    for (std::size_t row = 0; row < rows; ++row) {
      kernels::int4_gemv(inputs + row * linear.sizes.in, in, int4_weights(in, packed, column),
                         columns, bias, outputs + row * linear.sizes.out);
    }
    return;
  }
  const bool by_integers = kernels::integers_are_faster && linear.precision == Precision::int8;
  if (rows <= max_quantized_rows || by_integers) {
    const kernels::QuantizedMatrix weights =
        quantized_weights(linear.precision, out, in, packed, column);
    if (rows > max_quantized_rows) {
      kernels::quantized_gemm(rows, columns, in, {.data = inputs, .row_stride = linear.sizes.in},
                              weights, {.data = bias}, outputs, linear.sizes.out);
      return;
    }
    for (std::size_t row = 0; row < rows; ++row) {
      kernels::quantized_gemv(inputs + row * linear.sizes.in, nullptr, in, weights, columns, 1.0F,
                              bias, outputs + row * linear.sizes.out);
    }
    return;
  }
  const std::size_t width = kernels::panel_width();
  for (std::size_t first = 0; first < columns; first += width) {
    multiply_panel(linear,
                   {.group = group,
                    .column = column + first,
                    .columns = std::min(width, columns - first),
                    .first = 0,
                    .depth = in},
                   {.data = inputs, .stride = linear.sizes.in}, rows,
                   {.data = bias != nullptr ? bias + first : nullptr}, outputs + first,
                   linear.sizes.out);
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
                    {.panels = linear.packed + offset_of(linear.sizes, first),
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
/// Outputs whose gradients are transposed for that: read as they lie, one row behind the other,
/// they would share few sets of the cache.
constexpr std::size_t max_transposed_outputs = 1024;
/// Floats from one of them to the next, for the same reason no power of two.
constexpr std::size_t transposed_stride = rows_summed_at_once + 16;
/// Outputs that a thread transposes at a time.
constexpr std::size_t transposed_at_once = 64;

/// Memory for one packed panel: of the weights' columns, or of `rows_summed_at_once` rows of
/// inputs.
float* take_packed(Arena& arena, std::size_t out) noexcept {
  return arena.take(std::max(rows_summed_at_once, out), kernels::panel_width());
}

bool is_zero_row(const float* row, std::size_t size) noexcept {
  return std::all_of(row, row + size, [](float number) { return number == 0.0F; });
}

/// Runs `backward_panel(column, columns, packed)` for the panels of a group's inputs, each of which
/// is read right after it is packed.
template <typename BackwardPanel>
void for_each_panel(const Linear& linear, std::size_t threads, const ThreadArenas& memory,
                    const BackwardPanel& backward_panel) noexcept {
  const std::size_t in = linear.sizes.group_in();
  const std::size_t width = kernels::panel_width();
  parallel::for_each(divide_up(in, width), threads, [&](std::size_t panel, std::size_t thread) {
    Arena arena = memory.of(thread);
    const std::size_t column = panel * width;
    backward_panel(column, std::min(width, in - column), take_packed(arena, linear.sizes.out));
  });
}

/// dX of one group for the rows [first, last).
void input_gradients(const Linear& linear, const LinearBackward& backward, std::size_t group,
                     std::size_t first, std::size_t last, std::size_t threads,
                     const ThreadArenas& memory) noexcept {
  const std::size_t in = linear.sizes.group_in();
  const std::size_t out = linear.sizes.group_out();
  const std::size_t in_stride = linear.sizes.in;
  const std::size_t out_stride = linear.sizes.out;
  const float* gradient = backward.gradient + first * out_stride + group * out;
  float* input_gradient = backward.input_gradient + first * in_stride + group * in;
  for_each_panel(
      linear, threads, memory, [&](std::size_t column, std::size_t columns, float* packed) {
        const std::size_t width = kernels::panel_width();
        if (linear.weight != nullptr) {
          kernels::pack_rows(linear.weight + group * out * in + column, in, out, columns, packed);
        } else {
          copy_weights(linear, {.row = group * out, .rows = out, .first = column, .count = columns},
                       packed, width);
        }
        kernels::gemm(last - first, columns, out, {.data = gradient, .row_stride = out_stride},
                      {.panels = packed, .panel_stride = out * width}, 1.0F, {},
                      input_gradient + column, in_stride);
      });
}

/// dW of one group's outputs [output, output + outputs) for the rows [first, first + rows).
void weight_gradients(const Linear& linear, const LinearBackward& backward, std::size_t group,
                      std::size_t output, std::size_t outputs, std::size_t first, std::size_t rows,
                      std::size_t threads, const LinearBackwardMemory& memory) noexcept {
  const std::size_t in = linear.sizes.group_in();
  const std::size_t in_stride = linear.sizes.in;
  const std::size_t out_stride = linear.sizes.out;
  const float* gradient =
      backward.gradient + first * out_stride + group * linear.sizes.group_out() + output;
  const std::size_t strips = divide_up(outputs, transposed_at_once);
  parallel::for_each(strips, threads, [&](std::size_t strip, std::size_t /*thread*/) {
    const std::size_t column = strip * transposed_at_once;
    kernels::transpose(gradient + column, out_stride, rows,
                       std::min(transposed_at_once, outputs - column),
                       memory.transposed + column * transposed_stride, transposed_stride);
  });
  const float* inputs = backward.inputs + first * in_stride + group * in;
  float* weight_gradient =
      backward.weight_gradient + (group * linear.sizes.group_out() + output) * in;
  for_each_panel(linear, threads, memory.threads,
                 [&](std::size_t column, std::size_t columns, float* packed) {
                   pack_and_gemm(outputs, columns, rows,
                                 {.data = memory.transposed, .row_stride = transposed_stride},
                                 {.data = inputs + column, .stride = in_stride}, 1.0F,
                                 {.data = weight_gradient + column, .row_stride = in},
                                 weight_gradient + column, in, packed);
                 });
}

/// The gradients for the rows [first, last).
void linear_backward_rows(const Linear& linear, const LinearBackward& backward, std::size_t first,
                          std::size_t last, const LinearBackwardMemory& memory) noexcept {
  const std::size_t out = linear.sizes.group_out();
  const auto threads_for = [&](std::size_t rows, std::size_t outputs) {
    return parallel::threads_worth(2.0 * static_cast<double>(rows) *
                                       static_cast<double>(linear.sizes.group_in()) *
                                       static_cast<double>(outputs),
                                   backward.num_threads);
  };
  for (std::size_t group = 0; group < linear.sizes.groups; ++group) {
    input_gradients(linear, backward, group, first, last, threads_for(last - first, out),
                    memory.threads);
    for (std::size_t row = first; row < last; row += rows_summed_at_once) {
      const std::size_t rows = std::min(rows_summed_at_once, last - row);
      for (std::size_t output = 0; output < out; output += max_transposed_outputs) {
        const std::size_t outputs = std::min(max_transposed_outputs, out - output);
        weight_gradients(linear, backward, group, output, outputs, row, rows,
                         threads_for(rows, outputs), memory);
      }
    }
  }
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
      pack_float16(out, in, weights, to);
    }
  }
}

void pack_rows(const Linear::Sizes& sizes, Precision precision, std::size_t row, std::size_t rows,
               const float* weights, float* packed) noexcept {
  const std::size_t in = sizes.group_in();
  const std::size_t out = sizes.group_out();
  const std::size_t width = kernels::panel_width();
  for (const std::size_t end = row + rows; row < end; row += rows, weights += rows * in) {
    rows = 1;
    float* of_group = packed + row / out * group_size(precision, in, out);
    if (precision == Precision::float32) {
      // Those in one panel.
      rows = std::min({end - row, out - row % out, width - row % out % width});
      kernels::transpose(weights, in, rows, in, packed + offset_of(sizes, row), width);
    } else if (precision == Precision::int8) {
      pack_int8(weights, row % out, out, in, of_group);
    } else {
      pack_int4(weights, row % out, in, of_group);
    }
  }
}

void copy_weights(const Linear& linear, PartOfWeights part, float* to,
                  std::size_t stride) noexcept {
  const auto& [sizes, weight, bias, packed, precision] = linear;
  const std::size_t in = sizes.group_in();
  const std::size_t out = sizes.group_out();
  const std::size_t width = kernels::panel_width();
  for (std::size_t row = part.row; row < part.row + part.rows; ++row, to += stride) {
    const float* of_group = packed + row / out * group_size(precision, in, out);
    if (weight != nullptr) {
      std::copy_n(weight + row * in + part.first, part.count, to);
    } else if (precision == Precision::float32) {
      const float* from = packed + offset_of(sizes, row) + part.first * width;
      for (std::size_t k = 0; k < part.count; ++k) {
        to[k] = from[k * width];
      }
    } else if (precision == Precision::int8) {
      unpack_int8(of_group, row % out, out, in, part.first, part.count, to);
    } else {
      unpack_int4(of_group, row % out, in, part.first, part.count, to);
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

LinearBackwardMemory LinearBackwardMemory::lay_out(Arena& arena, std::size_t out,
                                                   std::size_t num_threads) noexcept {
  float* transposed = arena.take(std::min(out, max_transposed_outputs), transposed_stride);
  return {.transposed = transposed, .threads = {arena, num_threads, [&](Arena& part) {
                                                  static_cast<void>(take_packed(part, out));
                                                }}};
}

void linear_backward(const Linear& linear, const LinearBackward& backward, Arena& arena) noexcept {
  const Arena::Scope scope(arena);
  const auto [in, out, groups] = linear.sizes;
  const LinearBackwardMemory memory =
      LinearBackwardMemory::lay_out(arena, out, backward.num_threads);
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

void project_inputs(const Linear& linear, std::size_t first, std::size_t count, Rows inputs,
                    std::size_t rows, float* outputs) noexcept {
  const std::size_t out = linear.sizes.out;
  const std::size_t width = kernels::panel_width();
  for (std::size_t column = 0; column < out; column += width) {
    multiply_panel(linear,
                   {.group = 0,
                    .column = column,
                    .columns = std::min(width, out - column),
                    .first = first,
                    .depth = count},
                   inputs, rows, {}, outputs + column, out);
  }
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
