#include <headwise/core/attention/dropout.hpp>
#include <headwise/core/kernels/dispatch.hpp>
#include <headwise/core/random.hpp>

namespace headwise {

void Dropout::apply(float* weights, std::size_t row, std::size_t first_key,
                    std::size_t count) const noexcept {
  constexpr double two_to_32 = 4294967296.0;
  // A word below the threshold drops; with probability 1 every word does. Row numbers beyond 32
  // bits continue in further streams, before those of other purposes.
  kernels::dropout(
      weights, first_key, count,
      {.key = seed,
       .row = static_cast<std::uint32_t>(row),
       .stream = random_stream::dropout + static_cast<std::uint32_t>(std::uint64_t{row} >> 32U),
       .call = call,
       .threshold = static_cast<std::uint64_t>(probability * two_to_32),
       .kept_scale = static_cast<float>(1.0 / (1.0 - probability))});
}

}  // namespace headwise
