#include <catch2/catch_test_macros.hpp>
#include <headwise/optimizers.hpp>
#include <memory>

#include "every_allocation.hpp"
#include "worlds.hpp"

/// Optimizers' calls that run out of memory.
namespace headwise::test {
namespace {

/// Three layers with gradients and an optimizer over them, some steps behind it.
template <typename Kind>
struct World {
  explicit World(int steps) {
    for (const LayerCase& each : layer_cases()) {
      if (layers.size() < 3) {
        layers.push_back(std::make_unique<LayerWorld>(each));
        trainables.push_back(&layers.back()->layer);
      }
    }
    make_optimizers();
    for (int step = 0; step < steps; ++step) {
      optimizer->step();
    }
    for (const auto& each : layers) {
      forward(each->layer, random_inputs(each->earlier), {.requires_grad = true});
    }
  }

  void make_optimizers() {
    auto options = [] {
      if constexpr (std::is_same_v<Kind, Adam>) {
        return AdamOptions{.learning_rate = 0.1, .weight_decay = 0.1};
      } else {
        return SGDOptions{.learning_rate = 0.1, .momentum = 0.9, .weight_decay = 0.1};
      }
    }();
    optimizer = std::make_unique<Kind>(trainables, options);
    options.learning_rate = 0.5;
    other = std::make_unique<Kind>(std::vector<Trainable*>{trainables.front()}, options);
  }

  /// Slices that the optimizer has not seen removed yet.
  void prune() {
    layers[0]->layer.prune_heads({1, 2});
    layers[1]->layer.prune_heads({2, 3});
  }

  std::vector<std::unique_ptr<LayerWorld>> layers;
  std::vector<Trainable*> trainables;
  std::unique_ptr<Kind> optimizer;
  std::unique_ptr<Kind> other;
};

template <typename Kind>
void probe_all(World<Kind>& world, Fingerprint& print) {
  for (const auto& layer : world.layers) {
    probe(*layer, print);
  }
  for (Kind* optimizer : {world.optimizer.get(), world.optimizer.get(), world.other.get()}) {
    print.add("learning_rate", optimizer->learning_rate());
    print.add_outcome("next step", [&] { optimizer->step(); });
    for (const auto& layer : world.layers) {
      print.add_outcome("state_dict after it", [&] { return layer->layer.state_dict(); });
    }
  }
}

template <typename Kind>
void check_optimizer(const std::string& kind) {
  const auto check = [&](const std::string& name, const auto& make, const auto& call) {
    check_every_allocation(kind + ": " + name, make, call, probe_all<Kind>);
  };
  const auto fresh = [] { return World<Kind>(0); };
  const auto used = [] { return World<Kind>(2); };
  check("constructor", fresh,
        [](World<Kind>& world) { return Kind(world.trainables).learning_rate(); });
  check(
      "constructor for the same twice",
      [] {
        World<Kind> world(0);
        world.trainables.push_back(world.trainables.front());
        return world;
      },
      [](World<Kind>& world) { return Kind(world.trainables).learning_rate(); });
  check("first step", fresh, [](World<Kind>& world) { world.optimizer->step(); });
  check("later step", used, [](World<Kind>& world) { world.optimizer->step(); });
  const auto pruned = [] {
    World<Kind> world(2);
    world.prune();
    return world;
  };
  check("step after pruning", pruned, [](World<Kind>& world) { world.optimizer->step(); });
  const auto replaced = [] {
    World<Kind> world(2);
    const LayerWorld other(layer_cases().back());
    world.layers[1]->layer = other.layer;
    return world;
  };
  check("step for a layer of other sizes", replaced,
        [](World<Kind>& world) { world.optimizer->step(); });
  check("zero_gradients", used, [](World<Kind>& world) { world.optimizer->zero_gradients(); });
  check("zero_gradients after pruning", pruned,
        [](World<Kind>& world) { world.optimizer->zero_gradients(); });
  check("bad learning rate", used,
        [](World<Kind>& world) { world.optimizer->set_learning_rate(-1); });
  check("copy", used, [](World<Kind>& world) { return Kind(*world.optimizer).learning_rate(); });
  check("assigned", used, [](World<Kind>& world) { *world.other = *world.optimizer; });
  check("clip_gradient_norm", used,
        [](World<Kind>& world) { return clip_gradient_norm(world.trainables, 0.01); });
  check("clip_gradient_norm that changes nothing", used,
        [](World<Kind>& world) { return clip_gradient_norm(world.trainables, 1e30); });
  check("clip_gradient_norm, bad norm", used,
        [](World<Kind>& world) { return clip_gradient_norm(world.trainables, -1); });
}

TEST_CASE("Out of memory in Adam") { check_optimizer<Adam>("Adam"); }

TEST_CASE("Out of memory in SGD") { check_optimizer<SGD>("SGD"); }

}  // namespace
}  // namespace headwise::test
