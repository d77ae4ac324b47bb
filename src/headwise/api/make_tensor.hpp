#pragma once

#include <array>
#include <cstddef>
#include <headwise/core/memory/checked_sizes.hpp>
#include <headwise/tensor.hpp>

namespace headwise {

/// An uninitialized tensor.
template <std::size_t Rank, typename Number = float>
[[nodiscard]] xt::xtensor<Number, Rank> make_tensor(const std::array<std::size_t, Rank>& shape) {
  static_cast<void>(checked_count(shape, sizeof(Number)));
  return xt::xtensor<Number, Rank>::from_shape(shape);
}

/// An uninitialized array, of a rank that is known at run time only.
template <typename Number = float, typename Shape>
[[nodiscard]] xt::xarray<Number> make_array(const Shape& shape) {
  using Array = xt::xarray<Number>;
  static_cast<void>(checked_count({shape.data(), shape.size()}, sizeof(Number)));
  return Array::from_shape(typename Array::shape_type(shape.begin(), shape.end()));
}

}  // namespace headwise
