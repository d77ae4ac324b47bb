#include <catch2/catch_test_macros.hpp>
#include <headwise/optimizers.hpp>
#include <memory>

#include "every_allocation.hpp"
#include "worlds.hpp"

/// Optimizers' calls that run out of memory.
namespace headwise::test {
namespace {

/// Three layers with gradients and an optimizer over them, some steps behind it.
struct World {
  explicit World(int steps) {
    for (const LayerCase& each : layer_cases()) {
      if (layers.size() < 3) {
        layers.push_back(std::make_unique<LayerWorld>(each));
        trainables.push_back(&layers.back()->layer);
      }
    }
    optimizer =
        std::make_unique<Adam>(trainables, AdamOptions{.learning_rate = 0.1, .weight_decay = 0.1});
    other =
        std::make_unique<Adam>(std::vector{trainables.front()}, AdamOptions{.learning_rate = 0.5});
    for (int step = 0; step < steps; ++step) {
      optimizer->step();
    }
    for (const auto& each : layers) {
      forward(each->layer, random_inputs(each->earlier), {.requires_grad = true});
    }
  }

  std::vector<std::unique_ptr<LayerWorld>> layers;
  std::vector<Trainable*> trainables;
  std::unique_ptr<Adam> optimizer;
  std::unique_ptr<Adam> other;
};

void probe_all(World& world, Fingerprint& print) {
  for (const auto& layer : world.layers) {
    probe(*layer, print);
  }
  for (Adam* optimizer : {world.optimizer.get(), world.optimizer.get(), world.other.get()}) {
    print.add("learning_rate", optimizer->learning_rate());
    print.add_outcome("next step", [&] { optimizer->step(); });
    for (const auto& layer : world.layers) {
      print.add_outcome("state_dict after it", [&] { return layer->layer.state_dict(); });
    }
  }
}

TEST_CASE("Out of memory in optimizers") {
  const auto fresh = checker("no steps", [] { return World(0); }, probe_all);
  const auto used = checker("two steps", [] { return World(2); }, probe_all);
  const auto pruned = checker(
      "pruned since",
      [] {
        World world(2);
        world.layers[0]->layer.prune_heads({1, 2});
        world.layers[1]->layer.prune_heads({2, 3});
        return world;
      },
      probe_all);
  const auto replaced = checker(
      "a layer of other sizes",
      [] {
        World world(2);
        world.layers[1]->layer = LayerWorld(layer_cases().back()).layer;
        return world;
      },
      probe_all);
  const auto step = [](World& world) { world.optimizer->step(); };
  fresh("step", step);
  used("step", step);
  pruned("step", step);
  replaced("step", step);
  fresh("Adam", [](World& world) { return Adam(world.trainables).learning_rate(); });
  fresh("Adam, bad betas",
        [](World& world) { return Adam(world.trainables, {.betas = {2, 2}}).learning_rate(); });
  fresh("SGD, bad momentum",
        [](World& world) { return SGD(world.trainables, {.momentum = -1}).learning_rate(); });
  used("zero_gradients", [](World& world) { world.optimizer->zero_gradients(); });
  used("bad learning rate", [](World& world) { world.optimizer->set_learning_rate(-1); });
  used("copy", [](World& world) { return Adam(*world.optimizer).learning_rate(); });
  used("assignment", [](World& world) { *world.other = *world.optimizer; });
  used("clip_gradient_norm",
       [](World& world) { return clip_gradient_norm(world.trainables, 0.01); });
  used("clip_gradient_norm, bad norm",
       [](World& world) { return clip_gradient_norm(world.trainables, -1); });
}

}  // namespace
}  // namespace headwise::test
