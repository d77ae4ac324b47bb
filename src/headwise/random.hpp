#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <headwise/core/memory/checked_sizes.hpp>
#include <headwise/error.hpp>
#include <headwise/tensor.hpp>

namespace headwise {

/// Third word of the Philox counter: draws for different purposes never share a random word.
namespace random_stream {
inline constexpr std::uint32_t parameters = 0;  ///< one stream a parameter, counted from here
inline constexpr std::uint32_t normal = 0x10000;
inline constexpr std::uint32_t dropout = 0x20000;
inline constexpr std::uint32_t tasks = 0x30000;
inline constexpr std::uint32_t model = 0x40000;  ///< one stream a parameter, counted from here
inline constexpr std::uint32_t layer_seeds = 0x50000;
}  // namespace random_stream

/// A seed that is another one every time.
[[nodiscard]] std::uint64_t random_seed();

/// Fills `count` floats with standard normal numbers (the polar method over Philox).
void fill_normal(float* data, std::size_t count, std::uint64_t seed,
                 std::uint32_t stream = random_stream::normal);

/// Fills `count` floats from U(−bound, bound), from the given stream.
void fill_uniform(float* data, std::size_t count, float bound, std::uint64_t seed,
                  std::uint32_t stream) noexcept;

/// 1 / √n, PyTorch's default bound for the parameters of an output that sums n inputs.
[[nodiscard]] float uniform_bound(std::size_t inputs) noexcept;

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
