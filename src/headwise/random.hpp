#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <headwise/api/make_tensor.hpp>
#include <headwise/core/random.hpp>
#include <headwise/error.hpp>
#include <headwise/tensor.hpp>

namespace headwise {

/// A tensor of standard normal numbers, the same for the same seed in every build and in JavaScript
/// (`Tensor.randn`). Throws `Error` (out-of-memory).
template <std::size_t Rank>
[[nodiscard]] Tensor<Rank> randn(const std::array<std::size_t, Rank>& shape, std::uint64_t seed) {
  return report_out_of_memory([&] {
    Tensor<Rank> result = make_tensor<Rank>(shape);
    fill_normal(result.data(), result.size(), seed);
    return result;
  });
}

}  // namespace headwise
