#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <functional>
#include <headwise/headwise.hpp>
#include <latch>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "compare.hpp"
#include "set_threads.hpp"

/// What may be done from several threads at once: constant calls on the same object, and any calls
/// on objects of each thread's own. ThreadSanitizer fails the program where two of them race.
namespace headwise::test {
namespace {

constexpr std::size_t num_callers = 4;

/// Runs the function in several threads that begin together, with each thread's number.
void in_several_threads(const std::function<void(std::size_t caller)>& function) {
  std::latch all_there(num_callers);
  std::vector<std::thread> callers;
  for (std::size_t caller = 0; caller < num_callers; ++caller) {
    callers.emplace_back([&, caller] {
      all_there.arrive_and_wait();
      function(caller);
    });
  }
  for (std::thread& caller : callers) {
    caller.join();
  }
}

constexpr InputShape shape{
    .batch = 2, .queries = 3, .keys = 4, .query_size = 8, .key_size = 8, .value_size = 8};

std::vector<MultiHeadAttentionOptions> layer_options() {
  std::vector<MultiHeadAttentionOptions> all(3);
  all[0].bias = true;
  all[1].num_kv_heads = 2;
  all[1].pooling = Pooling::additive;
  all[1].bias_kv = true;
  all[2].projection = Projection::convolution;
  for (MultiHeadAttentionOptions& options : all) {
    options.num_hiddens = 8;
    options.query_size = options.key_size = options.value_size = 8;
    options.num_heads = 4;
    options.seed = 1;
  }
  return all;
}

/// Constant calls of a layer.
void read(const MultiHeadAttention& layer, const Inputs& inputs) {
  static_cast<void>(layer.state_dict());
  static_cast<void>(layer.gradients());
  static_cast<void>(layer.query_size());
  static_cast<void>(layer.training());
  static_cast<void>(layer.removed_slices());
  static_cast<void>(layer.create_cache({.batch_size = 2, .max_length = 5}));
  MultiHeadAttention copy = layer;
  static_cast<void>(forward(copy, inputs));
  static_cast<void>(measure_head_importance(
      layer, {{.queries = inputs.queries, .keys = inputs.keys, .values = inputs.values}},
      {.measure = HeadMeasure::entropy}));
}

TEST_CASE("The first calls of a program") {
  in_several_threads([](std::size_t caller) {
    const Inputs inputs = random_inputs(shape);
    MultiHeadAttention layer(layer_options()[caller % layer_options().size()]);
    static_cast<void>(forward(layer, inputs));
    static_cast<void>(num_threads());
  });
}

TEST_CASE("Readers of one layer") {
  const Inputs inputs = random_inputs(shape);
  for (const MultiHeadAttentionOptions& options : layer_options()) {
    MultiHeadAttention layer(options);
    const auto read_at_once = [&] {
      in_several_threads([&](std::size_t /*caller*/) { read(layer, inputs); });
    };
    read_at_once();
    const Tensor<3> output = forward(layer, inputs, {.requires_grad = true}).output;
    layer.backward(output);
    forward(layer, inputs, {.requires_grad = true});
    read_at_once();
    // Nor do they keep the layer from going on.
    CHECK(forward(layer, inputs, {}).output == output);
    layer.backward(output);
    read_at_once();
  }
}

constexpr AttentionOnlyTransformerOptions model_options{.vocabulary_size = 5,
                                                        .max_length = 7,
                                                        .num_hiddens = 6,
                                                        .num_heads = 3,
                                                        .num_layers = 2,
                                                        .positions = Positions::learned,
                                                        .layer_norm = true,
                                                        .seed = 1};

/// Constant calls of a model.
void read(const AttentionOnlyTransformer& model, const Tokens& tokens) {
  static_cast<void>(model.state_dict());
  static_cast<void>(model.gradients());
  static_cast<void>(model.training());
  static_cast<void>(model.layer(1).state_dict());
  AttentionOnlyTransformer copy = model.copy();
  static_cast<void>(copy.forward(tokens));
  static_cast<void>(measure_head_importance(model, {{.tokens = tokens, .targets = tokens}},
                                            {.measure = HeadMeasure::gradient}));
}

TEST_CASE("Readers of one model") {
  const Tokens tokens = {{1, 2, 3}, {3, 2, 1}};
  AttentionOnlyTransformer model(model_options);
  for (int times = 0; times < 2; ++times) {
    in_several_threads([&](std::size_t /*caller*/) { read(model, tokens); });
    model.train_step(tokens, tokens);
  }
}

/// Large enough for the library's own threads, in every part of a pass.
constexpr InputShape large{
    .batch = 1, .queries = 150, .keys = 160, .query_size = 64, .key_size = 64, .value_size = 64};

/// A training step's passes by hand with a layer of the caller's own, and what came of them.
Tensor<3> train_layer(std::size_t caller) {
  const Inputs inputs = random_inputs(large);
  MultiHeadAttention layer(
      {.num_hiddens = 64, .num_heads = 4, .dropout = 0.1, .bias = true, .seed = caller});
  layer.train();
  const Tensor<3> output =
      forward(layer, inputs, {.return_weights = true, .requires_grad = true}).output;
  layer.backward(output);
  SGD({&layer}, {.learning_rate = 1e-3}).step();
  return forward(layer, inputs).output;
}

/// All that came of calls on objects of the caller's own, and of functions.
struct Results {
  Tensor<3> output;
  Tokens batch;
  double loss;
  std::string error;
  bool operator==(const Results& other) const = default;
};

Results results_of(std::size_t caller) {
  const CopyTask task({.num_symbols = 5, .length = 6});
  const Inputs inputs = random_inputs(shape);
  const StateDict parameters = MultiHeadAttention(layer_options().front()).state_dict();
  static_cast<void>(masked_softmax(inputs.queries));
  static_cast<void>(dot_product_attention(inputs.queries, inputs.keys, inputs.values));
  static_cast<void>(positional_encoding(5, 6));
  static_cast<void>(load_safetensors(save_safetensors(parameters)));
  static_cast<void>(MultiHeadAttention::from_state_dict(parameters, {.num_heads = 4}));
  const Tokens tokens = {{1, 2, 3}, {3, 2, 1}};
  AttentionOnlyTransformer model(model_options);
  model.train_step(tokens, tokens);
  return {.output = train_layer(caller),
          .batch = task.batch(1, 3).tokens,
          .loss = model.train_step(tokens, tokens),
          .error = error_of([&] { return task.batch(1, -1); })};
}

TEST_CASE("Each thread's own objects, beside the library's threads") {
  const SetThreads set(3);
  std::vector<Results> results(num_callers);
  in_several_threads([&](std::size_t caller) { results[caller] = results_of(caller); });
  for (std::size_t caller = 0; caller < num_callers; ++caller) {
    CHECK((results[caller] == results_of(caller)));
  }
}

TEST_CASE("The number of threads is set while others compute") {
  const SetThreads set(2);
  in_several_threads([&](std::size_t caller) {
    if (caller == 0) {
      for (const std::int64_t threads : {3, 1, 2}) {
        set_num_threads(threads);
      }
    } else {
      static_cast<void>(train_layer(caller));
    }
  });
  CHECK(num_threads() == 2);
}

}  // namespace
}  // namespace headwise::test
