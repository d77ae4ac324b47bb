#include <algorithm>
#include <cmath>
#include <headwise/core/attention/layer_options.hpp>
#include <headwise/core/elementary_functions.hpp>
#include <numbers>

namespace headwise {
namespace {

double scaled_frequency(const RotarySettings& rotary, std::size_t pair, double unscaled) noexcept {
  const double share = std::clamp(rotary.ramp_offset + rotary.ramp_by_frequency * unscaled +
                                      rotary.ramp_by_pair * static_cast<double>(pair),
                                  0.0, 1.0);
  return unscaled * (share + (1 - share) * rotary.interpolation);
}

}  // namespace

RotarySettings scale_rotary(const RotaryScaling& scaling, RotarySettings rotary) noexcept {
  constexpr double turn = 2 * std::numbers::pi;
  const bool is_yarn = scaling.type == RotaryScaling::Type::yarn;
  rotary.interpolation = 1 / scaling.factor;
  const double slow = scaling.slow_turns;
  const double fast = scaling.fast_turns.value_or(is_yarn ? 32 : 4);
  if (scaling.type == RotaryScaling::Type::llama3) {
    rotary.ramp_offset = -slow / (fast - slow);
    rotary.ramp_by_frequency = scaling.original_length / (turn * (fast - slow));
  } else if (is_yarn) {
    const auto size = static_cast<double>(rotary.size);
    // The pair, as a fraction, that turns so many times.
    const auto pair_of = [&](double turns) {
      return size * natural_logarithm(scaling.original_length / (turns * turn)) /
             (2 * natural_logarithm(rotary.base));
    };
    double first = pair_of(fast);
    double last = pair_of(slow);
    if (scaling.truncate) {
      first = std::floor(first);
      last = std::ceil(last);
    }
    first = std::max(first, 0.0);
    last = std::min(last, size - 1);
    last += first == last ? 1e-3 : 0;
    rotary.ramp_offset = last / (last - first);
    rotary.ramp_by_pair = -1 / (last - first);
  }
  const double by_length =
      is_yarn && scaling.factor > 1 ? 0.1 * natural_logarithm(scaling.factor) + 1 : 1;
  rotary.attention_factor = scaling.attention_factor.value_or(by_length);
  rotary.scaled_frequency = &scaled_frequency;
  return rotary;
}

}  // namespace headwise
