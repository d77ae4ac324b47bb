#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "compare.hpp"
#include "transformer_call.hpp"

// What a model is made of: its parameters, its layers, and what is left of one that was moved from.
namespace headwise::test {
namespace {

TEST_CASE("A seed gives the same model, another one another, and layers differ") {
  TransformerOptions options = small_transformer("an encoder").options;
  const StateDict parameters = Transformer(options).state_dict();
  CHECK(Transformer(options).state_dict() == parameters);
  std::set<float> firsts;
  std::size_t drawn = 0;
  for (const auto& [name, tensor] : parameters) {
    if (name.ends_with("norm.weight")) {
      CHECK(all_equal(tensor, 1));
    } else if (name.ends_with("norm.bias")) {
      CHECK(all_equal(tensor, 0));
    } else if (name.ends_with(".weight")) {
      firsts.insert(tensor.data()[0]);
      ++drawn;
    }
  }
  CHECK(firsts.size() == drawn);
  options.seed.reset();
  const Transformer other(options);
  CHECK(other.state_dict() != parameters);
  options.seed = other.seed();
  CHECK(Transformer(options).state_dict() == other.state_dict());
}

// The first number of each tells its deviation, too: 1 or 0.02 for embeddings, of PyTorch's linear
// layers for the others.
TEST_CASE("New parameters are the same in every version") {
  for (const bool tied : {false, true}) {
    TransformerOptions options = small_transformer("segments").options;
    options.vocabulary_size = 100;
    options.max_length = options.segments = 40;
    options.num_hiddens = 32;
    options.ffn_hiddens = 48;
    options.encoder = EncoderOptions{};
    options.tied_embeddings = tied;
    const StateDict parameters = Transformer(options).state_dict();
    const float normal = tied ? 0.02F : 1;
    const std::pair<const char*, float> expected[] = {
        {"embedding.weight", normal * 3.321576834F},
        {"position.weight", normal * -0.358614117F},
        {"encoder.position.weight", normal * 0.50634414F},
        {"segment.weight", normal * 0.757316589F},
        {"layers.0.ffn.dense1.weight", 0.121344969F},
        {"layers.0.ffn.dense1.bias", 0.072094098F},
        {"layers.1.ffn.dense2.weight", -0.010761282F},
        {"unembedding.weight", 0.023953676F}};
    for (const auto& [name, first] : expected) {
      CAPTURE(tied, name);
      if (!tied || std::string(name) != "unembedding.weight") {
        CHECK(std::abs(parameters.at(name).data()[0] - first) <= 1e-6F * normal);
      }
    }
  }
}

TEST_CASE("An attention-only transformer is one without feed-forward layers") {
  for (const bool all : {false, true}) {
    const AttentionOnlyTransformerOptions given{
        .vocabulary_size = vocabulary_size,
        .max_length = 10,
        .num_hiddens = 6,
        .num_heads = 3,
        .num_layers = 2,
        .positions = all ? Positions::learned : Positions::sinusoidal,
        .causal = !all,
        .layer_norm = all,
        .bias = all,
        .dropout = all ? 0.5 : 0.0,
        .weights = Precision::float32,
        .seed = 7,
        .optimizer = {.learning_rate = 0.25}};
    Transformer same({.vocabulary_size = given.vocabulary_size,
                      .max_length = given.max_length,
                      .num_hiddens = given.num_hiddens,
                      .num_layers = given.num_layers,
                      .num_heads = given.num_heads,
                      .ffn_hiddens = 0,
                      .norm = all ? Norm::layer : Norm::none,
                      .positions = given.positions,
                      .bias = all,
                      .tied_embeddings = false,
                      .causal = given.causal,
                      .dropout = given.dropout,
                      .seed = given.seed,
                      .optimizer = given.optimizer});
    AttentionOnlyTransformer model(given);
    CHECK(model.state_dict() == same.state_dict());
    const Tokens tokens = random_tokens(2, 6, 1);
    CHECK(model.forward(tokens).logits == same.forward(tokens).logits);
    CHECK(model.train_step(tokens, tokens) == same.train_step(tokens, tokens));
    CHECK(model.copy().state_dict() == same.state_dict());
    CHECK(&model.layer(1) == &model.attention(1));
    const auto [vocabulary, length, hiddens, layers, learned, norm] = model.sizes();
    CHECK(std::vector{vocabulary, length, hiddens, layers} ==
          std::vector<std::size_t>{13, 10, 6, 2});
    CHECK((learned == all && norm == all));
  }
}

TEST_CASE("A state dict of another model is refused whole") {
  Transformer model(small_transformer("an encoder").options);
  const StateDict before = model.state_dict();
  StateDict wrong = before;
  for (auto& [name, tensor] : wrong) {
    tensor.fill(7);
  }
  wrong.erase("encoder.layers.1.ffn.dense2.bias");
  wrong.emplace("other", xt::zeros<float>({2}));
  wrong.emplace("", xt::zeros<float>({2}));
  wrong["layers.0.cross_norm.weight"] = xt::zeros<float>({9});
  CHECK(error_of([&] { model.load_state_dict(wrong); }) ==
        "invalid-state-dict; state_dict: missing encoder.layers.1.ffn.dense2.bias; "
        "unexpected , other; layers.0.cross_norm.weight: expected (8,), got (9,)");
  CHECK(model.state_dict() == before);
}

TEST_CASE("Passes of a model's layer alone and of the model end each other's pending backward") {
  Transformer model(small_transformer("plain").options);
  MultiHeadAttention& layer = model.attention(0);
  const Tokens tokens = random_tokens(1, 3, 1);
  const Tensor<3> hidden = model.forward(tokens).hidden;
  Tensor<3> X;
  // One of the pass's shape, and one that keeps more than the model's pass has room for.
  for (const std::size_t length : {3, 50}) {
    X = randn<3>({1, length, 8}, 1);
    model.forward(tokens, {.requires_grad = true});
    layer.forward(X, X, X, {.requires_grad = true});
    CHECK(error_of([&] { return model.backward(hidden); }).starts_with("no-pending-backward"));
    CHECK(layer.backward(X).queries.shape() == X.shape());
    layer.forward(X, X, X, {.requires_grad = true});
  }
  model.load_state_dict(model.state_dict());
  CHECK(error_of([&] { return layer.backward(X); }).starts_with("no-pending-backward"));
  model.forward(tokens, {.requires_grad = true});
  layer.forward(X, X, X);
  CHECK(error_of([&] { return model.backward(hidden); }) == "no error");
}

TEST_CASE("A model and a cache that were moved from are disposed of") {
  const Tokens tokens = {{1, 2, 3}};
  for (const std::string name : {"plain", "an encoder", "patches"}) {
    CAPTURE(name);
    Transformer model(small_transformer(name).options);
    const StateDict parameters = model.state_dict();
    const Transformer moved = std::move(model);
    const std::function<void()> calls[] = {
        [&] { static_cast<void>(model.forward(tokens)); },
        [&] { static_cast<void>(model.forward(Tensor<4>())); },
        [&] { static_cast<void>(model.backward(Tensor<3>())); },
        [&] { static_cast<void>(model.loss(tokens, tokens)); },
        [&] { static_cast<void>(model.loss_and_gradients(tokens, tokens)); },
        [&] { static_cast<void>(model.train_step(tokens, tokens)); },
        [&] { static_cast<void>(model.generate({1}, {.max_new_tokens = 1})); },
        [&] {
          static_cast<void>(measure_head_importance(model, {{.tokens = tokens, .targets = tokens}},
                                                    {.measure = HeadMeasure::gradient}));
        },
        [&] { static_cast<void>(model.trainables()); },
        [&] { model.load_state_dict(parameters); },
        [&] { model.prune_heads({{0, {0}}}, Side::self); },
        [&] { static_cast<void>(model.copy()); },
        [&] { static_cast<void>(model.settings()); },
        [&] { static_cast<void>(model.state_dict(ParameterNames::pretrained)); },
        [&] { static_cast<void>(model.gradients()); },
        [&] { static_cast<void>(model.config()); },
        [&] { static_cast<void>(model.create_cache({.batch_size = 1, .max_length = 2})); }};
    for (const auto& call : calls) {
      CHECK(error_of([&] { call(); }).starts_with("disposed; model: "));
    }
    model.zero_gradients();
    model.train().eval();
    CHECK_FALSE(model.in_use());
    CHECK(model.num_layers() == 0);
    CHECK(moved.state_dict() == parameters);
  }
  Transformer model(small_transformer("plain").options);
  ModelCache cache = model.create_cache({.batch_size = 1, .max_length = 9});
  ModelCache moved = std::move(cache);
  CHECK_FALSE(cache.in_use());
  CHECK(cache.length() + cache.batch_size() + cache.max_length() == 0);
  CHECK(error_of([&] {
          return model.forward(tokens, {.cache = &cache});
        }).starts_with("disposed; cache: "));
  CHECK(error_of([&] { cache.reset(); }).starts_with("disposed; cache: "));
  cache = moved;
  CHECK(cache.in_use());
}

TEST_CASE("A model that was moved goes on with its pending backward and its optimizers") {
  Transformer model(small_transformer("an encoder").options);
  Transformer expected = model.copy();
  const Tokens tokens = {{1, 2, 3}};
  TransformerForwardOptions pass{.source = Tokens{{4, 5}}};
  Adam optimizer(model.trainables());
  model.train_step(tokens, tokens, optimizer, pass);
  expected.train_step(tokens, tokens, pass);
  pass.requires_grad = true;
  const auto hidden = model.forward(tokens, pass).hidden;
  static_cast<void>(expected.forward(tokens, pass));
  Transformer moved = std::move(model);
  CHECK(moved.backward(hidden).head_gates == expected.backward(hidden).head_gates);
  CHECK(moved.gradients() == expected.gradients());
  pass.requires_grad = false;
  moved.train_step(tokens, tokens, optimizer, pass);
  expected.train_step(tokens, tokens, pass);
  CHECK(moved.state_dict() == expected.state_dict());
}

}  // namespace
}  // namespace headwise::test
