#include <cmath>
#include <headwise/attention/linear.hpp>
#include <headwise/kernels/matrix_multiply.hpp>
#include <headwise/random.hpp>

namespace headwise {

Linear::Linear(std::size_t in, std::size_t out, bool bias)
    : weight_(Tensor<2>::from_shape({out, in})),
      packed_weight_(Tensor<1>::from_shape({kernels::packed_size(in, out)})) {
  if (bias) {
    bias_ = Tensor<1>::from_shape({out});
  }
}

void Linear::initialize(std::uint64_t seed, std::uint32_t stream) noexcept {
  const auto bound = static_cast<float>(1.0 / std::sqrt(static_cast<double>(weight_.shape(1))));
  fill_uniform(weight_.data(), weight_.size(), bound, seed, stream);
  if (bias_.has_value()) {
    fill_uniform(bias_->data(), bias_->size(), bound, seed, stream + 1);
  }
  packed_is_current_ = false;
}

Tensor<2>& Linear::mutable_weight() noexcept {
  packed_is_current_ = false;
  return weight_;
}

void Linear::project(const float* inputs, std::size_t rows, float* outputs) {
  const std::size_t out = weight_.shape(0);
  const std::size_t in = weight_.shape(1);
  if (!packed_is_current_) {
    kernels::pack_columns(weight_.data(), in, in, out, packed_weight_.data());
    packed_is_current_ = true;
  }
  kernels::matrix_multiply(
      rows, out, in, inputs, in,
      {.panels = packed_weight_.data(), .panel_stride = in * kernels::panel_width},
      bias_.has_value() ? bias_->data() : nullptr, outputs, out);
}

}  // namespace headwise
