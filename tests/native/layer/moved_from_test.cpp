#include <catch2/catch_test_macros.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "compare.hpp"

/// What was moved from holds nothing: every call says so, and it may be destroyed or assigned to.
namespace headwise::test {
namespace {

/// Whether a call throws `Error` (disposed); a call that promises not to throw need only return.
#define CHECK_DISPOSED(...)                                                  \
  do {                                                                       \
    if constexpr (noexcept(__VA_ARGS__)) {                                   \
      static_cast<void>(__VA_ARGS__);                                        \
    } else {                                                                 \
      CHECK(code_of([&] { static_cast<void>(__VA_ARGS__); }) == "disposed"); \
    }                                                                        \
  } while (false)

template <typename Call>
std::string code_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return std::string(error.code());
  }
  return "no error";
}

constexpr InputShape shape{
    .batch = 2, .queries = 3, .keys = 4, .query_size = 5, .key_size = 6, .value_size = 7};

Tensor<2> one(std::size_t length, std::size_t size) { return randn<2>({length, size}, 4); }

/// A layer after everything that leaves something in it.
MultiHeadAttention used_layer(const MultiHeadAttentionOptions& options) {
  MultiHeadAttention layer(options);
  const auto output = forward(layer, random_inputs(shape), {.requires_grad = true}).output;
  layer.backward(randn<3>(output.shape(), 5));
  forward(layer, random_inputs(shape), {.requires_grad = true});
  return layer;
}

std::vector<MultiHeadAttentionOptions> layer_options() {
  return {
      {.num_hiddens = 8, .num_heads = 2, .bias = true, .seed = 1},
      {.num_hiddens = 8, .num_heads = 2, .pooling = Pooling::additive, .bias_kv = true, .seed = 2},
      {.num_hiddens = 8, .num_heads = 2, .output_projection = false, .seed = 3}};
}

/// Every call of a layer that holds nothing. None of them brings it back.
void check_disposed(MultiHeadAttention& layer, const StateDict& parameters) {
  const MultiHeadAttention& unchanged = layer;
  const Inputs inputs = random_inputs(shape);
  const Tensor<2> queries = one(3, 5);
  const Tensor<2> keys = one(4, 6);
  const Tensor<2> values = one(4, 7);
  MultiHeadAttention other({.num_hiddens = 8,
                            .num_heads = 2,
                            .query_size = 5,
                            .key_size = 6,
                            .value_size = 7,
                            .seed = 1});
  KeyValueCache cache = other.create_cache({.batch_size = 2, .max_length = 5});

  CHECK_DISPOSED(layer.forward(inputs.queries, inputs.keys, inputs.values));
  CHECK_DISPOSED(
      layer.forward(inputs.queries, inputs.keys, inputs.values, {.requires_grad = true}));
  CHECK_DISPOSED(layer.forward(queries, keys, values));
  CHECK_DISPOSED(layer.forward(inputs.queries, {.cache = &cache}));
  CHECK_DISPOSED(layer.forward(queries, {.cache = &cache}));
  CHECK_DISPOSED(layer.backward(randn<3>({2, 3, 8}, 1)));
  CHECK_DISPOSED(layer.backward(one(3, 8)));
  CHECK_DISPOSED(unchanged.gradients());
  CHECK_DISPOSED(unchanged.state_dict());
  CHECK_DISPOSED(layer.load_state_dict(parameters));
  CHECK_DISPOSED(unchanged.create_cache({.batch_size = 1, .max_length = 2}));
  CHECK_DISPOSED(layer.prune_heads({0}));
  CHECK_DISPOSED(layer.trainable_parameters());
  CHECK_DISPOSED(layer.zero_gradients());
  CHECK_DISPOSED(layer.train());
  CHECK_DISPOSED(layer.eval());
  CHECK_DISPOSED(layer.parameters_changed());
  CHECK_DISPOSED(unchanged.training());
  CHECK_DISPOSED(unchanged.settings());
  CHECK_DISPOSED(unchanged.num_hiddens());
  CHECK_DISPOSED(unchanged.num_heads());
  CHECK_DISPOSED(unchanged.seed());
  CHECK_DISPOSED(unchanged.query_size());
  CHECK_DISPOSED(unchanged.key_size());
  CHECK_DISPOSED(unchanged.value_size());
  CHECK_DISPOSED(unchanged.removed_slices());
  CHECK_DISPOSED(measure_head_importance(
      unchanged, {{.queries = inputs.queries, .keys = inputs.keys, .values = inputs.values}},
      {.measure = HeadMeasure::entropy}));
  // A copy holds no more than what it was copied from.
  CHECK(code_of([&] {
          MultiHeadAttention copy = unchanged;
          static_cast<void>(copy.forward(inputs.queries, inputs.keys, inputs.values));
        }) == "disposed");
  CHECK(code_of([&] { Adam({&layer}).step(); }) == "disposed");
  CHECK(code_of([&] { Adam({&layer}).zero_gradients(); }) == "disposed");
  CHECK(code_of([&] { clip_gradient_norm({&layer}, 1); }) == "disposed");
}

TEST_CASE("A layer that was moved from is disposed of") {
  for (const MultiHeadAttentionOptions& options : layer_options()) {
    CAPTURE(static_cast<int>(options.pooling));
    MultiHeadAttention layer = used_layer(options);
    const StateDict parameters = layer.state_dict();
    {
      const MultiHeadAttention taken = std::move(layer);
      check_disposed(layer, parameters);
    }
    {
      MultiHeadAttention again = used_layer(options);
      MultiHeadAttention assigned(layer_options().front());
      assigned = std::move(again);
      check_disposed(again, parameters);
    }
    MultiHeadAttention unknown(options);
    const MultiHeadAttention taken = std::move(unknown);
    check_disposed(unknown, parameters);
  }
}

TEST_CASE("A layer that was moved to goes on, and one that was moved from may be assigned to") {
  for (const MultiHeadAttentionOptions& options : layer_options()) {
    CAPTURE(static_cast<int>(options.pooling));
    const Inputs inputs = random_inputs(shape);
    const Tensor<3> grad_output = randn<3>({2, 3, 8}, 6);
    MultiHeadAttention layer = used_layer(options);
    MultiHeadAttention expected = layer;
    KeyValueCache cache = layer.create_cache({.batch_size = 2, .max_length = 8});
    forward(layer, inputs, {.cache = &cache});
    const Tensor<3> from_cache = layer.forward(inputs.queries, {.cache = &cache}).output;

    MultiHeadAttention moved = std::move(layer);
    CHECK(moved.backward(grad_output).queries == expected.backward(grad_output).queries);
    CHECK(forward(moved, inputs).output == forward(expected, inputs).output);
    CHECK(moved.forward(inputs.queries, {.cache = &cache}).output == from_cache);

    layer = std::move(moved);
    CHECK(forward(layer, inputs).output == forward(expected, inputs).output);
    moved = layer;
    CHECK(forward(moved, inputs).output == forward(expected, inputs).output);
    MultiHeadAttention& same = layer;
    layer = same;
    CHECK(forward(layer, inputs).output == forward(expected, inputs).output);
  }
}

TEST_CASE("A cache that was moved from is disposed of") {
  MultiHeadAttention layer = used_layer(layer_options().front());
  const Inputs inputs = random_inputs(shape);
  KeyValueCache cache = layer.create_cache({.batch_size = 2, .max_length = 8});
  KeyValueCache of_one = layer.create_cache({.batch_size = 1, .max_length = 8});
  forward(layer, inputs, {.cache = &cache});
  const Tensor<3> expected = layer.forward(inputs.queries, {.cache = &cache}).output;

  KeyValueCache moved = std::move(cache);
  const KeyValueCache moved_of_one = std::move(of_one);
  const KeyValueCache& unchanged = cache;
  CHECK_DISPOSED(layer.forward(inputs.queries, inputs.keys, inputs.values, {.cache = &cache}));
  CHECK_DISPOSED(layer.forward(inputs.queries, {.cache = &cache}));
  CHECK_DISPOSED(layer.forward(one(3, 5), one(4, 6), one(4, 7), {.cache = &of_one}));
  CHECK_DISPOSED(layer.forward(one(3, 5), {.cache = &of_one}));
  CHECK_DISPOSED(cache.truncate(0));
  CHECK_DISPOSED(cache.truncate(1));
  CHECK_DISPOSED(cache.reset());
  CHECK_DISPOSED(unchanged.length());
  CHECK_DISPOSED(unchanged.max_length());
  CHECK_DISPOSED(unchanged.batch_size());
  CHECK(code_of([&] {
          KeyValueCache copy = unchanged;
          static_cast<void>(layer.forward(inputs.queries, {.cache = &copy}));
        }) == "disposed");

  CHECK(layer.forward(inputs.queries, {.cache = &moved}).output == expected);
  KeyValueCache copy = moved;
  cache = std::move(moved);
  CHECK(layer.forward(inputs.queries, {.cache = &cache}).output == expected);
  CHECK_DISPOSED(layer.forward(inputs.queries, {.cache = &moved}));
  moved = copy;
  CHECK(layer.forward(inputs.queries, {.cache = &moved}).output == expected);
}

constexpr AttentionOnlyTransformerOptions model_options{.vocabulary_size = 5,
                                                        .max_length = 7,
                                                        .num_hiddens = 6,
                                                        .num_heads = 3,
                                                        .num_layers = 2,
                                                        .seed = 1};

AttentionOnlyTransformer used_model() {
  AttentionOnlyTransformer model(model_options);
  model.train_step({{1, 2, 3}}, {{2, 3, 4}});
  return model;
}

/// Every call of a model that holds nothing. None of them brings it back.
void check_disposed(AttentionOnlyTransformer& model, const StateDict& parameters,
                    Optimizer& optimizer) {
  const AttentionOnlyTransformer& unchanged = model;
  const Tokens tokens = {{1, 2, 3}};
  CHECK_DISPOSED(unchanged.copy());
  CHECK_DISPOSED(model.forward(tokens));
  CHECK_DISPOSED(model.forward(tokens, {.return_weights = true}));
  CHECK_DISPOSED(model.loss(tokens, tokens));
  CHECK_DISPOSED(model.loss_and_gradients(tokens, tokens));
  CHECK_DISPOSED(model.train_step(tokens, tokens));
  CHECK_DISPOSED(model.train_step(tokens, tokens, optimizer));
  CHECK_DISPOSED(model.optimizer());
  CHECK_DISPOSED(model.trainables());
  CHECK_DISPOSED(unchanged.gradients());
  CHECK_DISPOSED(model.zero_gradients());
  CHECK_DISPOSED(unchanged.state_dict());
  CHECK_DISPOSED(model.load_state_dict(parameters));
  CHECK_DISPOSED(model.train());
  CHECK_DISPOSED(model.eval());
  CHECK_DISPOSED(unchanged.training());
  CHECK_DISPOSED(unchanged.num_layers());
  CHECK_DISPOSED(unchanged.causal());
  CHECK_DISPOSED(unchanged.seed());
  if constexpr (!noexcept(unchanged.sizes())) {
    CHECK_DISPOSED(unchanged.sizes());
  }
  if constexpr (!noexcept(unchanged.layer(0))) {
    CHECK_DISPOSED(unchanged.layer(0));
    CHECK_DISPOSED(model.layer(0));
  }
  CHECK_DISPOSED(measure_head_importance(unchanged, {{.tokens = tokens, .targets = tokens}},
                                         {.measure = HeadMeasure::gradient}));
}

TEST_CASE("A model that was moved from is disposed of") {
  AttentionOnlyTransformer model = used_model();
  const StateDict parameters = model.state_dict();
  AttentionOnlyTransformer moved = std::move(model);
  Adam of_moved(moved.trainables());
  check_disposed(model, parameters, of_moved);
  AttentionOnlyTransformer assigned(model_options);
  assigned = std::move(moved);
  check_disposed(moved, parameters, of_moved);
}

TEST_CASE("A model that was moved to goes on, and one that was moved from may be assigned to") {
  const Tokens tokens = {{1, 2, 3}};
  AttentionOnlyTransformer expected = used_model();
  AttentionOnlyTransformer model = used_model();
  // Optimizers find what they train where it was.
  Adam optimizer(model.trainables());
  Adam expected_optimizer(expected.trainables());
  AttentionOnlyTransformer moved = std::move(model);
  CHECK(moved.train_step(tokens, tokens) == expected.train_step(tokens, tokens));
  CHECK(moved.train_step(tokens, tokens, optimizer) ==
        expected.train_step(tokens, tokens, expected_optimizer));
  CHECK(moved.state_dict() == expected.state_dict());
  model = std::move(moved);
  CHECK(model.train_step(tokens, tokens) == expected.train_step(tokens, tokens));
  CHECK(model.train_step(tokens, tokens, optimizer) ==
        expected.train_step(tokens, tokens, expected_optimizer));
  moved = model.copy();
  CHECK(moved.state_dict() == expected.state_dict());
}

template <typename Kind>
void check_moved_optimizer() {
  MultiHeadAttention layer = used_layer(layer_options().front());
  MultiHeadAttention expected_layer = layer;
  Kind optimizer({&layer});
  Kind expected({&expected_layer});
  optimizer.step();
  expected.step();
  Kind moved = std::move(optimizer);
  const Kind& unchanged = optimizer;
  CHECK_DISPOSED(optimizer.step());
  CHECK_DISPOSED(optimizer.zero_gradients());
  CHECK_DISPOSED(optimizer.set_learning_rate(1));
  CHECK_DISPOSED(unchanged.learning_rate());
  if constexpr (requires { unchanged.options(); }) {
    CHECK_DISPOSED(unchanged.options());
  }
  CHECK(layer.state_dict() == expected_layer.state_dict());
  moved.step();
  expected.step();
  CHECK(layer.state_dict() == expected_layer.state_dict());
  optimizer = std::move(moved);
  CHECK_DISPOSED(moved.step());
  optimizer.step();
  expected.step();
  CHECK(layer.state_dict() == expected_layer.state_dict());
}

TEST_CASE("An optimizer that was moved from is disposed of") {
  check_moved_optimizer<Adam>();
  check_moved_optimizer<SGD>();
}

}  // namespace
}  // namespace headwise::test
