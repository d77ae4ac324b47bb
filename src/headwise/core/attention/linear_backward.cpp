#include <algorithm>
#include <headwise/core/attention/gradient_products.hpp>
#include <headwise/core/attention/linear_backward.hpp>
#include <headwise/core/kernels/dispatch.hpp>
#include <headwise/core/parallel/for_each.hpp>

namespace headwise {
namespace {

/// Rows whose products are summed into a weight's gradient at a time.
constexpr std::size_t rows_summed_at_once = 256;

bool is_zero_row(const float* row, std::size_t size) noexcept {
  return std::all_of(row, row + size, [](float number) { return number == 0.0F; });
}

/// The gradients of `columns` columns of one group's inputs and weights, from `column` on, for the
/// rows [first, last).
void differentiate_columns(const Linear& linear, const LinearBackward& backward, std::size_t group,
                           std::size_t column, std::size_t columns, std::size_t first,
                           std::size_t last, float* packed) noexcept {
  const std::size_t in = linear.sizes().in / linear.sizes().groups;
  const std::size_t out = linear.sizes().out / linear.sizes().groups;
  const std::size_t in_stride = linear.sizes().in;
  const std::size_t out_stride = linear.sizes().out;
  const std::size_t in_column = group * in + column;
  const float* gradient = backward.gradient + group * out;
  multiply_unpacked(
      last - first, columns, out, {.data = gradient + first * out_stride, .row_stride = out_stride},
      {.data = linear.weight().data() + group * out * in + column, .stride = in}, 1.0F, {},
      backward.input_gradient + first * in_stride + in_column, in_stride, packed);
  float* weight_gradient = backward.weight_gradient + group * out * in + column;
  for (std::size_t row = first; row < last; row += rows_summed_at_once) {
    multiply_unpacked(
        out, columns, std::min(rows_summed_at_once, last - row),
        {.data = gradient + row * out_stride, .row_stride = 1, .depth_stride = out_stride},
        {.data = backward.inputs + row * in_stride + in_column, .stride = in_stride}, 1.0F,
        {.data = weight_gradient, .row_stride = in}, weight_gradient, in, packed);
  }
}

/// The gradients for the rows [first, last). The columns of one panel are a piece of work: while it
/// is packed it is read.
void differentiate_rows(const Linear& linear, const LinearBackward& backward, std::size_t first,
                        std::size_t last) noexcept {
  const auto [in, out, groups] = linear.sizes();
  const std::size_t width = kernels::panel_width();
  const std::size_t group_in = in / groups;
  const std::size_t panels = (group_in + width - 1) / width;
  const double operations = 4.0 * static_cast<double>(last - first) *
                            static_cast<double>(group_in) * static_cast<double>(out);
  const auto workspace_size =
      static_cast<std::size_t>(linear_backward_workspace_size(static_cast<double>(out)));
  parallel::for_each(groups * panels, parallel::threads_worth(operations, backward.num_threads),
                     [&](std::size_t piece, std::size_t thread) {
                       const std::size_t column = piece % panels * width;
                       differentiate_columns(linear, backward, piece / panels, column,
                                             std::min(width, group_in - column), first, last,
                                             backward.workspace + thread * workspace_size);
                     });
}

}  // namespace

void linear_backward(const Linear& linear, const LinearBackward& backward) noexcept {
  const auto [in, out, groups] = linear.sizes();
  for (std::size_t first = 0; first < backward.rows;) {
    const bool is_zero = is_zero_row(backward.gradient + first * out, out);
    std::size_t last = first + 1;
    while (last < backward.rows && is_zero_row(backward.gradient + last * out, out) == is_zero) {
      ++last;
    }
    if (is_zero) {
      std::fill_n(backward.input_gradient + first * in, (last - first) * in, 0.0F);
    } else {
      differentiate_rows(linear, backward, first, last);
    }
    first = last;
  }
  if (backward.bias_gradient != nullptr) {
    kernels::add_rows(backward.gradient, backward.rows, out, backward.bias_gradient);
  }
}

double linear_backward_workspace_size(double out) noexcept {
  return std::max<double>(rows_summed_at_once, out) * static_cast<double>(kernels::panel_width());
}

}  // namespace headwise
