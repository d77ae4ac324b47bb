#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <headwise/core/kernels/philox.hpp>
#include <headwise/core/models/sampling.hpp>
#include <headwise/core/random.hpp>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

namespace headwise::test {
namespace {

/// Draws a token as `sample_token` does, at u of the mass, with all tokens sorted.
std::size_t sorted_draw(const std::vector<float>& logits, const SamplingOptions& options,
                        double u) {
  std::vector<std::size_t> order(logits.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    const auto key = [&](std::size_t token) { return std::isnan(logits[token]); };
    if (key(a) || key(b) || logits[a] == logits[b]) {
      return key(a) != key(b) ? key(b) : a < b;
    }
    return logits[a] > logits[b];
  });
  if (options.temperature == 0) {
    return order[0];
  }
  order.resize(options.top_k > 0 ? std::min(options.top_k, order.size()) : order.size());
  std::vector<double> sums;
  double sum = 0;
  for (const std::size_t token : order) {
    const double below = static_cast<double>(logits[order[0]]) - static_cast<double>(logits[token]);
    sum += std::isnan(below) ? 0 : std::exp(-below / options.temperature);
    sums.push_back(sum);
  }
  const auto end = std::ranges::find_if(
      sums, [&](double each) { return each >= std::min(options.top_p, 1 - 1e-12) * sum; });
  const auto drawn = std::ranges::find_if(sums, [&](double each) { return each > u * *end; });
  return order[static_cast<std::size_t>(drawn - sums.begin())];
}

/// The number from 0 to 1 that a draw takes.
double uniform_of(std::uint64_t seed, std::uint32_t number) {
  const auto bits =
      kernels::philox({number, 0, random_stream::sampling, 0}, kernels::philox_key(seed));
  return std::ldexp(static_cast<double>((std::uint64_t{bits[0]} << 32U | bits[1]) >> 11U), -53);
}

std::vector<float> random_logits(std::mt19937& random, std::size_t count) {
  std::normal_distribution<float> normal(0, 3);
  const float specials[] = {0.0F,
                            -0.0F,
                            1.5F,
                            -std::numeric_limits<float>::infinity(),
                            std::numeric_limits<float>::quiet_NaN(),
                            1e-40F,
                            -1e-40F};
  std::vector<float> logits(count);
  for (float& logit : logits) {
    logit = random() % 3 == 0 ? specials[random() % std::size(specials)] : normal(random);
  }
  return logits;
}

TEST_CASE("Draws are those of a sorted vocabulary") {
  std::mt19937 random(1);
  std::size_t other = 0;
  for (std::uint32_t number = 0; number < 2000; ++number) {
    const std::size_t count = 1 + random() % (number % 20 == 0 ? 3000 : 40);
    std::vector<float> logits = random_logits(random, count);
    logits[random() % count] = 2.0F;
    const SamplingOptions options{
        .temperature = std::vector{0.0, 0.05, 1.0, 4.0, 1e6}[random() % 5],
        .top_k = random() % 2 == 0 ? 0 : 1 + random() % (count + 2),
        .top_p = std::vector{1.0, 0.9, 0.5, 1e-9}[random() % 4],
        .seed = 3};
    CAPTURE(number, count, options.temperature, options.top_k, options.top_p);
    std::vector<std::uint32_t> order(count);
    std::vector<double> weights(count);
    const std::size_t drawn = sample_token(logits.data(), count, options, number,
                                           {.order = order.data(), .weights = weights.data()});
    CHECK(drawn == sorted_draw(logits, options, uniform_of(options.seed, number)));
    other += drawn != sorted_draw(logits, options, 0) ? 1U : 0U;
  }
  CHECK(other > 500);
}

}  // namespace
}  // namespace headwise::test
