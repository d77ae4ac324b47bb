#include <catch2/catch_test_macros.hpp>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "compare.hpp"
#include "set_threads.hpp"
#include "transformer_call.hpp"

namespace headwise::test {
namespace {

TransformerOptions options_with(double dropout) {
  TransformerOptions options = small_transformer("a bias of logits").options;
  options.dropout = dropout;
  options.optimizer = {.learning_rate = 0.1};
  return options;
}

const Tokens some_tokens = random_tokens(2, 5, 1);
const Tokens some_targets = random_tokens(2, 5, 2);

TEST_CASE("train_step is gradients from zero and a step of the optimizer, in training mode") {
  for (const double dropout : {0.0, 0.5}) {
    CAPTURE(dropout);
    const TransformerOptions options = options_with(dropout);
    Transformer by_step(options);
    Transformer by_given(options);
    Transformer by_hand(options);
    const StateDict before = by_hand.state_dict();
    Adam given(by_given.trainables(), options.optimizer);
    Adam own(by_hand.trainables(), options.optimizer);
    by_hand.train();
    for (int step = 0; step < 3; ++step) {
      by_hand.zero_gradients();
      const double loss = by_hand.loss_and_gradients(some_tokens, some_targets).loss;
      own.step();
      CHECK(by_step.train_step(some_tokens, some_targets) == loss);
      CHECK(by_given.train_step(some_tokens, some_targets, given) == loss);
    }
    CHECK(by_step.state_dict() == by_hand.state_dict());
    CHECK(by_given.state_dict() == by_hand.state_dict());
    for (const auto& [name, tensor] : by_hand.state_dict()) {
      CAPTURE(name);
      // Softmax cancels the bias of keys, whose gradients are rounding errors.
      CHECK((name.ends_with("W_k.bias") || max_difference(tensor, before.at(name)) > 1e-3));
    }
    CHECK_FALSE(by_step.training());
    CHECK(by_hand.training());
  }
}

TEST_CASE("Gradients of a second batch are added, and are 0 at first and without targets") {
  Transformer model(options_with(0));
  CHECK(all_equal(model.gradients().at("embedding.weight"), 0));
  model.loss_and_gradients(some_tokens, some_targets);
  const StateDict once = model.gradients();
  model.loss_and_gradients(some_tokens, some_targets);
  for (const auto& [name, gradient] : model.gradients()) {
    CAPTURE(name);
    CHECK(max_difference(gradient, 2 * once.at(name)) <= 1e-6);
  }
  model.zero_gradients();
  CHECK(model.loss_and_gradients(some_tokens, some_tokens * 0 + ignored_target).loss == 0);
  for (const auto& [name, gradient] : model.gradients()) {
    CHECK(all_equal(gradient, 0));
  }
}

TEST_CASE("A pruned model and a copied one train alone, and as others do") {
  Transformer model(options_with(0));
  model.optimizer().set_learning_rate(0.02);
  model.prune_heads({{0, {0}}});
  Transformer copy = model.copy();
  const StateDict before = model.state_dict();
  copy.train_step(some_tokens, some_targets);
  CHECK(model.state_dict() == before);
  const double first = model.train_step(some_tokens, some_targets);
  CHECK(model.state_dict() == copy.state_dict());
  model.optimizer().set_learning_rate(0.1);
  for (int step = 0; step < 20; ++step) {
    model.train_step(some_tokens, some_targets);
  }
  CHECK(model.loss(some_tokens, some_targets) < 0.5 * first);
}

/// All attention layers of a model.
std::vector<MultiHeadAttention*> layers_of(Transformer& model) {
  std::vector<MultiHeadAttention*> layers;
  for (std::size_t i = 0; i < model.num_layers(); ++i) {
    layers.insert(layers.end(),
                  {&model.attention(i), &model.cross_attention(i), &model.encoder_attention(i)});
  }
  return layers;
}

TEST_CASE("A step of training leaves the mode of every layer as it was") {
  TransformerOptions options = small_transformer("an encoder").options;
  options.dropout = 0.5;
  Transformer model(options);
  const std::vector<MultiHeadAttention*> layers = layers_of(model);
  const TransformerForwardOptions pass{.source = random_tokens(2, 3, 3)};
  for (std::size_t modes = 0; modes < std::size_t{1} << layers.size(); ++modes) {
    CAPTURE(modes);
    const auto trains = [&](std::size_t i) { return (modes >> i) % 2 == 1; };
    for (std::size_t i = 0; i < layers.size(); ++i) {
      layers[i]->set_training(trains(i));
    }
    model.train_step(some_tokens, some_targets, pass);
    for (std::size_t i = 0; i < layers.size(); ++i) {
      CHECK(layers[i]->training() == trains(i));
    }
  }
}

TEST_CASE("A step of training takes an optimizer of the model or of parts of it alone") {
  const TransformerOptions options = options_with(0);
  Transformer model(options);
  Transformer other(options);
  MultiHeadAttention layer({.num_hiddens = 8, .num_heads = 2, .seed = 1});
  other.loss_and_gradients(some_tokens, some_targets);
  std::vector<Trainable*> with_layer = model.trainables();
  with_layer.push_back(&layer);
  const StateDict before = model.state_dict();
  const StateDict gradients = model.gradients();
  for (const std::vector<Trainable*>& wrong : std::vector<std::vector<Trainable*>>{
           other.trainables(), {&other.attention(0)}, {&layer}, with_layer}) {
    SGD optimizer(wrong);
    CHECK(error_of([&] { return model.train_step(some_tokens, some_targets, optimizer); }) ==
          "invalid-option; optimizer: expected one that trains this model or layers of it alone, "
          "got one that trains others");
    CHECK(model.state_dict() == before);
    CHECK(model.gradients() == gradients);
    CHECK(other.state_dict() == before);
  }
  SGD of_layer({&model.attention(1)});
  Transformer moved = std::move(model);
  moved.prune_heads({{1, {0}}});
  moved.train_step(some_tokens, some_targets, of_layer);
  CHECK(moved.state_dict().at("embedding.weight") == before.at("embedding.weight"));
}

/// What a step of training, gradients and a forward give with this number of threads.
auto results_with(std::int64_t threads, const TransformerOptions& options) {
  const SetThreads set(threads);
  Transformer model(options);
  TransformerForwardOptions pass;
  if (options.encoder) {
    pass.source = random_tokens(6, 50, 3);
    pass.source_valid_lens = LensBySample{50, 3, 17, 0, 31, 49};
  }
  const Tokens many = random_tokens(6, 64, 4);
  const double loss = model.train_step(many, many, pass);
  const auto gates = model.loss_and_gradients(many, many, pass).head_gates;
  pass.return_weights = true;
  const TransformerResult result = model.forward(many, pass);
  CHECK(all_finite(result.logits));
  return std::tuple(loss, model.state_dict(), model.gradients(), gates, result.logits,
                    result.attention_weights);
}

TEST_CASE("What a model learns does not depend on the number of threads") {
  // Large enough for several threads to be worth their while.
  TransformerOptions options;
  options.vocabulary_size = 300;
  options.max_length = 64;
  options.num_hiddens = 96;
  options.num_heads = 4;
  options.num_layers = 2;
  options.dropout = 0.1;
  options.seed = 1;
  TransformerOptions gated = options;
  gated.gated = true;
  gated.activation = Activation::silu;
  gated.norm = Norm::rms;
  gated.positions = Positions::rotary;
  gated.num_kv_heads = 2;
  options.encoder = EncoderOptions{.num_layers = 2};
  options.norm_first = false;
  options.embedding_norm = true;
  for (const TransformerOptions& each : {gated, options}) {
    const auto alone = results_with(1, each);
    CHECK((results_with(2, each) == alone));
    CHECK((results_with(5, each) == alone));
  }
}

}  // namespace
}  // namespace headwise::test
