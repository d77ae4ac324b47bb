#pragma once

#include <cstddef>
#include <cstdint>

namespace headwise {

/// Third word of the Philox counter: draws for different purposes never share a random word.
namespace random_stream {
inline constexpr std::uint32_t parameters = 0;  ///< one stream per parameter, from here on
inline constexpr std::uint32_t normal = 0x10000;
inline constexpr std::uint32_t dropout = 0x20000;
inline constexpr std::uint32_t tasks = 0x30000;
inline constexpr std::uint32_t model = 0x40000;  ///< one stream per parameter, from here on
inline constexpr std::uint32_t layer_seeds = 0x50000;
inline constexpr std::uint32_t sampling = 0x60000;
}  // namespace random_stream

/// A random seed, from std::random_device.
[[nodiscard]] std::uint64_t random_seed();

/// Fills `count` floats with standard normal numbers (the polar method over Philox), those of the
/// stream from number `first` on.
void fill_normal(float* data, std::size_t count, std::uint64_t seed,
                 std::uint32_t stream = random_stream::normal, std::size_t first = 0);

/// Fills `count` floats from U(−bound, bound), those of the stream from number `first` on.
void fill_uniform(float* data, std::size_t count, float bound, std::uint64_t seed,
                  std::uint32_t stream, std::size_t first = 0) noexcept;

/// 1 / √n, PyTorch's default bound for the parameters of an output that sums n inputs.
[[nodiscard]] float inverse_root(std::size_t inputs) noexcept;

}  // namespace headwise
