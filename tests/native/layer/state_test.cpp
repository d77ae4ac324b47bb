#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "compare.hpp"

/// What calls leave behind for later ones: sizes, gradients, pending backwards, caches, objects
/// that were moved from. Random configurations and the table of errors hold the rest.
namespace headwise::test {
namespace {

constexpr InputShape shape{
    .batch = 2, .queries = 3, .keys = 4, .query_size = 5, .key_size = 4, .value_size = 3};

const MultiHeadAttentionOptions with_sizes{.num_hiddens = 8,
                                           .num_heads = 2,
                                           .bias = true,
                                           .query_size = 5,
                                           .key_size = 4,
                                           .value_size = 3,
                                           .seed = 7};

const Tensor<3> grad_output = randn<3>({2, 3, 8}, 9);

const std::string changed_since =
    "no-pending-backward; backward: expected a forward with requires_grad since the last backward, "
    "got one whose parameters have changed since";

TEST_CASE("A backward is for the latest forward with gradients, and once") {
  MultiHeadAttention layer(with_sizes);
  InputShape other = shape;
  other.batch = 1;
  other.keys = 9;
  forward(layer, random_inputs(other, 70), {.requires_grad = true});
  forward(layer, random_inputs(shape), {.requires_grad = true});
  CHECK(error_of([&] { return layer.backward(randn<2>({3, 8}, 1)); }) ==
        "invalid-shape; grad_output: expected (2, 3, 8), got (3, 8)");
  const auto given = layer.backward(grad_output);
  MultiHeadAttention twin(with_sizes);
  forward(twin, random_inputs(shape), {.requires_grad = true});
  CHECK(given.keys == twin.backward(grad_output).keys);
  CHECK(layer.gradients() == twin.gradients());
  CHECK_THROWS_AS(layer.backward(grad_output), Error);
  CHECK(layer.gradients() == twin.gradients());
}

TEST_CASE("The memory of a backward grows with queries and keys, not with their product") {
  const MultiHeadAttention layer(with_sizes);
  const auto size = [&](std::size_t queries, std::size_t keys) {
    return static_cast<double>(measure([&](Arena& arena) {
      static_cast<void>(
          layer.lay_out_backward(arena, {.batch = 2, .num_queries = queries, .num_keys = keys}));
    }));
  };
  const double mixed = size(2000, 3000) - size(2000, 1000) - size(1000, 3000) + size(1000, 1000);
  // Parts are rounded up; a float for each pair of query and key would be eight million bytes.
  CHECK(std::abs(mixed) < 10'000);
}

TEST_CASE("A change of parameters ends a pending backward; pruning ends caches as well") {
  MultiHeadAttention layer(with_sizes);
  const Inputs inputs = random_inputs(shape);
  KeyValueCache cache = layer.create_cache({.batch_size = 2, .max_length = 20});
  forward(layer, inputs, {.cache = &cache});
  const auto pending = [&] { forward(layer, inputs, {.requires_grad = true}); };
  const auto backward = [&] { return layer.backward(grad_output); };
  pending();
  static_cast<void>(layer.state_dict());
  static_cast<void>(layer.gradients());
  CHECK_THROWS_AS(layer.load_state_dict({}), Error);
  layer.prune_heads({});
  backward();
  const std::vector<std::function<void()>> changes = {
      [&] { layer.load_state_dict(layer.state_dict()); }, [&] { layer.parameters_changed(); },
      [&] { layer.prune_heads({0}); }};
  for (const auto& change : changes) {
    forward(layer, inputs, {.cache = &cache});
    pending();
    change();
    CHECK(error_of(backward) == changed_since);
  }
  CHECK(error_of([&] { return forward(layer, inputs, {.cache = &cache}); }) ==
        "invalid-cache; cache: expected one made since heads were pruned, got an older one");
  CHECK(cache.length() == 16);
}

TEST_CASE("A cache belongs to its layer, wherever that was moved, and not to copies") {
  MultiHeadAttention layer(with_sizes);
  const Inputs inputs = random_inputs(shape);
  KeyValueCache cache = layer.create_cache({.batch_size = 2, .max_length = 8});
  forward(layer, inputs, {.cache = &cache});
  const Tensor<3> expected = layer.forward(inputs.queries, {.cache = &cache}).output;
  MultiHeadAttention copy = layer;
  CHECK(error_of([&] { return copy.forward(inputs.queries, {.cache = &cache}); }) ==
        "invalid-cache; cache: expected one that this layer made, got another layer's");
  MultiHeadAttention moved = std::move(layer);
  KeyValueCache moved_cache = std::move(cache);
  CHECK(moved.forward(inputs.queries, {.cache = &moved_cache}).output == expected);
  CHECK(moved_cache.length() == 4);
  CHECK(moved_cache.max_length() == 8);
  CHECK(moved_cache.batch_size() == 2);
  CHECK(moved.forward(inputs.queries, {.cache = &moved_cache}).output == expected);
}

TEST_CASE("Every call on an object that was moved from says that it holds nothing") {
  MultiHeadAttention layer(with_sizes);
  MultiHeadAttention trained(with_sizes);
  const StateDict parameters = layer.state_dict();
  KeyValueCache cache = trained.create_cache({.batch_size = 2, .max_length = 8});
  KeyValueCache other_cache = cache;
  Adam adam({&trained});
  MultiHeadAttention taken_layer = std::move(layer);
  KeyValueCache taken_cache = std::move(cache);
  Adam taken_adam = std::move(adam);
  const Inputs inputs = random_inputs(shape);
  const std::function<void()> uses[] = {
      [&] { return forward(layer, inputs); },
      [&] { return layer.forward(inputs.queries, {.cache = &other_cache}); },
      [&] { return layer.backward(grad_output); },
      [&] { return layer.gradients(); },
      [&] { return layer.state_dict(); },
      [&] { layer.load_state_dict(parameters); },
      [&] { return layer.create_cache({.batch_size = 1, .max_length = 2}); },
      [&] { layer.prune_heads({0}); },
      [&] { return layer.trainable_parameters(); },
      [&] {
        const HeadMeasureBatch batch{inputs.queries, inputs.keys, inputs.values};
        return measure_head_importance(layer, {batch}, {.measure = HeadMeasure::entropy});
      },
      [&] {
        MultiHeadAttention copy = layer;
        return forward(copy, inputs);
      },
      [&] { Adam({&layer}).step(); },
      [&] { Adam({&layer}).zero_gradients(); },
      [&] { return clip_gradient_norm({&layer}, 1); },
      [&] { return forward(trained, inputs, {.cache = &cache}); },
      [&] { return trained.forward(inputs.queries, {.cache = &cache}); },
      [&] { cache.truncate(0); },
      [&] {
        KeyValueCache copy = cache;
        return trained.forward(inputs.queries, {.cache = &copy});
      },
      [&] { adam.step(); },
      [&] { adam.zero_gradients(); },
      [&] { adam.set_learning_rate(1); }};
  for (std::size_t use = 0; use < std::size(uses); ++use) {
    CAPTURE(use);
    CHECK(error_of([&] { uses[use](); }).starts_with("disposed; "));
  }
  // They may be assigned to, and the others go on.
  layer = std::move(taken_layer);
  cache = taken_cache;
  adam = std::move(taken_adam);
  MultiHeadAttention& same = trained;
  trained = same;
  forward(layer, inputs, {.requires_grad = true});
  layer.backward(grad_output);
  forward(trained, inputs, {.cache = &cache});
  adam.step();
}

TEST_CASE("A model refuses layers that do not fit it") {
  const auto layer = [](std::int64_t input, std::int64_t hiddens, std::int64_t output) {
    return MultiHeadAttention({.num_hiddens = hiddens,
                               .num_heads = 3,
                               .query_size = input,
                               .key_size = input,
                               .value_size = input,
                               .output_size = output,
                               .seed = 9});
  };
  std::vector<MultiHeadAttention> layers = {layer(60, 60, 60), layer(6, 6, 60), layer(60, 6, 6),
                                            layer(3, 3, 3),
                                            MultiHeadAttention({.num_hiddens = 6, .num_heads = 3})};
  const Tokens tokens = {{1, 2, 3}};
  for (MultiHeadAttention& other : layers) {
    AttentionOnlyTransformer model({.vocabulary_size = 5,
                                    .max_length = 7,
                                    .num_hiddens = 6,
                                    .num_heads = 3,
                                    .num_layers = 2,
                                    .seed = 1});
    std::swap(model.layer(0), other);
    CHECK_THROWS_AS(model.forward(tokens), Error);
  }
}

MultiHeadAttentionOptions options_without_sizes() {
  auto options = with_sizes;
  options.query_size = options.key_size = options.value_size = std::nullopt;
  return options;
}

TEST_CASE("A seed left out is drawn, told, and gives the layer again") {
  MultiHeadAttentionOptions options = with_sizes;
  options.seed = std::nullopt;
  const MultiHeadAttention layer(options);
  const MultiHeadAttention other(options);
  CHECK(layer.seed() != other.seed());
  options.seed = layer.seed();
  CHECK(MultiHeadAttention(options).state_dict() == layer.state_dict());
}

TEST_CASE("A layer that is made to be loaded begins with zeros, in every precision") {
  auto options = with_sizes;
  for (const Precision weights :
       {Precision::float32, Precision::float16, Precision::int8, Precision::int4}) {
    options.weights = weights;
    for (const auto& [name, tensor] :
         MultiHeadAttention(options, InitialParameters::zeros).state_dict()) {
      CAPTURE(name);
      CHECK(all_equal(tensor, 0));
    }
  }
}

TEST_CASE("The same seed gives the same parameters whether sizes are given or inferred") {
  const StateDict expected = MultiHeadAttention(with_sizes).state_dict();
  MultiHeadAttention inferred(options_without_sizes());
  auto empty = shape;
  empty.batch = 0;
  forward(inferred, random_inputs(empty));
  CHECK(inferred.query_size() == 5);
  CHECK(inferred.key_size() == 4);
  CHECK(inferred.value_size() == 3);
  CHECK(inferred.state_dict() == expected);

  auto half = options_without_sizes();
  half.key_size = 4;
  MultiHeadAttention half_inferred(half);
  forward(half_inferred, random_inputs(shape));
  CHECK(half_inferred.state_dict() == expected);
}

/// FNV-1a of the bits of all numbers.
std::uint32_t hash_of(const StateDict& dict) {
  std::uint32_t hash = 0x811C9DC5;
  for (const auto& [name, tensor] : dict) {
    for (const float number : tensor) {
      hash = (hash ^ std::bit_cast<std::uint32_t>(number)) * 0x01000193;
    }
  }
  return hash;
}

TEST_CASE("A seed gives the parameters that it gave in earlier versions") {
  auto options = with_sizes;
  CHECK(hash_of(MultiHeadAttention(options).state_dict()) == 0xfef9df14);
  options.num_kv_heads = 1;
  options.pooling = Pooling::additive;
  options.bias_kv = true;
  options.output_size = 7;
  CHECK(hash_of(MultiHeadAttention(options).state_dict()) == 0x3efe4d44);
  options = {.num_hiddens = 8, .num_heads = 2, .projection = Projection::convolution};
  options.query_size = options.key_size = options.value_size = 4;
  options.seed = (std::uint64_t{1} << 53U) - 1;
  CHECK(hash_of(MultiHeadAttention(options).state_dict()) == 0x6adfa925);
}

}  // namespace
}  // namespace headwise::test
