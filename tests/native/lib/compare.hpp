#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <headwise/headwise.hpp>
#include <limits>
#include <string>
#include <vector>

#include "views.hpp"

/// What most tests need: numbers that mean nothing, inputs of given sizes, and how far two results
/// lie apart.
namespace headwise::test {

inline constexpr float nan = std::numeric_limits<float>::quiet_NaN();
inline constexpr float infinity = std::numeric_limits<float>::infinity();

inline constexpr HeadMeasure all_measures[] = {HeadMeasure::gradient, HeadMeasure::ablation,
                                               HeadMeasure::confidence, HeadMeasure::entropy};

using LensBySample = xt::xtensor<std::int64_t, 1>;
using LensByQuery = xt::xtensor<std::int64_t, 2>;

/// The largest |a − b|, and 0 only for equal numbers: infinite where sizes differ or where one of
/// the two is NaN, so that no comparison passes by accident.
template <typename A, typename B>
double max_difference(const A& a, const B& b) {
  constexpr double all = std::numeric_limits<double>::infinity();
  if (a.size() != b.size()) {
    return all;
  }
  double largest = 0;
  auto other = b.begin();
  for (const auto value : a) {
    const auto x = static_cast<double>(value);
    const auto y = static_cast<double>(*other);
    ++other;
    if (std::isnan(x) != std::isnan(y)) {
      return all;
    }
    if (!std::isnan(x) && x != y) {
      largest = std::fmax(largest, std::abs(x - y));
    }
  }
  return largest;
}

/// Of the numbers that are finite.
template <typename Tensor>
double largest_magnitude(const Tensor& tensor) {
  double largest = 0;
  for (const auto element : tensor) {
    const double magnitude = std::abs(static_cast<double>(element));
    largest = std::isfinite(magnitude) ? std::fmax(largest, magnitude) : largest;
  }
  return largest;
}

template <typename Tensor>
bool all_equal(const Tensor& tensor, double value) {
  for (const auto element : tensor) {
    if (!(static_cast<double>(element) == value)) {
      return false;
    }
  }
  return true;
}

template <typename Tensor>
bool all_finite(const Tensor& tensor) {
  for (const auto element : tensor) {
    if (!std::isfinite(element)) {
      return false;
    }
  }
  return true;
}

template <std::size_t Rank>
Tensor<Rank> full(const std::array<std::size_t, Rank>& shape, float value) {
  Tensor<Rank> tensor(shape);
  tensor.fill(value);
  return tensor;
}

/// Code and text of the error that a call throws.
template <typename Call>
std::string error_of(const Call& call) {
  try {
    static_cast<void>(call());
  } catch (const Error& error) {
    return std::string(to_string(error.code())) + "; " + error.what();
  }
  return "no error";
}

// Plain float memory, as kernels take it.
using Floats = std::vector<float>;

// What no kernel computes: marks memory that must not be written.
inline constexpr float guard = -12345.5F;

inline Floats random_floats(std::size_t count, std::uint64_t seed) {
  Floats numbers(count);
  fill_normal(numbers.data(), count, seed);
  return numbers;
}

/// The floats from the first row's first to the last row's last, and none after: reading on is
/// reading past the end.
inline std::size_t span_size(std::size_t rows, std::size_t columns, std::size_t stride) {
  return rows == 0 ? 0 : (rows - 1) * stride + columns;
}

/// The layer's three inputs.
struct Inputs {
  Tensor<3> queries;
  Tensor<3> keys;
  Tensor<3> values;
};

struct InputShape {
  std::size_t batch, queries, keys, query_size, key_size, value_size;
};

inline Inputs random_inputs(const InputShape& shape, std::uint64_t seed = 1) {
  return {.queries = randn<3>({shape.batch, shape.queries, shape.query_size}, seed),
          .keys = randn<3>({shape.batch, shape.keys, shape.key_size}, seed + 1),
          .values = randn<3>({shape.batch, shape.keys, shape.value_size}, seed + 2)};
}

inline AttentionResult forward(MultiHeadAttention& layer, const Inputs& inputs,
                               const ForwardOptions& options = {.return_weights = true}) {
  return layer.forward(inputs.queries, inputs.keys, inputs.values, options);
}

}  // namespace headwise::test
