#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "compare.hpp"
#include "transformer_problem.hpp"

/// Parameters written through pointers, as an optimizer does, that were taken long before.
namespace headwise::test {
namespace {

/// Numbers unlike those before.
void overwrite(const std::vector<TrainableParameter>& parameters, std::uint64_t seed) {
  for (const TrainableParameter& parameter : parameters) {
    fill_normal(parameter.values, parameter.size(), ++seed);
  }
}

struct LayerProblem {
  std::string name;
  MultiHeadAttentionOptions options;
};

std::vector<LayerProblem> layer_problems() {
  return {
      {"linear", {.num_hiddens = 8, .num_heads = 4, .bias = true, .seed = 1}},
      {"grouped",
       {.num_hiddens = 8,
        .num_heads = 4,
        .output_size = 6,
        .num_kv_heads = 2,
        .bias_kv = true,
        .seed = 2}},
      {"without W_o", {.num_hiddens = 8, .num_heads = 4, .output_projection = false, .seed = 3}},
      {"additive",
       {.num_hiddens = 8,
        .num_heads = 4,
        .pooling = Pooling::additive,
        .attention_hiddens = 3,
        .seed = 4}},
      {"convolution",
       {.num_hiddens = 8,
        .num_heads = 4,
        .bias = true,
        .projection = Projection::convolution,
        .seed = 5}},
      {"additive, no projection",
       {.num_hiddens = 8,
        .num_heads = 4,
        .pooling = Pooling::additive,
        .projection = Projection::none,
        .seed = 6}}};
}

constexpr InputShape shape{
    .batch = 2, .queries = 9, .keys = 7, .query_size = 8, .key_size = 8, .value_size = 8};

/// A layer after a forward and a backward, so that it has something to train.
MultiHeadAttention used_layer(const MultiHeadAttentionOptions& options) {
  MultiHeadAttention layer(options);
  const auto output = forward(layer, random_inputs(shape), {.requires_grad = true}).output;
  layer.backward(randn<3>(output.shape(), 5));
  return layer;
}

TEST_CASE("A layer computes with parameters written through pointers taken before a forward") {
  for (const LayerProblem& problem : layer_problems()) {
    CAPTURE(problem.name);
    MultiHeadAttention layer = used_layer(problem.options);
    const Inputs inputs = random_inputs(shape, 7);
    const auto parameters = layer.trainable_parameters();
    REQUIRE_FALSE(parameters.empty());
    for (std::uint64_t round = 1; round <= 3; ++round) {
      CAPTURE(round);
      const auto old = forward(layer, inputs);
      overwrite(parameters, 100 * round);
      layer.parameters_changed();
      const auto result = forward(layer, inputs);
      CHECK(max_difference(result.output, old.output) > 1e-3);

      MultiHeadAttention fresh(problem.options);
      fresh.load_state_dict(layer.state_dict());
      const auto expected = forward(fresh, inputs);
      CHECK(result.output == expected.output);
      CHECK(*result.attention_weights == *expected.attention_weights);
    }
  }
}

TEST_CASE("So do its caches and its gradients") {
  for (const LayerProblem& problem : layer_problems()) {
    CAPTURE(problem.name);
    const Inputs inputs = random_inputs(shape, 7);
    const auto decoded = [&](MultiHeadAttention& by) {
      KeyValueCache cache = by.create_cache({.batch_size = 2, .max_length = 7});
      return forward(by, inputs, {.cache = &cache}).output;
    };
    const auto gradients = [&](MultiHeadAttention& by) {
      const auto output = forward(by, inputs, {.requires_grad = true}).output;
      return by.backward(randn<3>(output.shape(), 5)).queries;
    };
    const auto check = [&](const auto& result_of) {
      MultiHeadAttention layer = used_layer(problem.options);
      const auto parameters = layer.trainable_parameters();
      forward(layer, inputs);
      overwrite(parameters, 10);
      layer.parameters_changed();
      const auto result = result_of(layer);
      MultiHeadAttention fresh(problem.options);
      fresh.load_state_dict(layer.state_dict());
      CHECK(result == result_of(fresh));
    };
    check(decoded);
    check(gradients);
  }
}

TEST_CASE("A copy of a layer computes with what was written before it was copied") {
  for (const LayerProblem& problem : layer_problems()) {
    CAPTURE(problem.name);
    MultiHeadAttention layer = used_layer(problem.options);
    const Inputs inputs = random_inputs(shape, 7);
    const auto parameters = layer.trainable_parameters();
    forward(layer, inputs);
    overwrite(parameters, 10);
    layer.parameters_changed();
    MultiHeadAttention copy = layer;
    const Tensor<3> result = forward(copy, inputs).output;
    const MultiHeadAttention moved = std::move(layer);
    MultiHeadAttention copy_of_moved = moved;
    const Tensor<3> result_of_moved = forward(copy_of_moved, inputs).output;
    MultiHeadAttention fresh(problem.options);
    fresh.load_state_dict(copy.state_dict());
    const Tensor<3> expected = forward(fresh, inputs).output;
    CHECK(result == expected);
    CHECK(result_of_moved == expected);
  }
}

TEST_CASE("A model computes with parameters written through pointers taken before a pass") {
  for (const TransformerProblem& problem : transformer_problems()) {
    CAPTURE(problem.name);
    AttentionOnlyTransformer model = model_of(problem);
    model.loss_and_gradients(problem.tokens, problem.targets);
    std::vector<std::vector<TrainableParameter>> parameters;
    for (Trainable* trainable : model.trainables()) {
      parameters.push_back(trainable->trainable_parameters());
      REQUIRE_FALSE(parameters.back().empty());
    }
    for (std::uint64_t round = 1; round <= 2; ++round) {
      CAPTURE(round);
      static_cast<void>(model.forward(problem.tokens));
      static_cast<void>(model.loss(problem.tokens, problem.targets));
      for (std::size_t part = 0; part < parameters.size(); ++part) {
        overwrite(parameters[part], 1000 * round + 100 * part);
        model.trainables()[part]->parameters_changed();
      }
      AttentionOnlyTransformer fresh = model_of(problem);
      fresh.load_state_dict(model.state_dict());
      CHECK(model.forward(problem.tokens).logits == fresh.forward(problem.tokens).logits);
      CHECK(model.loss(problem.tokens, problem.targets) ==
            fresh.loss(problem.tokens, problem.targets));
      CHECK(model.copy().forward(problem.tokens).logits == fresh.forward(problem.tokens).logits);
    }
  }
}

TEST_CASE("Reading parameters changes nothing that a pass computes") {
  MultiHeadAttention layer = used_layer(layer_problems().front().options);
  const Inputs inputs = random_inputs(shape, 7);
  const Tensor<3> output = forward(layer, inputs).output;
  forward(layer, inputs, {.requires_grad = true});
  static_cast<void>(layer.state_dict());
  static_cast<void>(layer.gradients());
  CHECK(forward(layer, inputs).output == output);
  CHECK_NOTHROW(layer.backward(randn<3>(output.shape(), 5)));
}

}  // namespace
}  // namespace headwise::test
