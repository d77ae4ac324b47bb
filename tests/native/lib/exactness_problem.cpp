#include "exactness_problem.hpp"

#include <algorithm>
#include <cmath>

#include "gradient_problem.hpp"

namespace headwise::test {
namespace {

constexpr std::int64_t num_heads = 4;

template <std::size_t Rank>
Tensor<Rank> random_integers(const std::array<std::size_t, Rank>& sizes, std::uint64_t seed) {
  Tensor<Rank> numbers = randn<Rank>(sizes, seed);
  for (float& number : numbers) {
    number = std::round(2 * number);
  }
  return numbers;
}

/// The parameters with small integers for those that scores are made of.
StateDict with_exact_scores(StateDict parameters, std::uint64_t seed) {
  for (const std::string name : {"W_q.weight", "W_k.weight", "W_q.bias", "W_k.bias"}) {
    const auto found = parameters.find(name);
    if (found != parameters.end()) {
      const Tensor<1> integers = random_integers<1>({found->second.size()}, ++seed);
      std::copy(integers.begin(), integers.end(), found->second.begin());
    }
  }
  return parameters;
}

}  // namespace

std::vector<ExactnessCase> exactness_cases() {
  const std::size_t length = exactness_shape[1];
  xt::xarray<bool> allowed(std::vector<std::size_t>{num_heads, length, length}, true);
  for (std::size_t i = 0; i < allowed.size(); i += 3) {
    allowed.data()[i] = false;
  }
  return {{.name = "nothing more"},
          {.name = "bias", .layer = {.bias = true}},
          {.name = "dropout", .layer = {.dropout = 0.4}},
          {.name = "softcap", .layer = {.softcap = 1e4}},
          {.name = "grouped heads", .layer = {.num_kv_heads = 2}},
          {.name = "lengths and empty rows", .options = {.valid_lens = LensBySample{27, 0}}},
          {.name = "a causal window",
           .layer = {.dropout = 0.2},
           .options = {.causal = Causal::top_left, .window = Window{.left = 6, .right = {}}}},
          {.name = "a mask", .options = {.mask = allowed}},
          {.name = "gates", .options = {.head_gate = Tensor<1>{0.5F, -2.0F, 0.0F, 1.0F}}}};
}

MultiHeadAttentionOptions with_exactness_sizes(MultiHeadAttentionOptions options, double scale,
                                               std::uint64_t seed) {
  options.num_hiddens = static_cast<std::int64_t>(exactness_shape[2]);
  options.num_heads = num_heads;
  options.query_size = options.key_size = options.value_size = options.num_hiddens;
  options.scale = scale;
  options.seed = seed;
  return options;
}

reference::GradientProblem exactness_problem(const ExactnessCase& tried, double scale,
                                             std::uint64_t seed) {
  const auto [batch, length, size] = exactness_shape;
  const MultiHeadAttentionOptions options = with_exactness_sizes(tried.layer, scale, seed);
  const MultiHeadAttention layer(options);
  return {.layer = options,
          .parameters = with_exact_scores(layer.state_dict(), 10 * seed),
          .queries = random_integers<3>(exactness_shape, 10 * seed + 5),
          .keys = random_integers<3>(exactness_shape, 10 * seed + 6),
          .values = randn<3>(exactness_shape, 10 * seed + 7),
          .options = tried.options,
          .dropout_factors = dropout_factors(layer.settings(), batch, length, length),
          .grad_output = randn<3>(exactness_shape, 10 * seed + 8)};
}

}  // namespace headwise::test
