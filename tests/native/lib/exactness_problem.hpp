#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "layer_gradients_reference.hpp"

/// Layers whose scores float32 has exactly, so that what is measured is how gradients are computed
/// and not how far two scores lie apart.
namespace headwise::test {

struct ExactnessCase {
  std::string name;
  MultiHeadAttentionOptions layer{};
  ForwardOptions options{};
};

/// What the plain program knows of the layer, one option each.
std::vector<ExactnessCase> exactness_cases();

/// Scores of ordinary size, and scores of 10,000, with which softmax saturates.
inline constexpr std::array exactness_scales{1.0 / 1024, 4.0};

/// (batch, length, hiddens) of queries, keys, values and output.
inline constexpr std::array<std::size_t, 3> exactness_shape{2, 48, 32};

/// The options with four heads and the sizes above.
MultiHeadAttentionOptions with_exactness_sizes(MultiHeadAttentionOptions options, double scale,
                                               std::uint64_t seed);

reference::GradientProblem exactness_problem(const ExactnessCase& tried, double scale,
                                             std::uint64_t seed);

}  // namespace headwise::test
