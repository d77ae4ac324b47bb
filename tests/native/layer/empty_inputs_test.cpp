#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "compare.hpp"

/// Public calls with nothing in them: whose tensors have no memory, so that their pointers are
/// null. What this tells beyond shapes and numbers it tells under UndefinedBehaviorSanitizer.
namespace headwise::test {
namespace {

struct Sizes {
  std::size_t batch, queries, keys;
};

/// Every way in which there may be nothing.
const std::vector<Sizes> empty_sizes = {{0, 3, 4}, {2, 0, 4}, {2, 3, 0}, {2, 0, 0}, {0, 0, 0}};

template <typename Options>
Options with_masks(const Sizes& sizes, std::size_t heads, std::size_t kind) {
  Options options;
  const std::vector<std::size_t> shape =
      heads > 0 ? std::vector{sizes.batch, heads, sizes.queries, sizes.keys}
                : std::vector{sizes.batch, sizes.queries, sizes.keys};
  switch (kind) {
    case 1:
      options.valid_lens = LensBySample::from_shape({sizes.batch});
      std::get<LensBySample>(options.valid_lens).fill(0);
      options.mask = xt::xarray<bool>(shape, true);
      break;
    case 2:
      options.valid_lens = LensByQuery::from_shape({sizes.batch, sizes.queries});
      std::get<LensByQuery>(options.valid_lens).fill(0);
      options.mask = xt::xarray<float>(shape, 0.5F);
      options.causal = Causal::top_left;
      break;
    case 3:
      options.causal = Causal::bottom_right;
      options.window = Window{.left = 1, .right = 2};
      break;
    case 4:
      options.empty_rows = EmptyRows::uniform;
      options.mask = xt::xarray<float>(std::vector{sizes.keys}, 0.5F);
      break;
    default:
      break;
  }
  return options;
}

constexpr std::size_t kinds_of_masks = 5;

template <typename Use>
void for_each_empty(const Use& use) {
  for (const Sizes& sizes : empty_sizes) {
    for (std::size_t kind = 0; kind < kinds_of_masks; ++kind) {
      CAPTURE(sizes.batch, sizes.queries, sizes.keys, kind);
      use(sizes, kind);
    }
  }
}

/// Forward, with weights of every stage, and backward of one layer.
void pass(MultiHeadAttention& layer, const Sizes& sizes, std::size_t kind) {
  constexpr std::size_t size = 8;
  const Inputs inputs = random_inputs({.batch = sizes.batch,
                                       .queries = sizes.queries,
                                       .keys = sizes.keys,
                                       .query_size = size,
                                       .key_size = size,
                                       .value_size = size});
  auto options = with_masks<ForwardOptions>(sizes, layer.num_heads(), kind);
  if (kind > 0) {
    options.head_gate = full<2>({sizes.batch, layer.num_heads()}, 0.5F);
  }
  for (const WeightsStage stage :
       {WeightsStage::raw, WeightsStage::masked, WeightsStage::softmax}) {
    options.weights_stage = stage;
    options.return_weights = true;
    const AttentionResult result = forward(layer, inputs, options);
    CHECK(result.output.shape() == inputs.queries.shape());
    CHECK(result.attention_weights->shape(2) == sizes.queries);
  }
  options.return_weights = false;
  options.requires_grad = true;
  const AttentionResult result = forward(layer, inputs, options);
  const auto gradients = layer.backward(full<3>(inputs.queries.shape(), 1));
  CHECK(gradients.queries.shape() == inputs.queries.shape());
  CHECK(gradients.values.shape() == inputs.values.shape());
  CHECK(all_finite(result.output));
  for (const auto& [name, gradient] : layer.gradients()) {
    CAPTURE(name);
    CHECK(all_finite(gradient));
  }
  KeyValueCache cache = layer.create_cache({.batch_size = 1, .max_length = 5});
  const auto decode = [&](std::size_t queries, std::size_t keys) {
    const Inputs next = random_inputs({.batch = 1,
                                       .queries = queries,
                                       .keys = keys,
                                       .query_size = size,
                                       .key_size = size,
                                       .value_size = size});
    CHECK(forward(layer, next, {.cache = &cache}).output.shape(1) == queries);
  };
  decode(sizes.queries, 0);
  decode(0, sizes.keys);
  decode(sizes.queries, 0);
}

TEST_CASE("A layer goes forward and back with nothing") {
  const std::vector<MultiHeadAttentionOptions> layers = {
      {},
      {.dropout = 0.5, .bias = true, .num_kv_heads = 1},
      {.softcap = 3, .bias_kv = true, .zero_attention = true},
      {.pooling = Pooling::additive},
      {.pooling = Pooling::additive, .projection = Projection::none, .zero_attention = true},
      {.projection = Projection::convolution},
      {.projection = Projection::none}};
  for (MultiHeadAttentionOptions options : layers) {
    options.num_hiddens = 8;
    options.num_heads = 2;
    options.seed = 1;
    for_each_empty([&](const Sizes& sizes, std::size_t kind) {
      MultiHeadAttention layer(options);
      layer.train();
      pass(layer, sizes, kind);
    });
  }
}

TEST_CASE(
    "A layer without a batch axis goes forward and back with nothing, and is measured on it") {
  for (const auto& [queries, keys] :
       std::vector<std::pair<std::size_t, std::size_t>>{{0, 4}, {3, 0}, {0, 0}}) {
    CAPTURE(queries, keys);
    MultiHeadAttention layer({.num_hiddens = 8, .num_heads = 2, .seed = 1});
    const auto X = randn<2>({queries, 8}, 1);
    const auto Y = randn<2>({keys, 8}, 2);
    CHECK(layer.forward(X, Y, Y, {.return_weights = true, .requires_grad = true}).output.shape() ==
          X.shape());
    CHECK(layer.backward(X).keys.shape() == Y.shape());
    for (const std::size_t batch : {0, 2}) {
      const HeadMeasureBatch measured{randn<3>({batch, queries, 8}, 1),
                                      randn<3>({batch, keys, 8}, 2), randn<3>({batch, keys, 8}, 3)};
      for (const HeadMeasure measure : {HeadMeasure::confidence, HeadMeasure::entropy}) {
        CHECK(measure_head_importance(layer, {measured}, {.measure = measure})->size() == 2);
      }
    }
    layer.prune_heads({0});
    CHECK(layer.forward(X, Y, Y).output.shape() == X.shape());
  }
}

TEST_CASE("The pooling functions pool nothing") {
  for_each_empty([](const Sizes& sizes, std::size_t kind) {
    const auto [batch, queries, keys] = sizes;
    auto options = with_masks<DotProductAttentionOptions>(sizes, 4, kind);
    options.return_weights = true;
    for (const std::size_t value_size : {std::size_t{0}, std::size_t{3}}) {
      CHECK(scaled_dot_product_attention(randn<4>({batch, 4, queries, 5}, 1),
                                         randn<4>({batch, 2, keys, 5}, 2),
                                         randn<4>({batch, 2, keys, value_size}, 3), options)
                .output.size() == batch * 4 * queries * value_size);
      auto additive = with_masks<AdditiveAttentionOptions>(sizes, 0, kind);
      additive.return_weights = true;
      CHECK(additive_attention(randn<3>({batch, queries, 5}, 1), randn<3>({batch, keys, 4}, 2),
                               randn<3>({batch, keys, value_size}, 3),
                               {randn<2>({6, 5}, 4), randn<2>({6, 4}, 5), randn<2>({1, 6}, 6)},
                               additive)
                .output.size() == batch * queries * value_size);
    }
    CHECK(masked_softmax(randn<3>({batch, queries, keys}, 1), options.valid_lens).size() ==
          batch * queries * keys);
  });
  CHECK(scaled_dot_product_attention(randn<4>({2, 0, 3, 5}, 1), randn<4>({2, 0, 4, 5}, 2),
                                     randn<4>({2, 0, 4, 5}, 3))
            .output.size() == 0);
}

TEST_CASE("Heads of nothing are split and joined") {
  for (const auto& shape :
       std::vector<std::array<std::size_t, 3>>{{0, 3, 8}, {2, 0, 8}, {2, 3, 0}, {0, 0, 0}}) {
    const Tensor<3> X = randn<3>(shape, 1);
    CHECK(split_heads(X, 2).size() == 0);
    CHECK(transpose_qkv(X, 2).size() == 0);
    CHECK(transpose_output(X, 2).size() == 0);
  }
  CHECK(positional_encoding(0, 8).size() == 0);
}

TEST_CASE("Scores and losses of nothing") {
  for (const auto& shape : std::vector<std::array<std::size_t, 4>>{
           {0, 2, 3, 3}, {2, 0, 3, 3}, {2, 2, 0, 0}, {0, 0, 0, 0}}) {
    const Tensor<4> weights = full<4>(shape, 0);
    const Tokens tokens(std::array{shape[0], shape[2]}, std::int64_t{0});
    CHECK(pattern_scores(weights, true).size() == shape[1]);
    CHECK(pattern_scores(weights, false).size() == shape[1]);
    CHECK(induction_scores(weights, tokens).size() == shape[1]);
    CHECK(key_scores(weights, tokens).size() == shape[1]);
  }
  for (const auto& shape : std::vector<std::array<std::size_t, 3>>{{0, 3, 5}, {2, 0, 5}}) {
    CHECK(cross_entropy(full<3>(shape, 0), Tokens(std::array{shape[0], shape[1]}, 1)) == 0);
  }
}

TEST_CASE("Models and tasks of no sequences") {
  const CopyTask task({.num_symbols = 5, .length = 4, .offset = 1});
  const TaskBatch batch = task.batch(1, 0, 0);
  CHECK(batch.tokens.size() == 0);
  AttentionOnlyTransformer model({.vocabulary_size = 5,
                                  .max_length = 4,
                                  .num_hiddens = 8,
                                  .num_heads = 2,
                                  .num_layers = 2,
                                  .seed = 1});
  for (const auto& shape : std::vector<std::array<std::size_t, 2>>{{0, 4}, {2, 0}, {0, 0}}) {
    const Tokens tokens(shape, 0);
    CHECK(model.forward(tokens).logits.size() == 0);
    CHECK(model.loss(tokens, tokens) == 0);
    CHECK(model.loss_and_gradients(tokens, tokens).loss == 0);
    CHECK(model.train_step(tokens, tokens) == 0);
    for (const HeadMeasure measure : {HeadMeasure::gradient, HeadMeasure::ablation,
                                      HeadMeasure::confidence, HeadMeasure::entropy}) {
      CHECK(measure_head_importance(model, {{tokens, tokens}}, {.measure = measure})->size() == 2);
    }
  }
  // Nothing is asked of the sequences that there are.
  CHECK(model.loss_and_gradients(Tokens({2, 3}, 0), Tokens({2, 3}, ignored_target)).loss == 0);
}

TEST_CASE("Files of empty tensors") {
  const xt::xarray<float> empty = xt::xarray<float>::from_shape({2, 0, 3});
  CHECK(load_npy(save_npy(empty)).shape() == empty.shape());
  const auto tensors = load_safetensors(save_safetensors({{"empty", empty}})).tensors;
  CHECK(tensors.at("empty").shape() == empty.shape());
  CHECK(load_safetensors(save_safetensors({})).tensors.empty());
}

}  // namespace
}  // namespace headwise::test
