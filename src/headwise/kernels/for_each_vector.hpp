#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <headwise/kernels/simd.hpp>
#include <headwise/kernels/target.hpp>

namespace headwise::kernels::HEADWISE_TARGET {

/// Runs `vector` over whole vectors and, by way of a buffer, over what is left, so that an
/// element's result does not depend on its place.
template <typename Function>
void for_each_vector(float* values, std::size_t count, Function vector) noexcept {
  const std::size_t vectorized = count / lanes * lanes;
  for (std::size_t i = 0; i < vectorized; i += lanes) {
    vector(Batch::load_unaligned(values + i)).store_unaligned(values + i);
  }
  if (vectorized < count) {
    std::array<float, lanes> rest{};
    std::copy(values + vectorized, values + count, rest.begin());
    vector(Batch::load_unaligned(rest.data())).store_unaligned(rest.data());
    std::copy_n(rest.begin(), count - vectorized, values + vectorized);
  }
}

/// The same for vectors that another array's go with.
template <typename Function>
void for_each_vector(float* values, const float* others, std::size_t count,
                     Function vector) noexcept {
  const std::size_t vectorized = count / lanes * lanes;
  for (std::size_t i = 0; i < vectorized; i += lanes) {
    vector(Batch::load_unaligned(values + i), Batch::load_unaligned(others + i))
        .store_unaligned(values + i);
  }
  if (vectorized < count) {
    std::array<float, lanes> rest{};
    std::array<float, lanes> other_rest{};
    std::copy(values + vectorized, values + count, rest.begin());
    std::copy(others + vectorized, others + count, other_rest.begin());
    vector(Batch::load_unaligned(rest.data()), Batch::load_unaligned(other_rest.data()))
        .store_unaligned(rest.data());
    std::copy_n(rest.begin(), count - vectorized, values + vectorized);
  }
}

}  // namespace headwise::kernels::HEADWISE_TARGET
