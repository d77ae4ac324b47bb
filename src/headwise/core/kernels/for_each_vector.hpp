#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <headwise/core/kernels/simd.hpp>
#include <headwise/core/kernels/target.hpp>

namespace headwise::kernels::HEADWISE_TARGET {

/// Runs `vector` over whole vectors, of which the last may overlap the one before, or, if there is
/// not one, over a buffer: an element's result does not depend on its place.
template <typename Function>
void for_each_vector(float* values, std::size_t count, Function vector) noexcept {
  if (count < lanes) {
    std::array<float, lanes> padded{};
    std::copy_n(values, count, padded.begin());
    vector(Batch::load_unaligned(padded.data())).store_unaligned(padded.data());
    std::copy_n(padded.begin(), count, values);
    return;
  }
  float* last = values + count - lanes;
  const Batch last_result = vector(Batch::load_unaligned(last));
  for (; values < last; values += lanes) {
    vector(Batch::load_unaligned(values)).store_unaligned(values);
  }
  last_result.store_unaligned(last);
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
