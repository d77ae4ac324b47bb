#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "checkpoint.hpp"
#include "every_allocation.hpp"
#include "small_transformers.hpp"
#include "worlds.hpp"

/// Calls of models of all kinds that run out of memory.
namespace headwise::test {
namespace {

const char* const kinds[] = {"gated silu without biases", "norm after",
                             "an encoder, rotary and grouped heads", "patches"};

/// A model with gradients and a pending backward behind it, and what it is given.
struct World {
  explicit World(Transformer&& given) : model(std::move(given)) {
    const TransformerSettings& settings = model.settings();
    if (settings.has_patches()) {
      pixels = randn<4>({2, settings.channels, settings.image_size, settings.image_size}, 1);
    } else {
      tokens = random_tokens(2, 4, 1);
    }
    if (settings.has_encoder()) {
      options.source = random_tokens(2, 3, 2);
      options.source_valid_lens = LensBySample{3, 1};
      generate.source = std::vector<std::int64_t>{1, 2};
      for (const auto& layer : model.attention_layers(Side::encoder)) {
        options.encoder_head_gates.emplace_back(full<1>({layer.num_heads()}, 0.5F));
      }
    }
    options.valid_lens = LensBySample{4, 3};
    if (settings.head) {
      model.train_step(tokens, tokens, options);
    }
    grad_hidden = randn<3>(pass(true).hidden.shape(), 3);
  }

  TransformerResult pass(bool requires_grad) {
    options.requires_grad = requires_grad;
    TransformerResult result = model.settings().has_patches() ? model.forward(pixels, options)
                                                              : model.forward(tokens, options);
    options.requires_grad = false;
    return result;
  }

  Transformer model;
  Tokens tokens;
  Tensor<4> pixels;
  Tensor<3> grad_hidden;
  TransformerForwardOptions options;
  GenerateOptions generate = {.max_new_tokens = 3, .temperature = 1, .seed = 1};
};

World make_world(const std::string& kind) {
  return World(Transformer(small_transformer(kind).options));
}

void add_gradients(Fingerprint& print, const TransformerGradients& gradients) {
  print.add("head_gates", gradients.head_gates);
  print.add("cross_head_gates", gradients.cross_head_gates);
  print.add("encoder_head_gates", gradients.encoder_head_gates);
  print.add("pixels", gradients.pixels);
}

/// All that can be seen of a model: what it is, what its pending backward gives, what it gives
/// then.
void probe_world(World& world, Fingerprint& print) {
  const auto add_parameters = [&](const std::string& when) {
    print.add_outcome("state_dict " + when, [&] { return world.model.state_dict(); });
    print.add_outcome("gradients " + when, [&] { return world.model.gradients(); });
  };
  add_parameters("first");
  print.add("training", world.model.training());
  try {
    add_gradients(print, world.model.backward(world.grad_hidden));
  } catch (const Error& error) {
    print.add("backward", std::string_view(error.what()));
  }
  add_parameters("after backward");
  print.add_outcome("hidden", [&] { return world.pass(false).hidden; });
  print.add_outcome("encoder_hidden", [&] { return world.pass(false).encoder_hidden; });
  print.add_outcome("step", [&] { world.model.optimizer().step(); });
  add_parameters("at last");
}

TEST_CASE("Out of memory in a transformer's constructor and copies") {
  for (const std::string kind : kinds) {
    const TransformerOptions options = small_transformer(kind).options;
    check_every_allocation(kind, [&] { return Transformer(options).num_layers(); });
    check_every_allocation(
        kind + ", copy", [&] { return make_world(kind); },
        [](const World& world) { return world.model.copy().state_dict(); }, probe_world);
  }
}

TEST_CASE("Out of memory in a transformer's passes") {
  for (const std::string kind : kinds) {
    const auto make = [&] { return make_world(kind); };
    check_every_allocation(
        kind + ", forward", make,
        [](World& world) {
          world.options.return_weights = true;
          return world.pass(false).hidden;
        },
        [](World& world, Fingerprint& print) {
          world.options.return_weights = false;
          probe_world(world, print);
        });
    check_every_allocation(
        kind + ", forward that captures and returns chosen weights", make,
        [](World& world) {
          world.options.return_weights = ReturnedWeights::last_query();
          world.options.capture = {.keys = true, .scores = true};
          return world.pass(false).hidden;
        },
        [](World& world, Fingerprint& print) {
          world.options.return_weights = false;
          world.options.capture = {};
          probe_world(world, print);
        });
    check_every_allocation(
        kind + ", backward", make,
        [](World& world) { return world.model.backward(world.grad_hidden).head_gates; },
        probe_world);
    if (kind != std::string("patches")) {
      check_every_allocation(
          kind + ", loss_and_gradients", make,
          [](World& world) {
            return world.model.loss_and_gradients(world.tokens, world.tokens, world.options)
                .encoder_head_gates;
          },
          probe_world);
      check_every_allocation(
          kind + ", train_step", make,
          [](World& world) {
            return world.model.train_step(world.tokens, world.tokens, world.options);
          },
          probe_world);
    }
  }
}

TEST_CASE("Out of memory in generate, and in what fills a cache") {
  struct Cached : World {
    explicit Cached(const std::string& kind)
        : World(make_world(kind)), cache(model.create_cache({.batch_size = 2, .max_length = 8})) {
      options.valid_lens = {};
    }
    ModelCache cache;
  };
  const auto probe_cache = [](Cached& world, Fingerprint& print) {
    print.add("length", world.cache.length());
    world.options.cache = &world.cache;
    print.add_outcome("hidden with a cache",
                      [&] { return world.model.forward(world.tokens, world.options).hidden; });
    world.options.cache = nullptr;
    probe_world(world, print);
  };
  const std::vector<std::int64_t> prompt = {1, 2};
  for (const std::string kind :
       {"gated silu without biases", "an encoder, rotary and grouped heads"}) {
    const auto make = [&] { return Cached(kind); };
    check_every_allocation(
        kind + ", generate", make,
        [&](World& world) { return world.model.generate(prompt, world.generate); }, probe_cache);
    check_every_allocation(
        kind + ", create_cache", make,
        [](World& world) {
          return world.model.create_cache({.batch_size = 2, .max_length = 3}).max_length();
        },
        probe_cache);
    check_every_allocation(
        kind + ", a copy of a cache", make,
        [](Cached& world) { return ModelCache(world.cache).max_length(); }, probe_cache);
    check_every_allocation(
        kind + ", forward with a cache", make,
        [](Cached& world) {
          world.options.cache = &world.cache;
          return world.model.forward(world.tokens, world.options).hidden;
        },
        probe_cache);
  }
}

TEST_CASE("Out of memory in what reads and writes checkpoints") {
  for (const std::string name : {"gpt2-a", "marian-a"}) {
    const Checkpoint checkpoint(name);
    check_every_allocation(name + ", from_pretrained", [&] {
      return Transformer::from_pretrained(checkpoint.config, checkpoint.tensors, {.seed = 1})
          .state_dict();
    });
    Transformer pruned = checkpoint.model();
    pruned.prune_heads({{0, {1}}});
    const std::string config = pruned.config();
    const StateDict tensors = pruned.state_dict(ParameterNames::pretrained);
    check_every_allocation(name + ", from_pretrained of a pruned model", [&] {
      return Transformer::from_pretrained(config, tensors, {.seed = 1}).state_dict();
    });
    check_every_allocation(name + ", from_pretrained of nothing", [&] {
      return Transformer::from_pretrained(checkpoint.config, {}, {.seed = 1}).num_layers();
    });
    check_every_allocation(name + ", from_pretrained with a bad config", [&] {
      return Transformer::from_pretrained("{\"model_type\": \"gpt2\"}", {}, {.seed = 1})
          .num_layers();
    });
    const auto make = [&] { return checkpoint.model(); };
    const auto probe_state = [](const Transformer& model, Fingerprint& print) {
      print.add_outcome("state_dict", [&] { return model.state_dict(); });
    };
    check_every_allocation(
        name + ", state_dict", make,
        [](const Transformer& model) { return model.state_dict(ParameterNames::pretrained); },
        probe_state);
    check_every_allocation(
        name + ", config",
        [&] {
          Transformer model = checkpoint.model();
          model.prune_heads({{0, {1}}});
          return model;
        },
        [](const Transformer& model) { return model.config(); }, probe_state);
    check_every_allocation(
        name + ", gradients", make,
        [](const Transformer& model) { return model.gradients(ParameterNames::pretrained); },
        probe_state);
  }
}

TEST_CASE("Out of memory while heads of any side are pruned") {
  for (const Side side : {Side::self, Side::cross, Side::encoder}) {
    const std::map<std::int64_t, std::vector<std::int64_t>> heads = {{0, {1}}, {1, {0}}};
    check_every_allocation(
        "prune_heads, side " + std::to_string(static_cast<int>(side)),
        [&] { return World(Transformer(small_transformer("an encoder").options)); },
        [&](World& world) { world.model.prune_heads(heads, side); },
        [](World& world, Fingerprint& print) {
          // Gates are of the heads that were there.
          world.options.encoder_head_gates.clear();
          probe_world(world, print);
        });
  }
}

}  // namespace
}  // namespace headwise::test
