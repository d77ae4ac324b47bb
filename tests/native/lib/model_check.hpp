#pragma once

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <vector>

#include "activations.hpp"
#include "compare.hpp"

/// How tests of models hold results and gradients against the reference.
namespace headwise::test {

/// How far results may lie from those in float64, as a share of the largest of them: rounded
/// weights round the inputs of products to 15 bits.
inline double share_of(const TransformerCall& call) {
  return call.options.weights == Precision::float32 ? 5e-6 : 4e-3;
}

template <typename Got, typename Expected>
void check_close(const Got& got, const Expected& expected, double share) {
  double largest = 1;
  for (const double number : expected) {
    largest = std::isfinite(number) ? std::fmax(largest, std::abs(number)) : largest;
  }
  CHECK(max_difference(got, expected) <= share * largest);
}

/// The call with the gates of its model's layers by sample, 1 where none was given.
inline TransformerCall with_all_gates(const TransformerCall& call, const Transformer& model) {
  TransformerCall result = call;
  for (const Side side : all_sides) {
    std::vector<HeadGate>& gates = gates_of(result.pass, side);
    gates.resize(model.attention_layers(side).size());
    for (std::size_t layer = 0; layer < gates.size(); ++layer) {
      const std::size_t num_heads = model.attention_layers(side)[layer].num_heads();
      Tensor<2> by_sample({call.batch(), num_heads});
      for (std::size_t i = 0; i < by_sample.size(); ++i) {
        by_sample.data()[i] =
            static_cast<float>(reference::gate_of(gates[layer], i / num_heads, i % num_heads));
      }
      gates[layer] = by_sample;
    }
  }
  return result;
}

/// Holds a gradient against the difference of the objective between two points, which lie a little
/// along the gradient and a random direction from `values`, which are moved there and back.
template <typename Gradient, typename Values, typename Function>
void check_slope(const Gradient& gradient, Values& values, std::uint64_t seed, double scale,
                 const Function& objective) {
  REQUIRE(gradient.size() == values.size());
  constexpr double step = 1e-5;
  const auto random = randn<1>({gradient.size()}, seed);
  const double largest = std::fmax(largest_magnitude(gradient), 1e-30);
  const Values before = values;
  std::vector<double> moved(gradient.size());
  const auto value_at = [&](double sign) {
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      const double direction =
          static_cast<double>(gradient.data()[i]) / largest + static_cast<double>(random(i));
      values.data()[i] =
          static_cast<float>(static_cast<double>(before.data()[i]) + sign * step * direction);
      moved[i] += sign * static_cast<double>(values.data()[i]);
    }
    return objective();
  };
  const double difference = value_at(1) - value_at(-1);
  values = before;
  double expected = 0;
  double length = 0;
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    expected += static_cast<double>(gradient.data()[i]) * moved[i];
    length += moved[i] * moved[i];
  }
  CHECK(std::abs(difference - expected) <= 1e-5 * scale * std::sqrt(length));
}

}  // namespace headwise::test
