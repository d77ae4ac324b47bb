#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "compare.hpp"
#include "gradient_problem.hpp"
#include "plain_gradients.hpp"

/// Gradients are as exact as those of a plain program in float32, where softmax saturates, too.
namespace headwise::test {
namespace {

constexpr std::size_t batch = 2;
constexpr std::size_t length = 48;
constexpr std::size_t num_hiddens = 32;
constexpr std::array shape{batch, length, num_hiddens};

struct Case {
  std::string name;
  MultiHeadAttentionOptions layer{};
  ForwardOptions options{};
};

MultiHeadAttentionOptions with_sizes(MultiHeadAttentionOptions options, double scale,
                                     std::uint64_t seed) {
  options.num_hiddens = num_hiddens;
  options.num_heads = 4;
  options.query_size = options.key_size = options.value_size = num_hiddens;
  options.scale = scale;
  options.seed = seed;
  return options;
}

std::vector<Case> cases() {
  xt::xarray<bool> allowed(std::vector<std::size_t>{4, length, length}, true);
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

/// Small integers: of these alone, float32 has every score exactly, so that what is measured is how
/// gradients are computed and not how far two scores lie apart.
template <std::size_t Rank>
Tensor<Rank> random_integers(const std::array<std::size_t, Rank>& sizes, std::uint64_t seed) {
  Tensor<Rank> numbers = randn<Rank>(sizes, seed);
  for (float& number : numbers) {
    number = std::round(2 * number);
  }
  return numbers;
}

/// The parameters with integers for those that scores are made of.
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

/// Sums over all elements of the squares of what is wrong, by name.
struct Errors {
  std::map<std::string, double> library, plain;
};

void add_errors(const Case& tried, double scale, std::uint64_t seed, Errors& errors) {
  const MultiHeadAttentionOptions options = with_sizes(tried.layer, scale, seed);
  MultiHeadAttention layer(options);
  layer.load_state_dict(with_exact_scores(layer.state_dict(), 10 * seed));
  layer.train();
  const Inputs inputs{.queries = random_integers<3>(shape, 10 * seed + 5),
                      .keys = random_integers<3>(shape, 10 * seed + 6),
                      .values = randn<3>(shape, 10 * seed + 7)};
  ForwardOptions forward_options = tried.options;
  forward_options.requires_grad = true;
  forward(layer, inputs, forward_options);
  const Tensor<3> grad_output = randn<3>(shape, 10 * seed + 8);
  const reference::GradientProblem problem{
      .layer = options,
      .parameters = layer.state_dict(),
      .queries = inputs.queries,
      .keys = inputs.keys,
      .values = inputs.values,
      .options = tried.options,
      .dropout_factors = dropout_factors(layer.settings(), batch, length, length),
      .grad_output = grad_output};
  const NamedGradients library = by_name(layer.backward(grad_output), layer);
  const NamedGradients plain = plain_gradients<float>(problem);
  for (const auto& [name, exact] : plain_gradients<double>(problem)) {
    const auto error_of_all = [&](const std::vector<double>& numbers) {
      REQUIRE(numbers.size() == exact.size());
      double sum = 0;
      for (std::size_t i = 0; i < exact.size(); ++i) {
        sum += (numbers[i] - exact[i]) * (numbers[i] - exact[i]);
      }
      return sum;
    };
    errors.library[name] += error_of_all(library.at(name));
    errors.plain[name] += error_of_all(plain.at(name));
  }
}

/// Rounding errors are as good as random, so that the ratio of two programs that are equally exact
/// stays near 1. Where few pairs of keys tell, it is that of the exponentials, of which a plain
/// program's have half the rounding error.
constexpr double largest_ratio = 2;

void check_exactness(double scale) {
  for (const Case& tried : cases()) {
    Errors errors;
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      add_errors(tried, scale, seed, errors);
    }
    for (const auto& [name, squares] : errors.library) {
      const double error = std::sqrt(squares);
      const double of_plain = std::sqrt(errors.plain.at(name));
      CAPTURE(tried.name, name, error, of_plain);
      CHECK(error <= largest_ratio * of_plain);
    }
  }
}

TEST_CASE("Gradients are as exact as plain float32's at ordinary scores") {
  check_exactness(1.0 / 1024);
}

TEST_CASE("Gradients are as exact as plain float32's at scores of 10,000") { check_exactness(4); }

TEST_CASE("Nothing goes back through a softmax whose weights are 0 and 1") {
  // Scores lie so far apart that no query is torn between two keys.
  constexpr double far = 1e9;
  const std::vector<Case> saturated = {
      {.name = "nothing more"},
      {.name = "dropout", .layer = {.dropout = 0.4}},
      {.name = "slots", .layer = {.bias_kv = true, .zero_attention = true}},
      {.name = "additive", .layer = {.pooling = Pooling::additive}},
      {.name = "gates", .options = {.head_gate = Tensor<1>{0.3F, -2.0F, 0.0F, 1.0F}}},
      {.name = "masked NaN", .options = {.valid_lens = LensBySample{27, 0}}}};
  for (const Case& tried : saturated) {
    CAPTURE(tried.name);
    const bool is_additive = tried.layer.pooling == Pooling::additive;
    MultiHeadAttentionOptions options = with_sizes(tried.layer, far, 3);
    if (is_additive) {
      options.scale.reset();
    }
    MultiHeadAttention layer(options);
    StateDict parameters = layer.state_dict();
    if (is_additive) {
      parameters.at("attention.w_v.weight") *= static_cast<float>(far);
    }
    layer.load_state_dict(parameters);
    layer.train();
    Inputs inputs{
        .queries = randn<3>(shape, 1), .keys = randn<3>(shape, 2), .values = randn<3>(shape, 3)};
    if (tried.name == "masked NaN") {
      inputs.values(0, length - 1, 0) = nan;
      inputs.values(1, 0, 0) = infinity;
    }
    ForwardOptions forward_options = tried.options;
    forward_options.requires_grad = true;
    forward(layer, inputs, forward_options);
    const NamedGradients gradients = by_name(layer.backward(randn<3>(shape, 4)), layer);
    for (const std::string name : {"queries", "keys", "W_q.weight", "W_k.weight"}) {
      CAPTURE(name);
      CHECK(all_equal(gradients.at(name), 0));
    }
    CHECK_FALSE(all_equal(gradients.at("W_v.weight"), 0));
  }
}

}  // namespace
}  // namespace headwise::test
