#include <catch2/catch_test_macros.hpp>
#include <set>

#include "compare.hpp"
#include "transformer_problem.hpp"

namespace headwise::test {
namespace {

AttentionOnlyTransformerOptions small_options() {
  return {.vocabulary_size = 5,
          .max_length = 4,
          .num_hiddens = 6,
          .num_heads = 2,
          .num_layers = 2,
          .positions = Positions::learned,
          .layer_norm = true,
          .seed = 1};
}

bool same(const StateDict& a, const StateDict& b) {
  if (a.size() != b.size()) {
    return false;
  }
  for (const auto& [name, tensor] : a) {
    if (!b.contains(name) || tensor.shape() != b.at(name).shape() ||
        max_difference(tensor, b.at(name)) != 0) {
      return false;
    }
  }
  return true;
}

TEST_CASE("A model's parameters have PyTorch's names and shapes") {
  const StateDict dict = AttentionOnlyTransformer(small_options()).state_dict();
  const auto shape = [&](const std::string& name) {
    const auto& own = dict.at(name).shape();
    return std::vector<std::size_t>(own.begin(), own.end());
  };
  using Shape = std::vector<std::size_t>;
  CHECK(shape("embedding.weight") == Shape{5, 6});
  CHECK(shape("position.weight") == Shape{4, 6});
  CHECK(shape("unembedding.weight") == Shape{5, 6});
  for (const std::string prefix : {"layers.0.norm.", "layers.1.norm.", "norm."}) {
    CHECK(all_equal(dict.at(prefix + "weight"), 1));
    CHECK(all_equal(dict.at(prefix + "bias"), 0));
    CHECK(shape(prefix + "bias") == Shape{6});
  }
  for (const std::string layer : {"layers.0.attention.", "layers.1.attention."}) {
    for (const std::string matrix : {"W_q", "W_k", "W_v", "W_o"}) {
      CHECK(shape(layer + matrix + ".weight") == Shape{6, 6});
    }
  }
  CHECK(dict.size() == 3 + 6 + 8);

  AttentionOnlyTransformerOptions plain = small_options();
  plain.positions = Positions::sinusoidal;
  plain.layer_norm = false;
  plain.bias = true;
  const StateDict other = AttentionOnlyTransformer(plain).state_dict();
  CHECK(other.size() == 2 + 16);
  CHECK(other.contains("layers.1.attention.W_o.bias"));
}

TEST_CASE("A seed gives the same model, another one another, and layers differ") {
  const StateDict dict = AttentionOnlyTransformer(small_options()).state_dict();
  CHECK(same(dict, AttentionOnlyTransformer(small_options()).state_dict()));
  AttentionOnlyTransformerOptions other = small_options();
  other.seed = 2;
  CHECK_FALSE(same(dict, AttentionOnlyTransformer(other).state_dict()));
  std::set<float> firsts;
  for (const auto& [name, tensor] : dict) {
    if (name.find("norm") == std::string::npos) {
      firsts.insert(tensor.data()[0]);
    }
  }
  CHECK(firsts.size() == 3 + 8);
  other.seed = std::nullopt;
  const AttentionOnlyTransformer drawn(other);
  other.seed = drawn.seed();
  CHECK(same(drawn.state_dict(), AttentionOnlyTransformer(other).state_dict()));
}

TEST_CASE("A state dict loaded is the state dict given, and so are the results") {
  const AttentionOnlyTransformerOptions options = small_options();
  AttentionOnlyTransformerOptions other = options;
  other.seed = 2;
  AttentionOnlyTransformer model(options);
  AttentionOnlyTransformer loaded(other);
  const Tokens tokens = {{0, 1, 2, 3}, {4, 0, 0, 1}};
  CHECK(loaded.forward(tokens).logits != model.forward(tokens).logits);
  loaded.load_state_dict(model.state_dict());
  CHECK(same(loaded.state_dict(), model.state_dict()));
  CHECK(loaded.forward(tokens).logits == model.forward(tokens).logits);
}

TEST_CASE("A backward of a layer on its own does not outlive the parameters it belongs to") {
  AttentionOnlyTransformer model(small_options());
  const auto X = randn<3>({1, 3, 6}, 1);
  model.layer(0).forward(X, X, X, {.requires_grad = true});
  model.load_state_dict(model.state_dict());
  CHECK(error_of([&] { return model.layer(0).backward(X); }).starts_with("no-pending-backward"));
}

TEST_CASE("A bad state dict is told, and nothing is loaded") {
  AttentionOnlyTransformer model(small_options());
  const StateDict before = model.state_dict();
  StateDict dict;
  for (const auto& [name, tensor] : before) {
    dict[name] = 2 * tensor;
  }
  dict["layers.2.norm.weight"] = dict["norm.weight"];
  dict["layers.0.attention.W_q.bias"] = dict["norm.weight"];
  dict["layers.1.attention.W_o.weight"] = xt::xarray<float>::from_shape({6, 4});
  dict["norm.bias"] = xt::xarray<float>::from_shape({1, 6});
  dict.erase("position.weight");
  dict.erase("layers.0.attention.W_v.weight");
  CHECK(error_of([&] {
          model.load_state_dict(dict);
          return 0;
        }) ==
        "invalid-state-dict; state_dict: missing layers.0.attention.W_v.weight, "
        "position.weight; unexpected layers.0.attention.W_q.bias, layers.2.norm.weight; "
        "layers.1.attention.W_o.weight: expected (6, 6), got (6, 4); norm.bias: expected "
        "(6,), got (1, 6)");
  CHECK(same(model.state_dict(), before));
}

std::string construction_error(const auto& change) {
  AttentionOnlyTransformerOptions options = small_options();
  change(options);
  return error_of([&] { return AttentionOnlyTransformer(options).seed(); });
}

TEST_CASE("Options out of range are told") {
  using Options = AttentionOnlyTransformerOptions;
  const std::string size = ": expected an integer from 1 to 2147483647, got 0";
  CHECK(construction_error([](Options& o) { o.vocabulary_size = 0; }) ==
        "invalid-option; vocabulary_size" + size);
  CHECK(construction_error([](Options& o) { o.max_length = 0; }) ==
        "invalid-option; max_length" + size);
  CHECK(construction_error([](Options& o) { o.num_layers = 0; }) ==
        "invalid-option; num_layers" + size);
  CHECK(construction_error([](Options& o) { o.num_hiddens = 0; }) ==
        "invalid-option; num_hiddens" + size);
  CHECK(construction_error([](Options& o) { o.num_heads = 4; }) ==
        "invalid-option; num_heads: expected a divisor of num_hiddens (6), got 4");
  CHECK(construction_error([](Options& o) { o.dropout = 2; }) ==
        "invalid-option; dropout: expected a number from 0 to 1, got 2");
  CHECK(construction_error([](Options& o) { o.seed = std::uint64_t{1} << 53U; }) ==
        "invalid-option; seed: expected an integer from 0 to 9007199254740991, got "
        "9007199254740992");
  CHECK(construction_error([](Options& o) { o.optimizer.learning_rate = -1; }) ==
        "invalid-option; learning_rate: expected a finite number from 0 on, got -1");
}

TEST_CASE("Bad calls are told, and change nothing") {
  AttentionOnlyTransformer model(small_options());
  const StateDict before = model.state_dict();
  const Tokens tokens = {{0, 1, 2}};
  const auto check = [&](const Tokens& given, const Tokens& targets,
                         const std::vector<HeadGate>& gates, const std::string& error) {
    const TransformerForwardOptions options{.head_gates = gates};
    CHECK(error_of([&] { return model.loss(given, targets, options); }) == error);
    CHECK(error_of([&] { return model.loss_and_gradients(given, targets, options); }) == error);
    if (gates.empty()) {
      CHECK(error_of([&] { return model.train_step(given, targets); }) == error);
    }
  };
  check({{0, 5}}, {{0, 0}}, {}, "invalid-value; tokens: expected integers from 0 to 4, got 5");
  check({{0, -1}}, {{0, 0}}, {}, "invalid-value; tokens: expected integers from 0 to 4, got -1");
  check({{0, 0, 0, 0, 0}}, {{0, 0, 0, 0, 0}}, {},
        "invalid-shape; tokens: expected (batch, length), length at most max_length (4), got "
        "(1, 5)");
  check(tokens, {{0, 0}}, {}, "invalid-shape; targets: expected (1, 3), got (1, 2)");
  check(tokens, {{0, 0, 5}}, {}, "invalid-value; targets: expected integers from -1 to 4, got 5");
  check(tokens, {{0, 0, -2}}, {}, "invalid-value; targets: expected integers from -1 to 4, got -2");
  check(tokens, tokens, {HeadGate{}},
        "invalid-shape; head_gates: expected one a layer (2) or none, got 1");
  check(tokens, tokens, {HeadGate{}, Tensor<1>{1, 1, 1}},
        "invalid-shape; head_gates[1]: expected (2,) or (1, 2), got (3,)");
  CHECK(error_of([&] { return model.forward({{5}}); }) ==
        "invalid-value; tokens: expected integers from 0 to 4, got 5");
  CHECK(same(model.state_dict(), before));
  for (const auto& [name, gradient] : model.gradients()) {
    CHECK(all_equal(gradient, 0));
  }
}

}  // namespace
}  // namespace headwise::test
