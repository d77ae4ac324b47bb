#include <catch2/catch_test_macros.hpp>
#include <concepts>
#include <type_traits>
#include <utility>
#include <vector>

#include "compare.hpp"

/// What nobody outside can bring about: a cache longer than its memory, a model whose layers do not
/// fit each other.
namespace headwise::test {
namespace {

template <typename Cache>
concept Appendable = requires(Cache& cache) { cache.append(std::size_t{1}); };

TEST_CASE("Positions get into a cache by a forward only") {
  CHECK_FALSE(Appendable<KeyValueCache>);
}

constexpr AttentionOnlyTransformerOptions model_options{.vocabulary_size = 5,
                                                        .max_length = 7,
                                                        .num_hiddens = 6,
                                                        .num_heads = 3,
                                                        .num_layers = 2,
                                                        .seed = 1};

/// As a layer of the model, but for its sizes.
MultiHeadAttention other_layer(std::int64_t input, std::int64_t hiddens, std::int64_t output) {
  return MultiHeadAttention({.num_hiddens = hiddens,
                             .num_heads = 3,
                             .query_size = input,
                             .key_size = input,
                             .value_size = input,
                             .output_size = output,
                             .seed = 9});
}

std::vector<MultiHeadAttention> layers_that_do_not_fit() {
  std::vector<MultiHeadAttention> layers;
  layers.push_back(other_layer(60, 60, 60));
  layers.push_back(other_layer(6, 6, 60));
  layers.push_back(other_layer(60, 6, 6));
  layers.push_back(other_layer(3, 3, 3));
  layers.push_back(MultiHeadAttention({.num_hiddens = 6, .num_heads = 3, .seed = 9}));
  layers.push_back(MultiHeadAttention({.num_hiddens = 6,
                                       .num_heads = 3,
                                       .query_size = 6,
                                       .key_size = 6,
                                       .value_size = 60,
                                       .seed = 9}));
  return layers;
}

/// Tries to put a layer into a model, in every way there is; each must be refused by the compiler
/// or when it is tried, at the latest by the model's next pass.
template <typename Model, typename Layer>
void check_refuses(const Layer& other) {
  const Tokens tokens = {{1, 2, 3}};
  const Tensor<3> expected = Model(model_options).forward(tokens).logits;
  const auto check = [&](const auto& put) {
    Model model(model_options);
    try {
      put(model);
      static_cast<void>(model.forward(tokens));
      FAIL("a layer was put into a model that it does not fit");
    } catch (const Error& error) {
      CHECK_FALSE(error.code().empty());
    }
  };
  if constexpr (requires(Model& model) { model.layer(0) = other; }) {
    check([&](Model& model) { model.layer(0) = other; });
    check([&](Model& model) { model.layer(0) = Layer(other); });
  }
  if constexpr (requires(Model& model, Layer& layer) { std::swap(model.layer(0), layer); }) {
    check([&](Model& model) {
      Layer copy = other;
      std::swap(model.layer(0), copy);
    });
  }
  if constexpr (requires(Model& model) { Layer(std::move(model.layer(0))); }) {
    if constexpr (std::is_same_v<decltype(std::declval<Model&>().layer(0)), Layer&>) {
      check([](Model& model) { const Layer taken = std::move(model.layer(0)); });
    }
  }
  CHECK(Model(model_options).forward(tokens).logits == expected);
}

TEST_CASE("A model's layer cannot be replaced by one that does not fit") {
  for (const MultiHeadAttention& layer : layers_that_do_not_fit()) {
    CAPTURE(layer.num_hiddens(), layer.query_size().value_or(0));
    check_refuses<AttentionOnlyTransformer>(layer);
  }
}

}  // namespace
}  // namespace headwise::test
