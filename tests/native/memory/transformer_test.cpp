#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "checkpoint.hpp"
#include "every_allocation.hpp"
#include "transformer_call.hpp"
#include "worlds.hpp"

/// Calls of models of all kinds that run out of memory.
namespace headwise::test {
namespace {

const std::vector<std::string> kinds = {"gated silu without biases", "norm after",
                                        "an encoder, rotary and grouped heads", "patches",
                                        "no feed-forward layers"};

/// A model with gradients, a step of its own optimizer and a pending backward behind it, and what
/// it is given.
struct World {
  explicit World(Transformer&& given) : model(std::move(given)) {
    const TransformerSettings& settings = model.settings();
    if (settings.has_patches()) {
      pixels = randn<4>({2, settings.channels, settings.image_size, settings.image_size}, 1);
    } else {
      tokens = random_tokens(2, 4, 1);
      options.key_mask = xt::xtensor<int, 2>{{0, 1, 0, 1}, {1, 1, 1, 0}};
    }
    if (settings.has_encoder()) {
      options.source = random_tokens(2, 3, 2);
      options.source_valid_lens = LensBySample{3, 1};
      options.source_key_mask = xt::xtensor<bool, 2>{{false, true, true}, {true, false, true}};
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
  TransformerForwardOptions bad_options{.head_gates = std::vector<HeadGate>(9)};
  GenerateOptions generate = {.max_new_tokens = 3, .temperature = 1, .seed = 1};
};

World make_world(const std::string& kind) {
  return World(Transformer(small_transformer(kind).options));
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
  print.add_outcome("backward", [&] { return world.model.backward(world.grad_hidden); });
  add_parameters("after backward");
  // What the call itself asked for is not asked for again.
  world.options.return_weights = false;
  world.options.capture = {};
  world.options.capture_positions.reset();
  world.options.patch = {};
  print.add_outcome("hidden", [&] { return world.pass(false).hidden; });
  print.add_outcome("encoder_hidden", [&] { return world.pass(false).encoder_hidden; });
  print.add_outcome("step", [&] { world.model.optimizer().step(); });
  add_parameters("at last");
}

TEST_CASE("Out of memory in a model's constructor and copies") {
  for (const std::string& kind : kinds) {
    const TransformerOptions options = small_transformer(kind).options;
    check_every_allocation(kind, [&] { return Transformer(options).num_layers(); });
    const auto check = checker(kind, [=] { return make_world(kind); }, probe_world);
    check("copy", [](const World& world) { return world.model.copy().state_dict(); });
  }
  AttentionOnlyTransformerOptions options{
      .vocabulary_size = 5, .max_length = 7, .num_hiddens = 6, .num_heads = 3, .num_layers = 2};
  options.optimizer.learning_rate = -1;
  check_every_allocation("a bad option",
                         [&] { return AttentionOnlyTransformer(options).num_layers(); });
  options.optimizer.learning_rate = 0.1;
  options.seed = 1;
  check_every_allocation("attention only",
                         [&] { return AttentionOnlyTransformer(options).state_dict(); });
}

TEST_CASE("Out of memory in a model's passes") {
  for (const std::string& kind : kinds) {
    const auto make = [=] {
      World world = make_world(kind);
      world.model.train();
      return world;
    };
    const auto check = checker(kind, make, probe_world);
    check("forward", [](World& world) {
      world.options.return_weights = true;
      return world.pass(false).hidden;
    });
    check("backward", [](World& world) { return world.model.backward(world.grad_hidden); });
    if (kind == "patches") {
      continue;
    }
    const auto make_probed = [=] {
      using enum ActivationName;
      World world = make();
      TransformerForwardOptions& options = world.options;
      options.return_weights = ReturnedWeights::last_query();
      options.capture = {keys, scores, head_out, row_entropy, resid_post, embeddings};
      options.capture_positions = std::vector<std::int64_t>{2, 0};
      const std::size_t head_size = world.model.attention(0).settings().head_size;
      options.patch = {
          {.at = head_out, .layer = 0, .heads = {{0}}, .value = PatchKind::mean},
          {.at = pattern, .layer = 0, .positions = {{3, 1}}},
          {.at = z, .layer = 0, .heads = {{1}}, .value = full<4>({2, 1, 4, head_size}, 0.5F)}};
      static_cast<void>(world.pass(true));
      return world;
    };
    const auto check_probed = checker(kind, make_probed, probe_world);
    check_probed("forward that captures, patches and returns chosen weights",
                 [](World& world) { return world.pass(true).hidden; });
    check_probed("backward of a patched forward",
                 [](World& world) { return world.model.backward(world.grad_hidden); });
    check("too many gates",
          [](World& world) { return world.model.forward(world.tokens, world.bad_options).hidden; });
    check("loss",
          [](World& world) { return world.model.loss(world.tokens, world.tokens, world.options); });
    check("loss_and_gradients", [](World& world) {
      return world.model.loss_and_gradients(world.tokens, world.tokens, world.options)
          .encoder_head_gates;
    });
    check("train_step", [](World& world) {
      return world.model.train_step(world.tokens, world.tokens, world.options);
    });
  }
}

TEST_CASE("Out of memory in what reads and writes a model's parameters") {
  for (const std::string kind : {"an encoder, rotary and grouped heads", "patches"}) {
    TransformerOptions others = small_transformer(kind).options;
    others.seed = 99;
    const StateDict parameters = Transformer(others).state_dict();
    StateDict wrong = parameters;
    wrong.erase(wrong.begin());
    const auto check = checker(kind, [=] { return make_world(kind); }, probe_world);
    check("state_dict", [](const World& world) { return world.model.state_dict(); });
    check("gradients", [](const World& world) { return world.model.gradients(); });
    check("load_state_dict", [&](World& world) { world.model.load_state_dict(parameters); });
    check("load_state_dict with a name missing",
          [&](World& world) { world.model.load_state_dict(wrong); });
    check("trainables", [](World& world) { return world.model.trainables().size(); });
    check("zero_gradients", [](World& world) { world.model.zero_gradients(); });
  }
}

TEST_CASE("Out of memory in what looks inside a model") {
  for (const std::string kind :
       {"no feed-forward layers", "an encoder, rotary and grouped heads"}) {
    const World given = make_world(kind);
    const auto check = checker(kind, [=] { return make_world(kind); }, probe_world);
    const LogitLensOptions lens{.pass = given.options};
    const AttributionOptions attribution{.target = {1}, .pass = given.options};
    const PatchHeadsOptions patching{
        .metric = [](const Tensor<3>& logits) { return logits(0, 0, 0); }, .pass = given.options};
    check("logit_lens", [&](World& world) { return logit_lens(world.model, given.tokens, lens); });
    check("attribute_logits", [&](World& world) {
      return attribute_logits(world.model, given.tokens, attribution).heads;
    });
    check("patch_heads", [&](World& world) {
      return patch_heads(world.model, given.tokens, given.tokens, patching);
    });
  }
}

TEST_CASE("Out of memory in the importance of a model's heads") {
  for (const std::string kind :
       {"no feed-forward layers", "an encoder, rotary and grouped heads"}) {
    const World given = make_world(kind);
    const ModelMeasureBatch batch{
        .tokens = given.tokens, .targets = given.tokens, .source = given.options.source};
    const std::vector<ModelMeasureBatch> batches = {batch, batch};
    const auto check = checker(kind, [=] { return make_world(kind); }, probe_world);
    for (const HeadMeasure measure : all_measures) {
      check("measure " + std::to_string(static_cast<int>(measure)), [&](const World& world) {
        return measure_head_importance(world.model, batches, {.measure = measure});
      });
    }
  }
}

TEST_CASE("Out of memory in generate, and in what fills a cache") {
  struct Cached : World {
    explicit Cached(const std::string& kind)
        : World(make_world(kind)), cache(model.create_cache({.batch_size = 2, .max_length = 8})) {
      options.valid_lens = {};
      options.key_mask = {};
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
    const auto check = checker(kind, [=] { return Cached(kind); }, probe_cache);
    check("generate", [&](World& world) { return world.model.generate(prompt, world.generate); });
    check("create_cache", [](World& world) {
      return world.model.create_cache({.batch_size = 2, .max_length = 3}).max_length();
    });
    check("a copy of a cache", [](Cached& world) { return ModelCache(world.cache).max_length(); });
    check("forward with a cache", [](Cached& world) {
      world.options.cache = &world.cache;
      return world.model.forward(world.tokens, world.options).hidden;
    });
  }
}

TEST_CASE("Out of memory in what reads and writes checkpoints") {
  for (const std::string name : {"gpt2-a", "marian-a"}) {
    const Checkpoint checkpoint(name);
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
    const auto make = [&] {
      Transformer model = checkpoint.model();
      model.prune_heads({{0, {1}}});
      return model;
    };
    const auto check = checker(name, make, [](const Transformer& model, Fingerprint& print) {
      print.add_outcome("state_dict", [&] { return model.state_dict(); });
    });
    check("state_dict",
          [](const Transformer& model) { return model.state_dict(ParameterNames::pretrained); });
    check("gradients",
          [](const Transformer& model) { return model.gradients(ParameterNames::pretrained); });
    check("config", [](const Transformer& model) { return model.config(); });
    check("export_checkpoint",
          [](const Transformer& model) { return model.export_checkpoint().tensors; });
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
