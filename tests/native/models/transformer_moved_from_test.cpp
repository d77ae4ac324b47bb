#include <catch2/catch_test_macros.hpp>
#include <string>
#include <utility>

#include "compare.hpp"
#include "small_transformers.hpp"

namespace headwise::test {
namespace {

const Tokens tokens = {{1, 2, 3}};

template <typename Call>
bool is_disposed(const Call& call) {
  return error_of([&] {
           static_cast<void>(call());
           return 0;
         })
      .starts_with("disposed; model: ");
}

TEST_CASE("A transformer that was moved from is disposed of") {
  for (const std::string name : {"plain", "an encoder", "patches"}) {
    INFO(name);
    Transformer model(small_transformer(name).options);
    const StateDict parameters = model.state_dict();
    const Transformer moved = std::move(model);
    const Transformer& unchanged = model;
    CHECK(is_disposed([&] { return model.forward(tokens); }));
    CHECK(is_disposed([&] { return model.forward(Tensor<4>()); }));
    CHECK(is_disposed([&] { return model.backward(Tensor<3>()); }));
    CHECK(is_disposed([&] { return model.loss(tokens, tokens); }));
    CHECK(is_disposed([&] { return model.loss_and_gradients(tokens, tokens); }));
    CHECK(is_disposed([&] { return model.train_step(tokens, tokens); }));
    CHECK(is_disposed([&] { return model.generate({1}, {.max_new_tokens = 1}); }));
    CHECK(is_disposed([&] { return model.trainables(); }));
    CHECK(is_disposed([&] {
      model.load_state_dict(parameters);
      return 0;
    }));
    CHECK(is_disposed([&] {
      model.prune_heads({{0, {0}}}, Side::self);
      return 0;
    }));
    CHECK(is_disposed([&] { return unchanged.copy(); }));
    CHECK(is_disposed([&] { return unchanged.settings(); }));
    CHECK(is_disposed([&] { return unchanged.state_dict(ParameterNames::pretrained); }));
    CHECK(is_disposed([&] { return unchanged.gradients(); }));
    CHECK(is_disposed([&] { return unchanged.config(); }));
    CHECK(is_disposed([&] { return unchanged.create_cache({.batch_size = 1, .max_length = 2}); }));
    model.zero_gradients();
    model.train();
    model.eval();
    CHECK_FALSE(unchanged.in_use());
    CHECK(unchanged.num_layers() == 0);
    CHECK(moved.state_dict() == parameters);
  }
}

TEST_CASE("A model's cache that was moved from is disposed of") {
  Transformer model(small_transformer("plain").options);
  ModelCache cache = model.create_cache({.batch_size = 1, .max_length = 9});
  const auto first = model.forward(tokens, {.cache = &cache}).logits;
  ModelCache moved = std::move(cache);
  CHECK(moved.length() == 3);
  CHECK_FALSE(cache.in_use());
  CHECK(error_of([&] {
          return model.forward(tokens, {.cache = &cache});
        }).starts_with("disposed; cache: "));
  CHECK(error_of([&] {
          cache.reset();
          return 0;
        }).starts_with("disposed; cache: "));
  cache = moved;
  CHECK(model.forward(tokens, {.cache = &cache}).logits ==
        model.forward(tokens, {.cache = &moved}).logits);
  cache.reset();
  CHECK(model.forward(tokens, {.cache = &cache}).logits == first);
}

TEST_CASE("A transformer that was moved goes on with its caches and its pending backward") {
  Transformer model(small_transformer("an encoder").options);
  Transformer expected = model.copy();
  const TransformerForwardOptions options{.source = Tokens{{4, 5}}, .requires_grad = true};
  const auto hidden = model.forward(tokens, options).hidden;
  static_cast<void>(expected.forward(tokens, options));
  Transformer moved = std::move(model);
  CHECK(moved.backward(hidden).head_gates == expected.backward(hidden).head_gates);
  CHECK(moved.gradients() == expected.gradients());
}

}  // namespace
}  // namespace headwise::test
