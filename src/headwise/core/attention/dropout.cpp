#include <headwise/core/attention/dropout.hpp>
#include <headwise/core/kernels/philox.hpp>
#include <headwise/core/random.hpp>

namespace headwise {

void Dropout::apply(float* weights, std::size_t row, std::size_t first_key,
                    std::size_t count) const noexcept {
  constexpr std::size_t words = 4;
  constexpr double two_to_32 = 4294967296.0;
  const kernels::PhiloxKey key = kernels::philox_key(seed);
  // A word below the threshold drops; with probability 1 every word does.
  const auto threshold = static_cast<std::uint64_t>(probability * two_to_32);
  const auto kept_scale = static_cast<float>(1.0 / (1.0 - probability));
  // Rows beyond 32 bits have streams of their own, before those of other purposes.
  const auto stream =
      random_stream::dropout + static_cast<std::uint32_t>(std::uint64_t{row} >> 32U);
  kernels::PhiloxCounter random{};
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t k = first_key + i;
    if (i == 0 || k % words == 0) {
      random = kernels::philox(
          {static_cast<std::uint32_t>(k / words), static_cast<std::uint32_t>(row), stream, call},
          key);
    }
    weights[i] = random[k % words] < threshold ? 0.0F : weights[i] * kept_scale;
  }
}

}  // namespace headwise
