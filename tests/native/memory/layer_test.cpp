#include <catch2/catch_test_macros.hpp>
#include <headwise/multi_head_attention.hpp>

#include "allocations.hpp"
#include "every_allocation.hpp"
#include "layouts.hpp"
#include "problem.hpp"
#include "set_threads.hpp"
#include "worlds.hpp"

/// A layer's calls that run out of memory.
namespace headwise::test {
namespace {

constexpr auto probe_world = [](LayerWorld& world, Fingerprint& print) { probe(world, print); };

std::vector<LayerCase> known_and_unknown_cases() {
  std::vector<LayerCase> cases;
  for (const LayerCase& known : layer_cases()) {
    cases.push_back(known);
    cases.push_back(known.unknown());
  }
  return cases;
}

struct NamedOptions {
  std::string name;
  ForwardOptions options;
};

/// For two samples of 4 heads, and the queries and keys of a world.
std::vector<NamedOptions> forward_options() {
  xt::xarray<bool> allowed = xt::xarray<bool>::from_shape({2, 1, 4, 5});
  xt::xarray<float> added = xt::xarray<float>::from_shape({4, 4, 5});
  for (std::size_t i = 0; i < allowed.size(); ++i) {
    allowed.data()[i] = i % 3 != 0;
  }
  for (std::size_t i = 0; i < added.size(); ++i) {
    added.data()[i] = i % 5 == 0 ? -infinity : 0.25F * static_cast<float>(i % 7);
  }
  ForwardOptions some{.valid_lens = LensBySample{5, 2},
                      .mask = allowed,
                      .head_gate = randn<1>({4}, 2),
                      .return_weights = {std::vector<std::int64_t>{2, 0}, std::nullopt},
                      .weights_stage = WeightsStage::raw,
                      .key_mass = true};
  for_each_capture(some.capture, [](const char*, bool& asked) { asked = true; });
  ForwardOptions others{.valid_lens = LensByQuery{{5, 4, 3, 0}, {1, 2, 3, 4}},
                        .mask = added,
                        .key_mask = xt::xtensor<int, 2>{{0, 1, 1, 0, 1}, {1, 1, 1, 1, 0}},
                        .causal = Causal::bottom_right,
                        .window = Window{.left = 2, .right = 1},
                        .head_gate = randn<2>({2, 4}, 3),
                        .empty_rows = EmptyRows::uniform,
                        .return_weights = true,
                        .requires_grad = true};
  return {{"plain", {}}, {"some options", some}, {"other options", others}};
}

TEST_CASE("Out of memory in a layer's constructor") {
  for (const LayerCase& each : known_and_unknown_cases()) {
    check_every_allocation(each.name, [&] { return MultiHeadAttention(each.options); });
  }
  check_every_allocation("a seed drawn at random", [] {
    return MultiHeadAttention(
               {.num_hiddens = 8, .num_heads = 2, .query_size = 3, .key_size = 3, .value_size = 3})
        .num_heads();
  });
  check_every_allocation("a bad option",
                         [] { return MultiHeadAttention({.num_hiddens = 8, .num_heads = 3}); });
}

constexpr auto pass = [](LayerWorld& world) {
  return forward(world.layer, world.inputs, world.options);
};

TEST_CASE("Out of memory in a layer's forward") {
  for (const LayerCase& each : known_and_unknown_cases()) {
    for (const NamedOptions& options : forward_options()) {
      check_every_allocation(
          each.name + ", " + options.name, [&] { return LayerWorld(each, options.options); }, pass,
          probe_world);
    }
  }
}

/// A layer whose passes are worth several threads, which have not started yet.
struct ThreadsWorld {
  SetThreads set = SetThreads(3);
  MultiHeadAttention layer = MultiHeadAttention({.num_hiddens = 64, .num_heads = 4, .seed = 1});
  Inputs inputs = random_inputs({.batch = 1,
                                 .queries = 150,
                                 .keys = 160,
                                 .query_size = 64,
                                 .key_size = 64,
                                 .value_size = 64});
};

TEST_CASE("Out of memory where threads start") {
  const SetThreads alone(1);
  check_every_allocation(
      "forward", [] { return ThreadsWorld(); },
      [](ThreadsWorld& world) { return forward(world.layer, world.inputs, {}); },
      [](ThreadsWorld& world, Fingerprint& print) {
        probe(print, world.layer, {shape_of(world.inputs)});
      });
}

TEST_CASE("Out of memory in a layer's backward") {
  constexpr auto backward = [](LayerWorld& world) {
    return world.layer.backward(world.grad_output);
  };
  for (const LayerCase& each : layer_cases()) {
    check_every_allocation(each.name, [&] { return LayerWorld(each); }, backward, probe_world);
    const auto without_gradients = [&] {
      LayerWorld world(each);
      world.layer = MultiHeadAttention(each.options);
      forward(world.layer, random_inputs(world.earlier), {.requires_grad = true});
      return world;
    };
    check_every_allocation(each.name + ", the first", without_gradients, backward, probe_world);
  }
}

TEST_CASE("Out of memory in what reads and writes a layer's parameters, and in copies") {
  struct World : LayerWorld {
    explicit World(const LayerCase& layer_case)
        : LayerWorld(layer_case), other(layer_cases().back().options) {
      MultiHeadAttentionOptions known = with_sizes(layer_case.options, layer_case.shape);
      known.seed = 99;
      parameters = MultiHeadAttention(known).state_dict();
      wrong = parameters;
      wrong["nobody's name"] = randn<1>({2}, 1);
    }
    MultiHeadAttention other;
    StateDict parameters;
    StateDict wrong;
  };
  const auto probe_both = [](World& world, Fingerprint& print) {
    probe(world, print);
    probe(print, world.other, {world.earlier, layer_cases().back().shape});
  };
  for (const LayerCase& each : known_and_unknown_cases()) {
    const auto check = checker(each.name, [&] { return World(each); }, probe_both);
    check("state_dict", [](const World& world) { return world.layer.state_dict(); });
    check("gradients", [](const World& world) { return world.layer.gradients(); });
    check("load_state_dict", [](World& world) { world.layer.load_state_dict(world.parameters); });
    check("load_state_dict with another name",
          [](World& world) { world.layer.load_state_dict(world.wrong); });
    check("trainable_parameters",
          [](World& world) { return world.layer.trainable_parameters().size(); });
    check("zero_gradients", [](World& world) { world.layer.zero_gradients(); });
    check("copy", [](const World& world) { return MultiHeadAttention(world.layer); });
    check("assignment", [](World& world) { world.other = world.layer; });
  }
}

TEST_CASE("Out of memory in from_state_dict") {
  const StateDict d2l = random_parameters({.num_hiddens = 8,
                                           .num_heads = 4,
                                           .bias = true,
                                           .query_size = 8,
                                           .key_size = 8,
                                           .value_size = 8});
  const FromStateDictOptions options{
      .num_heads = 4, .prefix = "encoder.layers.0.attention", .dropout = 0.5, .seed = 3};
  for (const StateDict& dict : {d2l, torch_separate(d2l), gpt2(d2l), StateDict()}) {
    const StateDict behind_prefix = with_prefix(dict, options.prefix + ".");
    check_every_allocation(dict.empty() ? "nothing" : dict.begin()->first, [&] {
      return MultiHeadAttention::from_state_dict(behind_prefix, options);
    });
  }
}

TEST_CASE("Out of memory in prune_heads") {
  struct World : LayerWorld {
    explicit World(const LayerCase& layer_case) : LayerWorld(layer_case), optimizer({&layer}) {
      optimizer.step();
      forward(layer, random_inputs(earlier), {.requires_grad = true});
    }
    Adam optimizer;
    std::vector<std::int64_t> heads = {3, 2, 3};
    std::vector<std::int64_t> wrong = {0, 17};
  };
  const auto probe_both = [](World& world, Fingerprint& print) {
    probe(world, print);
    print.add_outcome("step", [&] { world.optimizer.step(); });
    print.add_outcome("state_dict after a step", [&] { return world.layer.state_dict(); });
  };
  for (const LayerCase& each : layer_cases()) {
    const auto check = checker(each.name, [&] { return World(each); }, probe_both);
    check("prune_heads", [](World& world) { world.layer.prune_heads(world.heads); });
    check("no such head", [](World& world) { world.layer.prune_heads(world.wrong); });
  }
}

/// A layer with a cache that holds three positions, and a cache with room for two.
struct CacheWorld : LayerWorld {
  explicit CacheWorld(const LayerCase& layer_case)
      : LayerWorld(layer_case),
        cache(layer.create_cache({.batch_size = 2, .max_length = 10})),
        small(layer.create_cache({.batch_size = 2, .max_length = 2})) {
    InputShape shape = shape_of(inputs);
    shape.keys = 3;
    forward(layer, random_inputs(shape, 31), {.cache = &cache});
  }

  KeyValueCache cache;
  KeyValueCache small;
};

constexpr auto probe_caches = [](CacheWorld& world, Fingerprint& print) {
  for (KeyValueCache* cache : {&world.cache, &world.small}) {
    print.add("cache", *cache);
    print.add_outcome("what the cache holds", [&] {
      return world.layer.forward(world.inputs.queries, {.cache = cache, .return_weights = true});
    });
    print.add_outcome("what it holds later",
                      [&] { return forward(world.layer, world.inputs, {.cache = cache}); });
  }
  probe(world, print);
};

TEST_CASE("Out of memory with caches") {
  for (const LayerCase& each : layer_cases()) {
    const auto check = checker(each.name, [&] { return CacheWorld(each); }, probe_caches);
    check("create_cache", [](const CacheWorld& world) {
      return world.layer.create_cache({.batch_size = 2, .max_length = 5});
    });
    check("forward", [](CacheWorld& world) {
      return forward(world.layer, world.inputs, {.cache = &world.cache, .return_weights = true});
    });
    check("forward that adds nothing", [](CacheWorld& world) {
      return world.layer.forward(world.inputs.queries,
                                 {.cache = &world.cache, .return_weights = true});
    });
    check("forward without room", [](CacheWorld& world) {
      return forward(world.layer, world.inputs, {.cache = &world.small});
    });
    check("copy", [](const CacheWorld& world) { return world.cache; });
    check("assignment", [](CacheWorld& world) { world.small = world.cache; });
    check("truncate", [](CacheWorld& world) { world.cache.truncate(1); });
    check("truncate to more", [](CacheWorld& world) { world.cache.truncate(7); });
  }
}

TEST_CASE("Out of memory in the importance of a layer's heads") {
  // It allocates outside of the call that is made to fail.
  const auto twice = [](std::size_t /*batch*/, const Tensor<3>& output) {
    const allocations::Spare spare;
    return Tensor<3>(2.0F * output);
  };
  const auto first = [](std::size_t /*batch*/, const Tensor<3>& output) -> double {
    return output(0, 0, 0);
  };
  for (const LayerCase& each : {layer_cases()[0], layer_cases()[3], layer_cases()[5]}) {
    const auto check = checker(each.name, [&] { return LayerWorld(each); }, probe_world);
    const Inputs inputs = random_inputs(each.shape);
    const HeadMeasureBatch batch{
        .queries = inputs.queries,
        .keys = inputs.keys,
        .values = inputs.values,
        .valid_lens = LensBySample{4, 2},
        .ignored_keys = xt::xtensor<std::uint8_t, 2>{{0, 1, 0, 0}, {1, 0, 0, 0}}};
    const std::vector<HeadMeasureBatch> batches = {batch, batch};
    for (const HeadMeasure measure : all_measures) {
      check("measure " + std::to_string(static_cast<int>(measure)), [&](const LayerWorld& world) {
        return measure_head_importance(
            world.layer, batches,
            {.measure = measure, .normalize = measure == HeadMeasure::gradient},
            {.value = first, .gradient = twice});
      });
    }
  }
}

}  // namespace
}  // namespace headwise::test
