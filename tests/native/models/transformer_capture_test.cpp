#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "compare.hpp"
#include "small_transformers.hpp"

namespace headwise::test {
namespace {

constexpr std::size_t batch = 2;
constexpr std::size_t length = 6;
constexpr std::size_t source_length = 5;

constexpr Capture everything{.queries = true,
                             .keys = true,
                             .values = true,
                             .scores = true,
                             .pooled = true,
                             .dropped_weights = true};

TransformerForwardOptions options_for(const SmallTransformer& small) {
  TransformerForwardOptions options;
  if (small.options.encoder) {
    options.source = random_tokens(batch, source_length, 21);
    options.source_valid_lens = LensBySample{4, 2};
  }
  return options;
}

TransformerResult forward(Transformer& model, const TransformerForwardOptions& options) {
  const TransformerSettings& settings = model.settings();
  if (settings.has_patches()) {
    return model.forward(
        randn<4>({batch, settings.channels, settings.image_size, settings.image_size}, 4), options);
  }
  return model.forward(random_tokens(batch, length, 22), options);
}

std::vector<Tensor<4>>& weights_of(TransformerResult& result, Side side) {
  return side == Side::self    ? result.attention_weights
         : side == Side::cross ? result.cross_attention_weights
                               : result.encoder_attention_weights;
}

std::vector<CapturedTensors<3>>& captured_of(TransformerResult& result, Side side) {
  return side == Side::self    ? result.captured
         : side == Side::cross ? result.cross_captured
                               : result.encoder_captured;
}

/// The rows of these heads and queries.
Tensor<4> rows_of(const Tensor<4>& all, const std::vector<std::int64_t>& heads,
                  const std::vector<std::int64_t>& queries) {
  Tensor<4> rows({all.shape(0), heads.size(), queries.size(), all.shape(3)});
  for (std::size_t sample = 0; sample < rows.shape(0); ++sample) {
    for (std::size_t head = 0; head < heads.size(); ++head) {
      for (std::size_t query = 0; query < queries.size(); ++query) {
        for (std::size_t key = 0; key < rows.shape(3); ++key) {
          rows(sample, head, query, key) = all(sample, static_cast<std::size_t>(heads[head]),
                                               static_cast<std::size_t>(queries[query]), key);
        }
      }
    }
  }
  return rows;
}

/// The columns `begin` to `end` of the tokens.
Tokens columns(const Tokens& tokens, std::size_t begin, std::size_t end) {
  Tokens part = Tokens::from_shape({tokens.shape(0), end - begin});
  for (std::size_t row = 0; row < tokens.shape(0); ++row) {
    for (std::size_t i = begin; i < end; ++i) {
      part(row, i - begin) = tokens(row, i);
    }
  }
  return part;
}

void check_rows(TransformerResult& all, TransformerResult& chosen,
                const std::vector<std::int64_t>& heads, const std::vector<std::int64_t>& queries) {
  for (const Side side : {Side::self, Side::cross}) {
    const std::vector<Tensor<4>>& expected = weights_of(all, side);
    const std::vector<Tensor<4>>& got = weights_of(chosen, side);
    REQUIRE(got.size() == expected.size());
    for (std::size_t layer = 0; layer < got.size(); ++layer) {
      CHECK(max_difference(got[layer], rows_of(expected[layer], heads, queries)) <= 1e-6);
      CHECK(got[layer].shape(1) == heads.size());
      CHECK(got[layer].shape(2) == queries.size());
    }
  }
  CHECK(chosen.encoder_attention_weights == all.encoder_attention_weights);
  CHECK(max_difference(chosen.hidden, all.hidden) <= 5e-6);
}

TEST_CASE("Chosen weights of a model are rows of all, and all of the encoder's") {
  for (const SmallTransformer& small : small_transformers()) {
    INFO(small.name);
    Transformer model(small.options);
    TransformerForwardOptions options = options_for(small);
    TransformerResult none = forward(model, options);
    options.return_weights = true;
    TransformerResult all = forward(model, options);
    CHECK(none.attention_weights.empty());
    CHECK(none.cross_attention_weights.empty());
    CHECK(none.encoder_attention_weights.empty());
    REQUIRE(all.attention_weights.size() == 2);
    CHECK((all.encoder_attention_weights.size() == model.attention_layers(Side::encoder).size()));
    const auto last = static_cast<std::int64_t>(all.attention_weights[0].shape(2)) - 1;
    options.return_weights = ReturnedWeights({{1, 0}}, {{3, 0}});
    TransformerResult chosen = forward(model, options);
    check_rows(all, chosen, {1, 0}, {3, 0});
    options.return_weights = ReturnedWeights::last_query({{1}});
    chosen = forward(model, options);
    check_rows(all, chosen, {1}, {last});
    options.return_weights = ReturnedWeights(std::vector<std::int64_t>(), std::nullopt);
    chosen = forward(model, options);
    CHECK(chosen.attention_weights[1].size() == 0);
    CHECK(chosen.encoder_attention_weights == all.encoder_attention_weights);
  }
}

TEST_CASE("Chosen weights and captures of passes with a cache are those of the whole") {
  for (const std::string name : {"one key-value head, rotary", "an encoder of other sizes"}) {
    INFO(name);
    const SmallTransformer small = small_transformer(name);
    Transformer model(small.options);
    TransformerForwardOptions options = options_for(small);
    options.return_weights = true;
    options.capture = everything;
    TransformerResult all = forward(model, options);
    ModelCache cache = model.create_cache({.batch_size = batch, .max_length = length});
    const Tokens tokens = random_tokens(batch, length, 22);
    options.cache = &cache;
    static_cast<void>(model.forward(columns(tokens, 0, 4), options));
    TransformerResult rest =
        model.forward(columns(tokens, 4, 6), {.return_weights = ReturnedWeights::last_query({{1}}),
                                              .capture = {.keys = true, .pooled = true},
                                              .cache = &cache});
    for (const Side side : {Side::self, Side::cross}) {
      for (std::size_t layer = 0; layer < weights_of(all, side).size(); ++layer) {
        CHECK(max_difference(weights_of(rest, side)[layer],
                             rows_of(weights_of(all, side)[layer], {1}, {5})) <= 1e-6);
        const CapturedTensors<3>& captured = captured_of(rest, side)[layer];
        const CapturedTensors<3>& expected = captured_of(all, side)[layer];
        CHECK(max_difference(*captured.keys, *expected.keys) <= 1e-5);
        std::vector<std::int64_t> heads;
        for (std::size_t head = 0; head < captured.pooled->shape(1); ++head) {
          heads.push_back(static_cast<std::int64_t>(head));
        }
        CHECK(max_difference(*captured.pooled, rows_of(*expected.pooled, heads, {4, 5})) <= 1e-5);
        CHECK_FALSE(captured.scores.has_value());
      }
    }
    // The source is in the cache: the encoder does not run.
    CHECK(rest.encoder_attention_weights.empty());
    CHECK(rest.encoder_captured.empty());
  }
}

/// Holds what was captured of a layer together: scores of queries and keys, their softmax, and
/// weighted sums of values.
void check_captured(const MultiHeadAttention& layer, const CapturedTensors<3>& captured,
                    const Tensor<4>& weights) {
  const LayerSettings& settings = layer.settings();
  const std::size_t group = settings.num_heads / settings.num_kv_heads;
  const Tensor<4>& queries = *captured.queries;
  const Tensor<4>& keys = *captured.keys;
  const Tensor<4>& values = *captured.values;
  const Tensor<4>& scores = *captured.scores;
  REQUIRE(scores.shape() == weights.shape());
  REQUIRE(captured.pooled->shape() == queries.shape());
  CHECK(*captured.dropped_weights == weights);
  double worst_score = 0;
  double worst_weight = 0;
  double worst_pooled = 0;
  for (std::size_t sample = 0; sample < scores.shape(0); ++sample) {
    for (std::size_t head = 0; head < settings.num_heads; ++head) {
      for (std::size_t query = 0; query < scores.shape(2); ++query) {
        double sum = 0;
        for (std::size_t key = 0; key < scores.shape(3); ++key) {
          const double score = scores(sample, head, query, key);
          sum += std::exp(score);
          double product = 0;
          for (std::size_t i = 0; i < settings.head_size; ++i) {
            product += static_cast<double>(queries(sample, head, query, i)) *
                       static_cast<double>(keys(sample, head / group, key, i));
          }
          product *= static_cast<double>(settings.scale);
          if (settings.softcap > 0) {
            product = settings.softcap * std::tanh(product / settings.softcap);
          }
          worst_score =
              std::isinf(score) ? worst_score : std::fmax(worst_score, std::abs(score - product));
        }
        for (std::size_t key = 0; key < scores.shape(3); ++key) {
          const double weight =
              sum > 0 ? std::exp(static_cast<double>(scores(sample, head, query, key))) / sum : 0;
          worst_weight =
              std::fmax(worst_weight,
                        std::abs(weight - static_cast<double>(weights(sample, head, query, key))));
        }
        for (std::size_t i = 0; i < settings.head_size; ++i) {
          double pooled = 0;
          for (std::size_t key = 0; key < scores.shape(3); ++key) {
            pooled += static_cast<double>(weights(sample, head, query, key)) *
                      static_cast<double>(values(sample, head / group, key, i));
          }
          worst_pooled = std::fmax(
              worst_pooled,
              std::abs(pooled - static_cast<double>((*captured.pooled)(sample, head, query, i))));
        }
      }
    }
  }
  CHECK(worst_score <= 1e-5);
  CHECK(worst_weight <= 1e-5);
  CHECK(worst_pooled <= 1e-5);
}

TEST_CASE("What is captured of each layer of a model belongs together") {
  for (const SmallTransformer& small : small_transformers()) {
    INFO(small.name);
    Transformer model(small.options);
    TransformerForwardOptions options = options_for(small);
    options.return_weights = true;
    const TransformerResult plain = forward(model, options);
    options.capture = everything;
    TransformerResult result = forward(model, options);
    CHECK(result.hidden == plain.hidden);
    CHECK(plain.captured.empty());
    for (const Side side : {Side::self, Side::cross, Side::encoder}) {
      const std::vector<MultiHeadAttention>& layers = model.attention_layers(side);
      REQUIRE(captured_of(result, side).size() == layers.size());
      for (std::size_t layer = 0; layer < layers.size(); ++layer) {
        CAPTURE(static_cast<int>(side), layer);
        check_captured(layers[layer], captured_of(result, side)[layer],
                       weights_of(result, side)[layer]);
      }
    }
  }
}

TEST_CASE("What is captured of a model's layer is what the layer itself captures") {
  // Without norms and feed-forward layers, the first layer reads the embedded tokens.
  TransformerOptions options = small_transformer("no norm").options;
  options.ffn_hiddens = 0;
  options.num_layers = 1;
  options.positions = Positions::rotary;
  Transformer model(options);
  const Tokens tokens = random_tokens(batch, length, 22);
  const TransformerResult result =
      model.forward(tokens, {.head_gates = {Tensor<1>{0.5F, 2}}, .capture = everything});
  const auto embedding = model.state_dict().at("embedding.weight");
  Tensor<3> x({batch, length, 8});
  for (std::size_t sample = 0; sample < batch; ++sample) {
    for (std::size_t i = 0; i < length; ++i) {
      for (std::size_t size = 0; size < 8; ++size) {
        x(sample, i, size) = embedding(tokens(sample, i), size);
      }
    }
  }
  const AttentionResult layer = model.attention(0).forward(
      x, x, x,
      {.causal = Causal::top_left, .head_gate = Tensor<1>{0.5F, 2}, .capture = everything});
  const CapturedTensors<3>& captured = result.captured.at(0);
  CHECK(max_difference(*captured.queries, *layer.captured.queries) <= 1e-6);
  CHECK(max_difference(*captured.keys, *layer.captured.keys) <= 1e-6);
  CHECK(max_difference(*captured.values, *layer.captured.values) <= 1e-6);
  CHECK(max_difference(*captured.scores, *layer.captured.scores) <= 1e-6);
  CHECK(max_difference(*captured.pooled, *layer.captured.pooled) <= 1e-6);
  CHECK(max_difference(*captured.dropped_weights, *layer.captured.dropped_weights) <= 1e-6);
  const Tensor<3> sum = x + layer.output;
  CHECK(max_difference(result.hidden, sum) <= 1e-6);
}

TEST_CASE("Rows that a model's layers do not have cannot be chosen") {
  const SmallTransformer small = small_transformer("an encoder of other sizes");
  Transformer model(small.options);
  TransformerForwardOptions options = options_for(small);
  const auto error_with = [&](ReturnedWeights weights) {
    options.return_weights = std::move(weights);
    return error_of([&] { return forward(model, options); });
  };
  // The encoder has four heads, the other layers two.
  CHECK(error_with(ReturnedWeights({{1, 2}}, std::nullopt)) ==
        "invalid-option; return_weights.heads: expected integers from 0 to 1, got 2");
  CHECK(error_with(ReturnedWeights({{1, 1}}, std::nullopt)) ==
        "invalid-option; return_weights.heads: expected each head once, got 1 twice");
  CHECK(error_with(ReturnedWeights(std::nullopt, {{0, 6}})) ==
        "invalid-option; return_weights.queries: expected integers from 0 to 5, got 6");
  CHECK(error_with(ReturnedWeights(std::nullopt, {{-1}})) ==
        "invalid-option; return_weights.queries: expected integers from 0 to 5, got -1");
}

}  // namespace
}  // namespace headwise::test
