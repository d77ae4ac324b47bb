#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <headwise/api/make_tensor.hpp>
#include <headwise/tensor.hpp>
#include <span>

namespace headwise {

/// Makes a tensor of a result's shape, without the batch axis if the tensor has no room for it, and
/// returns its memory.
template <std::size_t Rank>
[[nodiscard]] float* make_result(Tensor<Rank>& tensor, std::span<const std::size_t> shape) {
  std::array<std::size_t, Rank> last{};
  std::ranges::copy(shape.last(Rank), last.begin());
  tensor = make_tensor<Rank>(last);
  return tensor.data();
}

}  // namespace headwise
