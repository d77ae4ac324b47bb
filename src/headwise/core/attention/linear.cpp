#include <algorithm>
#include <headwise/core/attention/linear.hpp>
#include <headwise/core/kernels/dispatch.hpp>
#include <headwise/core/memory/checked_sizes.hpp>
#include <headwise/random.hpp>

namespace headwise {

namespace {

/// Floats of all groups' packed weights.
std::size_t packed_count(const Linear::Sizes& sizes) {
  return checked_count(static_cast<double>(sizes.in) *
                       static_cast<double>(kernels::round_up_to_panel(sizes.out / sizes.groups)));
}

}  // namespace

Linear::Linear(const Sizes& sizes, bool bias)
    : sizes_(sizes),
      weight_(make_tensor<2>({sizes.out, sizes.in / sizes.groups})),
      packed_weight_(make_tensor<1>({packed_count(sizes)})) {
  if (bias) {
    bias_ = make_tensor<1>({sizes.out});
  }
}

void Linear::initialize(std::uint64_t seed, std::uint32_t stream) noexcept {
  const float bound = uniform_bound(weight_.shape(1));
  fill_uniform(weight_.data(), weight_.size(), bound, seed, stream);
  if (bias_.has_value()) {
    fill_uniform(bias_->data(), bias_->size(), bound, seed, stream + 1);
  }
  invalidate();
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
    kernels::gemm(rows, columns, in, {.data = inputs + group * in, .row_stride = sizes_.in},
                  {.panels = packed_weight_.data() + group * packed_size() + column * in,
                   .panel_stride = in * kernels::panel_width()},
                  1.0F, {.data = bias_.has_value() ? bias_->data() + first : nullptr},
                  outputs + first, sizes_.out);
    first += columns;
  }
}

}  // namespace headwise
