#include <algorithm>
#include <headwise/attention/linear.hpp>
#include <headwise/kernels/dispatch.hpp>
#include <headwise/random.hpp>

namespace headwise {

Linear::Linear(const Sizes& sizes, bool bias)
    : sizes_(sizes),
      weight_(Tensor<2>::from_shape({sizes.out, sizes.in / sizes.groups})),
      packed_weight_(
          Tensor<1>::from_shape({sizes.groups * kernels::packed_size(sizes.in / sizes.groups,
                                                                     sizes.out / sizes.groups)})) {
  if (bias) {
    bias_ = Tensor<1>::from_shape({sizes.out});
  }
}

void Linear::initialize(std::uint64_t seed, std::uint32_t stream) noexcept {
  const float bound = uniform_bound(weight_.shape(1));
  fill_uniform(weight_.data(), weight_.size(), bound, seed, stream);
  if (bias_.has_value()) {
    fill_uniform(bias_->data(), bias_->size(), bound, seed, stream + 1);
  }
  packed_is_current_ = false;
}

float* Linear::weight_data() noexcept {
  packed_is_current_ = false;
  return weight_.data();
}

std::size_t Linear::packed_size() const noexcept {
  return kernels::packed_size(group_in(), group_out());
}

void Linear::pack() noexcept {
  if (packed_is_current_) {
    return;
  }
  const std::size_t in = group_in();
  for (std::size_t group = 0; group < sizes_.groups; ++group) {
    kernels::pack_columns(weight_.data() + group * group_out() * in, in, in, group_out(),
                          packed_weight_.data() + group * packed_size());
  }
  packed_is_current_ = true;
}

void Linear::project(const float* inputs, std::size_t rows, std::size_t first, std::size_t count,
                     float* outputs) const noexcept {
  const std::size_t in = group_in();
  const std::size_t end = first + count;
  while (first < end) {
    const std::size_t group = first / group_out();
    const std::size_t column = first - group * group_out();
    const std::size_t columns = std::min(end - first, group_out() - column);
    kernels::matrix_multiply(rows, columns, in,
                             {.data = inputs + group * in, .row_stride = sizes_.in},
                             {.panels = packed_weight_.data() + group * packed_size() + column * in,
                              .panel_stride = in * kernels::panel_width()},
                             1.0F, {.data = bias_.has_value() ? bias_->data() + first : nullptr},
                             outputs + first, sizes_.out);
    first += columns;
  }
}

}  // namespace headwise
