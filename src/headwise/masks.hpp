#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <headwise/core/attention/attention_types.hpp>
#include <headwise/error.hpp>
#include <headwise/tensor.hpp>
#include <initializer_list>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

namespace headwise {

/// Optional numbers with one axis or two. Converts from a list in braces, a vector, or any xtensor
/// expression.
template <typename Number>
class Numbers : public std::optional<xt::xarray<Number>> {
  using Base = std::optional<xt::xarray<Number>>;
  static constexpr bool is_integral = std::integral<Number>;

 public:
  Numbers() = default;
  Numbers(std::initializer_list<Number> numbers) : Base(xt::xarray<Number>(numbers)) {}
  template <typename Other>
    requires(!is_integral || std::integral<Other>)
  Numbers(const std::vector<Other>& numbers)  // NOLINT(*-explicit-*)
      : Base(xt::xarray<Number>(xt::adapt(numbers))) {}
  template <typename Expression>
    requires(!is_integral || std::integral<typename Expression::value_type>)
  Numbers(const xt::xexpression<Expression>& numbers)  // NOLINT(*-explicit-*)
      : Base(xt::xarray<Number>(numbers.derived_cast())) {}

  /// Whether each sample has numbers of its own.
  [[nodiscard]] bool has_two_axes() const noexcept {
    return this->has_value() && (*this)->dimension() == 2;
  }
};

/// How many keys, counted from the first, may be attended to: absent (all), (batch,) for all
/// queries of a sample, or (batch, queries) for each query. Integers from 0 to the number of keys.
/// Source: d2l, `masked_softmax`.
using ValidLens = Numbers<std::int64_t>;

/// An optional mask. Converts from any xtensor expression.
///
/// As `mask`, it has any shape that broadcasts to (batch, heads, queries, keys), but must have rank
/// 4 if the first axis of rank 3 could mean samples or heads. Booleans, or integers 0 and 1, are
/// true or 1 where a query may attend. Floats are added to the scores. −∞ masks; NaN and +∞ are
/// errors, and so are floats that are only 0 and 1, unless all are 0. Source: PyTorch,
/// `scaled_dot_product_attention`; ONNX Attention. (`nn.MultiheadAttention` reads booleans the
/// other way round.)
///
/// As `key_mask`, it has shape (batch, keys), or (keys,) for one sample: booleans, or 0 and 1 of
/// any type, 1 for keys that may be attended to. It is a tokenizer's `attention_mask`, and the
/// negation of PyTorch's `key_padding_mask`.
class Mask {
 public:
  Mask() = default;
  template <typename Expression>
  Mask(const xt::xexpression<Expression>& mask) {  // NOLINT(*-explicit-*)
    using Number = typename Expression::value_type;
    const Expression& numbers = mask.derived_cast();
    shape_.assign(numbers.shape().begin(), numbers.shape().end());
    const xt::xarray<Number> in_rows(numbers);
    if constexpr (std::integral<Number>) {
      allowed_.assign(in_rows.begin(), in_rows.end());
      const auto wrong = std::ranges::find_if(
          in_rows, [](auto number) { return static_cast<Number>(number != 0) != number; });
      if (wrong != in_rows.end()) {
        wrong_integer_ = static_cast<std::int64_t>(*wrong);
      }
    } else {
      added_.assign(in_rows.begin(), in_rows.end());
    }
    kind_ = std::integral<Number> ? Kind::allowed : Kind::added;
  }

  [[nodiscard]] bool has_value() const noexcept { return kind_ != Kind::none; }
  [[nodiscard]] std::span<const std::size_t> shape() const noexcept { return shape_; }
  [[nodiscard]] std::size_t size() const noexcept { return allowed_.size() + added_.size(); }
  /// 1 where a query may attend, else 0; null unless the mask is of booleans or integers.
  [[nodiscard]] const std::uint8_t* allowed() const noexcept {
    return kind_ == Kind::allowed ? allowed_.data() : nullptr;
  }
  /// Numbers to add to the scores; null unless the mask is of floats.
  [[nodiscard]] const float* added() const noexcept {
    return kind_ == Kind::added ? added_.data() : nullptr;
  }
  /// The first integer that is neither 0 nor 1, if any.
  [[nodiscard]] const std::optional<std::int64_t>& wrong_integer() const noexcept {
    return wrong_integer_;
  }

 private:
  enum class Kind : unsigned char { none, allowed, added };

  Kind kind_ = Kind::none;
  std::vector<std::size_t> shape_;
  std::vector<std::uint8_t> allowed_;
  std::vector<float> added_;
  std::optional<std::int64_t> wrong_integer_;
};

/// Positions of queries and keys for rotary layers: absent ((cached keys) + i), (length,) for all
/// samples, or (batch, length). Integers from 0 to 2^31 − 1.
using RotaryPositions = Numbers<std::int64_t>;

/// Factor of each head's pooled output: absent, (heads,) or (batch, heads). Source: Michel et al.
/// 2019, the gates ξ_h.
using HeadGate = Numbers<float>;

}  // namespace headwise
