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

TEST_CASE("A layer that is called by itself ends a model's pending backward") {
  AttentionOnlyTransformer model(small_options());
  const Tokens tokens = {{0, 1, 2, 3}, {4, 0, 0, 1}};
  const Tensor<3> hidden = model.forward(tokens, {.requires_grad = true}).hidden;
  const auto X = randn<3>({1, 3, 6}, 1);
  model.layer(0).forward(X, X, X, {.requires_grad = true});
  CHECK(error_of([&] { return model.backward(hidden); }).starts_with("no-pending-backward"));
  model.forward(tokens, {.requires_grad = true});
  model.layer(0).forward(X, X, X);
  CHECK(error_of([&] { return model.backward(hidden); }) == "no error");
}

}  // namespace
}  // namespace headwise::test
