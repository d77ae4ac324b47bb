#include <algorithm>
#include <headwise/attention/gradient_products.hpp>
#include <headwise/attention/linear_backward.hpp>
#include <headwise/kernels/dispatch.hpp>

namespace headwise {
namespace {

/// Rows whose products are summed into a weight's gradient at a time.
constexpr std::size_t rows_at_once = 256;

bool is_zero_row(const float* row, std::size_t size) noexcept {
  return std::all_of(row, row + size, [](float number) { return number == 0.0F; });
}

/// The gradients of one group for neighbouring rows.
void differentiate_group(const Linear& linear, const LinearBackward& backward, std::size_t group,
                         std::size_t first, std::size_t last) noexcept {
  const std::size_t in = linear.sizes().in / linear.sizes().groups;
  const std::size_t out = linear.sizes().out / linear.sizes().groups;
  const std::size_t in_stride = linear.sizes().in;
  const std::size_t out_stride = linear.sizes().out;
  const float* weight = linear.weight().data() + group * out * in;
  float* weight_gradient = backward.weight_gradient + group * out * in;
  const float* gradient = backward.gradient + first * out_stride + group * out;
  const float* inputs = backward.inputs + first * in_stride + group * in;
  float* input_gradient = backward.input_gradient + first * in_stride + group * in;
  // The columns of one panel at a time: while it is packed it is read.
  for (std::size_t column = 0; column < in; column += kernels::panel_width()) {
    const std::size_t columns = std::min(kernels::panel_width(), in - column);
    multiply_unpacked(last - first, columns, out, {.data = gradient, .row_stride = out_stride},
                      {.data = weight + column, .stride = in}, 1.0F, {}, input_gradient + column,
                      in_stride, backward.workspace);
    for (std::size_t row = 0; row < last - first; row += rows_at_once) {
      const std::size_t depth = std::min(rows_at_once, last - first - row);
      multiply_unpacked(
          out, columns, depth,
          {.data = gradient + row * out_stride, .row_stride = 1, .depth_stride = out_stride},
          {.data = inputs + row * in_stride + column, .stride = in_stride}, 1.0F,
          {.data = weight_gradient + column, .row_stride = in}, weight_gradient + column, in,
          backward.workspace);
    }
  }
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
    }
    for (std::size_t group = 0; !is_zero && group < groups; ++group) {
      differentiate_group(linear, backward, group, first, last);
    }
    first = last;
  }
  for (std::size_t row = 0; backward.bias_gradient != nullptr && row < backward.rows; ++row) {
    for (std::size_t i = 0; i < out; ++i) {
      backward.bias_gradient[i] += backward.gradient[row * out + i];
    }
  }
}

double linear_backward_workspace_size(double out) noexcept {
  return std::max<double>(rows_at_once, out) * static_cast<double>(kernels::panel_width());
}

}  // namespace headwise
