#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <headwise/core/attention/linear.hpp>
#include <headwise/core/memory/aligned_floats.hpp>
#include <headwise/core/memory/arena.hpp>
#include <vector>

#include "floats.hpp"
#include "set_threads.hpp"

namespace headwise::test {
namespace {

struct Gradients {
  Floats inputs;
  Floats weight;
  Floats bias;
};

/// By float64. Gradients of parameters are added to `before`.
Gradients reference(const Linear& linear, const LinearBackward& backward, float before) {
  const auto [in, out, groups] = linear.sizes;
  const std::size_t group_in = in / groups;
  const std::size_t group_out = out / groups;
  std::vector<double> inputs(backward.rows * in);
  std::vector<double> weight(out * group_in, before);
  std::vector<double> bias(out, before);
  for (std::size_t row = 0; row < backward.rows; ++row) {
    for (std::size_t o = 0; o < out; ++o) {
      const double gradient = backward.gradient[row * out + o];
      bias[o] += gradient;
      for (std::size_t i = 0; i < group_in; ++i) {
        const std::size_t input = row * in + o / group_out * group_in + i;
        inputs[input] += gradient * linear.weight[o * group_in + i];
        weight[o * group_in + i] += gradient * backward.inputs[input];
      }
    }
  }
  return {.inputs = Floats(inputs.begin(), inputs.end()),
          .weight = Floats(weight.begin(), weight.end()),
          .bias = Floats(bias.begin(), bias.end())};
}

void check(const Linear::Sizes& sizes, std::size_t rows, std::size_t num_threads) {
  CAPTURE(sizes.in, sizes.out, sizes.groups, rows, num_threads);
  constexpr float before = 0.5F;
  const Floats weight = random_floats(sizes.out * sizes.group_in(), 1);
  const Floats inputs = random_floats(rows * sizes.in, 2);
  Floats gradient = random_floats(rows * sizes.out, 3);
  // Rows that are skipped, with others before and behind them.
  if (rows >= 3) {
    std::fill_n(gradient.begin() + static_cast<std::ptrdiff_t>(rows / 3 * sizes.out), sizes.out,
                0.0F);
  }
  Gradients actual{.inputs = Floats(inputs.size(), guard),
                   .weight = Floats(weight.size(), before),
                   .bias = Floats(sizes.out, before)};
  const Linear linear{.sizes = sizes, .weight = weight.data()};
  const LinearBackward backward{.inputs = inputs.data(),
                                .gradient = gradient.data(),
                                .rows = rows,
                                .input_gradient = actual.inputs.data(),
                                .weight_gradient = actual.weight.data(),
                                .bias_gradient = actual.bias.data(),
                                .num_threads = num_threads};
  const std::size_t bytes = measure([&](Arena& arena) {
    static_cast<void>(LinearBackwardMemory::lay_out(arena, sizes.out, num_threads));
  });
  AlignedFloats memory = AlignedFloats::zeros(bytes / sizeof(float));
  Arena arena(memory.data(), bytes);
  const SetThreads threads(static_cast<std::int64_t>(num_threads));
  linear_backward(linear, backward, arena);
  const Gradients expected = reference(linear, backward, before);
  const auto tolerance = [](std::size_t addends) { return 2e-7 * static_cast<double>(addends); };
  CHECK(max_difference(actual.inputs, expected.inputs) <= tolerance(sizes.group_out() + 8));
  CHECK(max_difference(actual.weight, expected.weight) <= tolerance(rows + 8));
  CHECK(max_difference(actual.bias, expected.bias) <= tolerance(rows + 8));
}

TEST_CASE("linear_backward agrees with float64") {
  for (const std::size_t num_threads : {1, 3}) {
    for (const std::size_t rows : {1, 3, 7, 33, 256, 257, 600}) {
      for (const std::size_t in : {1, 5, 33}) {
        for (const std::size_t out : {1, 7, 129}) {
          check({.in = in, .out = out}, rows, num_threads);
        }
      }
      check({.in = 12, .out = 21, .groups = 3}, rows, num_threads);
    }
    // More outputs than are transposed at a time.
    for (const std::size_t out : {1024, 1025, 2100}) {
      check({.in = 19, .out = out}, 300, num_threads);
    }
    check({.in = 6, .out = 2200, .groups = 2}, 5, num_threads);
  }
}

}  // namespace
}  // namespace headwise::test
