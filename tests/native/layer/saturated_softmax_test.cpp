#include <array>
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "compare.hpp"
#include "gradient_problem.hpp"

namespace headwise::test {
namespace {

constexpr std::array<std::size_t, 3> shape{2, 48, 32};

struct Case {
  std::string name;
  MultiHeadAttentionOptions layer = {};
  ForwardOptions options = {};
};

TEST_CASE("Nothing goes back through a softmax whose weights are 0 and 1") {
  // Scores lie so far apart that no query is torn between two keys.
  constexpr double far = 1e9;
  const std::vector<Case> cases = {
      {.name = "nothing more"},
      {.name = "dropout", .layer = {.dropout = 0.4}},
      {.name = "slots", .layer = {.bias_kv = true, .zero_attention = true}},
      {.name = "additive", .layer = {.pooling = Pooling::additive}},
      {.name = "gates", .options = {.head_gate = Tensor<1>{0.3F, -2.0F, 0.0F, 1.0F}}},
      {.name = "masked NaN", .options = {.valid_lens = LensBySample{27, 0}}}};
  for (const Case& tried : cases) {
    CAPTURE(tried.name);
    MultiHeadAttentionOptions options = tried.layer;
    options.num_hiddens = 32;
    options.query_size = options.key_size = options.value_size = 32;
    options.num_heads = 4;
    options.seed = 3;
    const bool is_additive = options.pooling == Pooling::additive;
    if (!is_additive) {
      options.scale = far;
    }
    MultiHeadAttention layer(options);
    if (is_additive) {
      StateDict parameters = layer.state_dict();
      parameters.at("attention.w_v.weight") *= static_cast<float>(far);
      layer.load_state_dict(parameters);
    }
    layer.train();
    Inputs inputs = {randn<3>(shape, 1), randn<3>(shape, 2), randn<3>(shape, 3)};
    if (tried.name == "masked NaN") {
      inputs.values(0, shape[1] - 1, 0) = nan;
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
