#include <cmath>
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

void Linear::project(const float* inputs, std::size_t rows, float* outputs) {
  const std::size_t in = sizes_.in / sizes_.groups;
  const std::size_t out = sizes_.out / sizes_.groups;
  const std::size_t packed_size = kernels::packed_size(in, out);
  for (std::size_t group = 0; group < sizes_.groups; ++group) {
    float* packed = packed_weight_.data() + group * packed_size;
    if (!packed_is_current_) {
      kernels::pack_columns(weight_.data() + group * out * in, in, in, out, packed);
    }
    kernels::matrix_multiply(rows, out, in, {.data = inputs + group * in, .row_stride = sizes_.in},
                             {.panels = packed, .panel_stride = in * kernels::panel_width()}, 1.0F,
                             {.data = bias_.has_value() ? bias_->data() + group * out : nullptr},
                             outputs + group * out, sizes_.out);
  }
  packed_is_current_ = true;
}

}  // namespace headwise
