#include <catch2/catch_test_macros.hpp>
#include <headwise/attention_only_transformer.hpp>
#include <headwise/model_head_importance.hpp>
#include <memory>
#include <utility>

#include "every_allocation.hpp"
#include "worlds.hpp"

/// A model's calls that run out of memory.
namespace headwise::test {
namespace {

constexpr auto probe_world = [](ModelWorld& world, Fingerprint& print) { probe(world, print); };

std::vector<std::vector<HeadGate>> gates() {
  return {{},
          {Tensor<1>{0.5F, 0, 2}, HeadGate{}},
          {HeadGate{randn<2>({2, 3}, 1)}, HeadGate{randn<2>({2, 3}, 2)}}};
}

TEST_CASE("Out of memory in a model's constructor and copies") {
  for (const ModelCase& each : model_cases()) {
    check_every_allocation(each.name, [&] { return AttentionOnlyTransformer(each.options); });
    check_every_allocation(
        each.name + ", copy", [&] { return ModelWorld(each); },
        [](const ModelWorld& world) { return world.model.copy(); }, probe_world);
  }
  AttentionOnlyTransformerOptions wrong = model_cases().front().options;
  wrong.optimizer.learning_rate = -1;
  check_every_allocation("a bad option", [&] { return AttentionOnlyTransformer(wrong); });
}

TEST_CASE("Out of memory in a model's passes") {
  for (const ModelCase& each : model_cases()) {
    for (const std::vector<HeadGate>& head_gates : gates()) {
      for (const bool training : {false, true}) {
        const auto make = [&] {
          ModelWorld world(each);
          world.options.head_gates = head_gates;
          if (training) {
            world.model.train();
          }
          return world;
        };
        const std::string name = each.name + ", gates " + std::to_string(head_gates.size());
        check_every_allocation(
            "forward, " + name, make,
            [](ModelWorld& world) {
              world.options.return_weights = true;
              return world.model.forward(world.tokens, world.options);
            },
            probe_world);
        check_every_allocation(
            "loss, " + name, make,
            [](ModelWorld& world) {
              return world.model.loss(world.tokens, world.targets, world.options);
            },
            probe_world);
        check_every_allocation(
            "loss_and_gradients, " + name, make,
            [](ModelWorld& world) {
              return world.model.loss_and_gradients(world.tokens, world.targets, world.options);
            },
            probe_world);
      }
    }
    check_every_allocation(
        "the first loss_and_gradients, " + each.name,
        [&] {
          ModelWorld world(each);
          world.model = AttentionOnlyTransformer(each.options);
          return world;
        },
        [](ModelWorld& world) {
          return world.model.loss_and_gradients(world.tokens, world.targets);
        },
        probe_world);
    check_every_allocation(
        "too many gates, " + each.name,
        [&] {
          ModelWorld world(each);
          world.options.head_gates.resize(3);
          return world;
        },
        [](ModelWorld& world) { return world.model.forward(world.tokens, world.options); },
        probe_world);
  }
}

TEST_CASE("Out of memory in train_step") {
  struct World : ModelWorld {
    World(const ModelCase& model_case, bool with_momenta) : ModelWorld(model_case) {
      adam = std::make_unique<Adam>(model.trainables(), AdamOptions{.learning_rate = 0.1});
      sgd = std::make_unique<SGD>(model.trainables(),
                                  SGDOptions{.learning_rate = 0.1, .momentum = 0.9});
      if (with_momenta) {
        adam->step();
        sgd->step();
      }
    }
    std::unique_ptr<Adam> adam;
    std::unique_ptr<SGD> sgd;
  };
  const auto probe_all = [](World& world, Fingerprint& print) {
    probe(world, print);
    for (Optimizer* optimizer :
         {static_cast<Optimizer*>(world.adam.get()), static_cast<Optimizer*>(world.sgd.get())}) {
      print.add_outcome("given optimizer's step", [&] { optimizer->step(); });
      print.add_outcome("state_dict after it", [&] { return world.model.state_dict(); });
    }
  };
  for (const ModelCase& each : model_cases()) {
    for (const bool with_momenta : {false, true}) {
      const auto make = [&] { return World(each, with_momenta); };
      const std::string name = each.name + (with_momenta ? ", later" : ", first");
      check_every_allocation(
          "own optimizer, " + name, make,
          [](World& world) { return world.model.train_step(world.tokens, world.targets); },
          probe_all);
      check_every_allocation(
          "Adam, " + name, make,
          [](World& world) {
            return world.model.train_step(world.tokens, world.targets, *world.adam);
          },
          probe_all);
      check_every_allocation(
          "SGD, " + name, make,
          [](World& world) {
            return world.model.train_step(world.tokens, world.targets, *world.sgd);
          },
          probe_all);
    }
    check_every_allocation(
        "own optimizer, the first of all, " + each.name,
        [&] {
          ModelWorld world(each);
          world.model = AttentionOnlyTransformer(each.options);
          return world;
        },
        [](ModelWorld& world) { return world.model.train_step(world.tokens, world.targets); },
        probe_world);
  }
}

TEST_CASE("Out of memory in what reads and writes a model's parameters") {
  struct World : ModelWorld {
    explicit World(const ModelCase& model_case) : ModelWorld(model_case) {
      AttentionOnlyTransformerOptions others = model_case.options;
      others.seed = 99;
      parameters = AttentionOnlyTransformer(others).state_dict();
      wrong = parameters;
      wrong.erase("embedding.weight");
    }
    StateDict parameters;
    StateDict wrong;
    std::vector<std::int64_t> heads = {1};
  };
  for (const ModelCase& each : model_cases()) {
    const auto make = [&] { return World(each); };
    check_every_allocation(
        "state_dict, " + each.name, make,
        [](const World& world) { return world.model.state_dict(); }, probe_world);
    check_every_allocation(
        "gradients, " + each.name, make, [](const World& world) { return world.model.gradients(); },
        probe_world);
    check_every_allocation(
        "gradients before there are any, " + each.name,
        [&] { return AttentionOnlyTransformer(each.options); },
        [](const AttentionOnlyTransformer& model) { return model.gradients(); },
        [](AttentionOnlyTransformer& model, Fingerprint& print) { probe(print, model); });
    check_every_allocation(
        "load_state_dict, " + each.name, make,
        [](World& world) { world.model.load_state_dict(world.parameters); }, probe_world);
    check_every_allocation(
        "load_state_dict with a name missing, " + each.name, make,
        [](World& world) { world.model.load_state_dict(world.wrong); }, probe_world);
    check_every_allocation(
        "prune_heads, " + each.name, make,
        [](World& world) { prune_layer(world.model, 1, world.heads); }, probe_world);
    check_every_allocation(
        "trainables, " + each.name, make,
        [](World& world) { return world.model.trainables().size(); }, probe_world);
    check_every_allocation(
        "zero_gradients, " + each.name, make, [](World& world) { world.model.zero_gradients(); },
        probe_world);
  }
}

TEST_CASE("Out of memory in the importance of a model's heads") {
  struct World : ModelWorld {
    explicit World(const ModelCase& model_case) : ModelWorld(model_case) {
      batches = {{.tokens = tokens, .targets = targets}, {.tokens = tokens, .targets = targets}};
    }
    std::vector<ModelMeasureBatch> batches;
  };
  for (const ModelCase& each : model_cases()) {
    for (const HeadMeasure measure : {HeadMeasure::gradient, HeadMeasure::ablation,
                                      HeadMeasure::confidence, HeadMeasure::entropy}) {
      const HeadImportanceOptions options{.measure = measure};
      check_every_allocation(
          each.name + ", measure " + std::to_string(static_cast<int>(measure)),
          [&] { return World(each); },
          [&](const World& world) {
            return measure_head_importance(world.model, world.batches, options);
          },
          probe_world);
    }
  }
}

}  // namespace
}  // namespace headwise::test
