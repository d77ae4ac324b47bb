#include <algorithm>
#include <cmath>
#include <headwise/core/elementary_functions.hpp>
#include <headwise/core/kernels/philox.hpp>
#include <headwise/core/models/sampling.hpp>
#include <headwise/core/random.hpp>

namespace headwise {
namespace {

/// U(0, 1) with 53 bits, of draw `number` of a seed.
double uniform(std::uint64_t seed, std::uint64_t number) noexcept {
  const kernels::PhiloxCounter random =
      kernels::philox({static_cast<std::uint32_t>(number),
                       static_cast<std::uint32_t>(number >> 32U), random_stream::sampling, 0},
                      kernels::philox_key(seed));
  constexpr unsigned bits_above_53 = 11;
  constexpr double unit = 1.0 / 9007199254740992.0;
  const std::uint64_t bits = (std::uint64_t{random[0]} << 32U | random[1]) >> bits_above_53;
  return static_cast<double>(bits) * unit;
}

/// e^−x for x ≥ 0.
double exp_minus(double x) noexcept {
  constexpr double step = 8;
  constexpr double underflow = 745;
  double factor = 1;
  for (; x > step && x < underflow; x -= step) {
    factor *= exp_neg(step);
  }
  return x < underflow ? factor * exp_neg(x) : 0;
}

}  // namespace

std::size_t sample_token(const float* logits, std::size_t vocabulary_size,
                         const SamplingOptions& options, std::uint64_t number,
                         const SamplingBuffers& buffers) noexcept {
  const auto is_before = [&](std::uint32_t a, std::uint32_t b) {
    if (std::isnan(logits[a]) || std::isnan(logits[b])) {
      return std::isnan(logits[a]) ? std::isnan(logits[b]) && a < b : true;
    }
    return logits[a] != logits[b] ? logits[a] > logits[b] : a < b;
  };
  std::uint32_t best = 0;
  for (std::uint32_t token = 1; token < vocabulary_size; ++token) {
    best = is_before(token, best) ? token : best;
  }
  if (options.temperature == 0 || !std::isfinite(logits[best])) {
    return best;
  }
  std::uint32_t* const end = buffers.order + vocabulary_size;
  for (std::uint32_t token = 0; token < vocabulary_size; ++token) {
    buffers.order[token] = token;
  }
  std::make_heap(buffers.order, end, is_before);
  std::sort_heap(buffers.order, end, is_before);
  const std::size_t kept =
      options.top_k > 0 ? std::min(options.top_k, vocabulary_size) : vocabulary_size;
  double sum = 0;
  for (std::size_t i = 0; i < kept; ++i) {
    const double below =
        (static_cast<double>(logits[best]) - static_cast<double>(logits[buffers.order[i]])) /
        options.temperature;
    buffers.weights[i] = std::isnan(below) ? 0 : exp_minus(below);
    sum += buffers.weights[i];
  }
  std::size_t count = 1;
  double mass = buffers.weights[0];
  for (; count < kept && mass < options.top_p * sum; ++count) {
    mass += buffers.weights[count];
  }
  double left = uniform(options.seed, number) * mass;
  std::size_t drawn = 0;
  while (drawn + 1 < count && left >= buffers.weights[drawn]) {
    left -= buffers.weights[drawn++];
  }
  return buffers.order[drawn];
}

}  // namespace headwise
