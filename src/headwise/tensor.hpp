#pragma once

// xtensor moved its headers into folders with 0.26; both layouts are in use.
#if __has_include(<xtensor/core/xtensor_config.hpp>)
#include <xtensor/core/xtensor_config.hpp>
#else
#include <xtensor/xtensor_config.hpp>
#endif

#if __has_include(<xtensor/containers/xtensor.hpp>)
#include <xtensor/containers/xadapt.hpp>
#include <xtensor/containers/xarray.hpp>
#include <xtensor/containers/xtensor.hpp>
#else
#include <xtensor/xadapt.hpp>
#include <xtensor/xarray.hpp>
#include <xtensor/xtensor.hpp>
#endif

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <functional>
#include <headwise/error.hpp>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace headwise {

/// The library's tensor: row-major, contiguous, float32, of fixed rank.
template <std::size_t Rank>
using Tensor = xt::xtensor<float, Rank>;

/// Whether the number of axes is known at run time only.
template <typename Expression>
inline constexpr bool has_any_rank = !xt::has_fixed_rank_t<Expression>::value;

/// Throws `Error` (invalid-shape) for a tensor whose shape does not have `rank` axes.
[[noreturn]] void fail_rank(std::size_t rank, std::span<const std::size_t> shape);

/// A function's input: row-major float32 in memory that the caller owns. It converts from an
/// `xt::xtensor`, an `xt::xarray`, an `xt::adapt` or a `std::span` with a shape without a copy.
/// Other xtensor expressions are evaluated into a copy. Throws `Error` (invalid-shape) for a wrong
/// number of axes or elements.
template <std::size_t Rank>
class TensorView {
 public:
  using Shape = std::array<std::size_t, Rank>;

  template <typename Expression>
    requires(xt::get_rank<Expression>::value == Rank || has_any_rank<Expression>)
  // Explicit for rank 2, so that an array whose rank is known only at run time selects the overload
  // with a batch axis.
  explicit(has_any_rank<Expression> && Rank == 2)
      TensorView(const xt::xexpression<Expression>& expression) {  // NOLINT(*-explicit-*)
    const Expression& numbers = expression.derived_cast();
    if (numbers.dimension() != Rank) {
      const std::vector<std::size_t> given(numbers.shape().begin(), numbers.shape().end());
      fail_rank(Rank, given);
    }
    std::ranges::copy(numbers.shape(), shape_.begin());
    if constexpr (lies_in_rows<Expression>()) {
      data_ = numbers.data();
    } else {
      evaluated_ = report_out_of_memory([&] { return Tensor<Rank>(numbers); });
    }
  }
  /// Takes over a temporary tensor.
  TensorView(Tensor<Rank>&& numbers)  // NOLINT(*-explicit-*)
      : shape_(numbers.shape()), evaluated_(std::move(numbers)) {}
  TensorView(std::span<const float> numbers, const Shape& shape)
      : shape_(shape), data_(numbers.data()) {
    if (numbers.size() != size()) {
      throw Error(ErrorCode::invalid_shape, "tensor: expected " + std::to_string(size()) +
                                                " numbers, got " + std::to_string(numbers.size()));
    }
  }

  [[nodiscard]] const float* data() const noexcept {
    return evaluated_.has_value() ? evaluated_->data() : data_;
  }
  [[nodiscard]] const float* begin() const noexcept { return data(); }
  [[nodiscard]] const float* end() const noexcept { return data() + size(); }
  [[nodiscard]] const Shape& shape() const noexcept { return shape_; }
  [[nodiscard]] std::size_t shape(std::size_t axis) const noexcept { return shape_.at(axis); }
  [[nodiscard]] std::size_t size() const noexcept {
    return std::accumulate(shape_.begin(), shape_.end(), std::size_t{1}, std::multiplies<>());
  }

 private:
  /// Whether the numbers are contiguous floats, row-major.
  template <typename Expression>
  static constexpr bool lies_in_rows() {
    if constexpr (xt::has_data_interface<Expression>::value) {
      return std::same_as<typename Expression::value_type, float> &&
             Expression::contiguous_layout &&
             Expression::static_layout == xt::layout_type::row_major;
    } else {
      return false;
    }
  }

  Shape shape_ = {};
  const float* data_ = nullptr;
  std::optional<Tensor<Rank>> evaluated_ = {};
};

}  // namespace headwise
