#include <array>
#include <bit>
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
  if (x >= underflow) {
    return 0;
  }
  double factor = 1;
  if (x > step) {
    const double factor_of_step = exp_neg(step);
    while (x > step) {
      factor *= factor_of_step;
      x -= step;
    }
  }
  return factor * exp_neg(x);
}

/// A number whose order is that of drawing: the larger the logit, the smaller it is; NaN comes
/// last.
std::uint32_t rank_of(float logit) noexcept {
  constexpr std::uint32_t sign = 1U << 31U;
  if (std::isnan(logit)) {
    return ~0U;
  }
  const auto bits = std::bit_cast<std::uint32_t>(logit + 0.0F);  // −0 becomes 0
  return (bits & sign) != 0 ? bits : bits ^ (sign - 1);
}

/// What tokens are chosen from.
struct Candidates {
  const float* logits;
  const std::uint32_t* tokens;  ///< ascending
  std::size_t count;
  const double* weights;  ///< by token; null for 1 each
};

struct Reached {
  std::uint32_t token;
  std::uint32_t rank;
  double sum;  ///< of the weights up to the token and with it
};

/// The first token, the largest logit first and of equal ones the smallest token, at which the sum
/// of the weights is `target` or more, or above it. Where rounding leaves the sum below, the last
/// token that weighs anything. Instead of sorting the tokens it adds up the weights of those that
/// share the first 8 bits of their rank, then of those that share 16, and so on, in an order that
/// is the same in every build.
Reached reach(const Candidates& from, double target, bool is_above) noexcept {
  constexpr unsigned digit_bits = 8;
  constexpr std::uint32_t digits = 1U << digit_bits;
  const auto weight_of = [&](std::uint32_t token) {
    return from.weights != nullptr ? from.weights[token] : 1;
  };
  const auto is_reached = [&](double sum) { return is_above ? sum > target : sum >= target; };
  double before = 0;
  std::uint32_t prefix = 0;
  for (unsigned shift = 32; shift > 0;) {
    const unsigned above = shift;
    shift -= digit_bits;
    std::array<double, digits> sums{};
    for (std::size_t i = 0; i < from.count; ++i) {
      const std::uint32_t rank = rank_of(from.logits[from.tokens[i]]);
      if (std::uint64_t{rank} >> above == prefix) {
        sums[rank >> shift & (digits - 1)] += weight_of(from.tokens[i]);
      }
    }
    std::uint32_t chosen = 0;
    double sum = before;
    for (std::uint32_t digit = 0; digit < digits && !(sums[chosen] > 0 && is_reached(sum));
         ++digit) {
      if (sums[digit] > 0) {
        before = sum;
        sum += sums[digit];
        chosen = digit;
      }
    }
    prefix = prefix << digit_bits | chosen;
  }
  Reached reached{.token = 0, .rank = prefix, .sum = before};
  for (std::size_t i = 0; i < from.count; ++i) {
    const std::uint32_t token = from.tokens[i];
    if (rank_of(from.logits[token]) == prefix && weight_of(token) > 0) {
      reached.token = token;
      reached.sum += weight_of(token);
      if (is_reached(reached.sum)) {
        break;
      }
    }
  }
  return reached;
}

}  // namespace

std::size_t sample_token(const float* logits, std::size_t vocabulary_size,
                         const SamplingOptions& options, std::uint64_t number,
                         const SamplingBuffers& buffers) noexcept {
  std::uint32_t best = 0;
  for (std::uint32_t token = 1, least = rank_of(logits[0]); token < vocabulary_size; ++token) {
    if (const std::uint32_t rank = rank_of(logits[token]); rank < least) {
      least = rank;
      best = token;
    }
  }
  if (options.temperature == 0 || !std::isfinite(logits[best])) {
    return best;
  }
  Candidates candidates{
      .logits = logits, .tokens = buffers.order, .count = vocabulary_size, .weights = nullptr};
  for (std::uint32_t token = 0; token < vocabulary_size; ++token) {
    buffers.order[token] = token;
  }
  if (options.top_k > 0 && options.top_k < vocabulary_size) {
    const Reached last = reach(candidates, static_cast<double>(options.top_k), false);
    candidates.count = 0;
    for (std::uint32_t token = 0; token < vocabulary_size; ++token) {
      const std::uint32_t rank = rank_of(logits[token]);
      if (rank < last.rank || (rank == last.rank && token <= last.token)) {
        buffers.order[candidates.count++] = token;
      }
    }
  }
  double sum = 0;
  for (std::size_t i = 0; i < candidates.count; ++i) {
    const std::uint32_t token = buffers.order[i];
    const double below = (static_cast<double>(logits[best]) - static_cast<double>(logits[token])) /
                         options.temperature;
    buffers.weights[token] = std::isnan(below) ? 0 : exp_minus(below);
    sum += buffers.weights[token];
  }
  candidates.weights = buffers.weights;
  const double mass = options.top_p < 1 ? reach(candidates, options.top_p * sum, false).sum : sum;
  return reach(candidates, uniform(options.seed, number) * mass, true).token;
}

}  // namespace headwise
