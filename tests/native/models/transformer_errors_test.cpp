#include <catch2/catch_test_macros.hpp>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "compare.hpp"
#include "transformer_call.hpp"

// What models refuse, and that they are as before then.
namespace headwise::test {
namespace {

const std::string from_1 = ": expected an integer from 1 to 2147483647, got ";
const std::string from_0 = ": expected an integer from 0 to 2147483647, got ";

/// A change of options, and its error or the beginning of that.
using WrongOption = std::pair<std::function<void(TransformerOptions&)>, std::string>;

void check_options(const std::string& name, const std::vector<WrongOption>& wrong) {
  for (const auto& [change, expected] : wrong) {
    CAPTURE(expected);
    TransformerOptions options = small_transformer(name).options;
    change(options);
    const std::string error = error_of([&] { return Transformer(options); });
    CHECK(error.substr(0, 16 + expected.size()) == "invalid-option; " + expected);
  }
}

TEST_CASE("A layer that a model does not have is an error") {
  Transformer model(small_transformer("plain").options);
  const std::string last = std::to_string(model.num_layers() - 1);
  const std::string several = "invalid-option; number: expected an integer from 0 to " + last;
  const std::string none = "invalid-option; number: expected no layer, got ";
  for (const std::size_t number : {model.num_layers(), model.num_layers() + 5, SIZE_MAX}) {
    const std::string got = std::to_string(number);
    CHECK(error_of([&] { return model.attention(number).num_heads(); }) ==
          several + ", got " + got);
    CHECK(error_of([&] { return std::as_const(model).attention(number).num_heads(); }) ==
          several + ", got " + got);
    CHECK(error_of([&] { return model.cross_attention(number).num_heads(); }) == none + got);
    CHECK(error_of([&] { return model.encoder_attention(number).num_heads(); }) == none + got);
  }
}

TEST_CASE("Options that are malformed are named") {
  const std::map<std::string, std::int64_t TransformerOptions::*> sizes = {
      {"vocabulary_size", &TransformerOptions::vocabulary_size},
      {"max_length", &TransformerOptions::max_length},
      {"num_hiddens", &TransformerOptions::num_hiddens},
      {"num_layers", &TransformerOptions::num_layers},
      {"num_heads", &TransformerOptions::num_heads}};
  for (const auto& [name, option] : sizes) {
    for (const std::int64_t size : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{1} << 31U}) {
      check_options("plain", {{[&, of = option](auto& o) { o.*of = size; },
                               name + from_1 + std::to_string(size)}});
    }
  }
  check_options("plain",
                {{[](auto& o) { o.head_size = 0; }, "head_size" + from_1 + "0"},
                 {[](auto& o) { o.head_size = 2147483647; },
                  "head_size: expected at most 2147483647 / num_heads, got 2147483647"},
                 {[](auto& o) { o.num_heads = 3; }, "num_heads: expected "},
                 {[](auto& o) { o.num_kv_heads = 3; }, "num_kv_heads: expected "},
                 {[](auto& o) { o.ffn_hiddens = -1; }, "ffn_hiddens" + from_0 + "-1"},
                 {[](auto& o) { o.segments = -1; }, "segments" + from_0 + "-1"},
                 {[](auto& o) { o.position_offset = -1; }, "position_offset" + from_0 + "-1"},
                 {[](auto& o) { o.scale = nan; }, "scale: expected "},
                 {[](auto& o) { o.embedding_scale = nan; },
                  "embedding_scale: expected a finite number, got "},
                 {[](auto& o) { o.seed = std::uint64_t{1} << 53U; }, "seed: expected "},
                 {[](auto& o) { o.window = Window{.left = -1, .right = 0}; }, "window"},
                 {[](auto& o) { o.encoder = EncoderOptions{.num_layers = 0}; },
                  "encoder.num_layers" + from_1 + "0"},
                 {[](auto& o) { o.encoder = EncoderOptions{.num_heads = 3}; },
                  "encoder.num_heads: expected a divisor of num_hiddens (8), got 3"},
                 {[](auto& o) { o.encoder = EncoderOptions{.ffn_hiddens = -2}; },
                  "encoder.ffn_hiddens" + from_0 + "-2"}});
  // Each side by itself: the encoder's heads are its own.
  check_options("an encoder, rotary and grouped heads",
                {{[](auto& o) { o.rotary.size = 3; },
                  "rotary.size: expected an even integer from 2 to the head size (4), got 3"},
                 {[](auto& o) {
                    o.head_size.reset();
                    o.num_heads = 2;
                    o.rotary.size = 4;
                    o.encoder->num_heads = 4;
                  },
                  "rotary.size: expected an even integer from 2 to the head size (2), got 4"},
                 {[](auto& o) { o.encoder->num_heads = 1 << 30; },
                  "head_size: expected at most 2147483647 / encoder.num_heads, got 4"}});
  for (const float wrong : {-1.0F, nan}) {
    check_options("plain", {{[&](auto& o) { o.norm_epsilon = wrong; }, "norm_epsilon: expected "},
                            {[&](auto& o) { o.softcap = wrong; }, "softcap: expected "},
                            {[&](auto& o) { o.dropout = wrong; }, "dropout: expected "},
                            {[&](auto& o) { o.optimizer.learning_rate = wrong; },
                             "learning_rate: expected "}});
    check_options("an encoder, rotary and grouped heads",
                  {{[&](auto& o) { o.rotary.base = wrong; }, "rotary.base: expected "}});
  }
  check_options(
      "patches",
      {{[](auto& o) { o.patches->image_size = 7; },
        "patches.image_size: expected a multiple of patches.patch_size (2), got 7"},
       {[](auto& o) { o.patches->patch_size = 0; }, "patches.patch_size" + from_1 + "0"},
       {[](auto& o) { o.patches->channels = 0; }, "patches.channels" + from_1 + "0"},
       {[](auto& o) { o.vocabulary_size = 5; },
        "vocabulary_size: expected none beside patches, got 5"},
       {[](auto& o) { o.max_length = 5; }, "max_length: expected none beside patches, got 5"},
       {[](auto& o) { o.segments = 2; }, "segments: expected none beside patches, got 2"},
       {[](auto& o) { o.encoder = EncoderOptions{}; },
        "encoder: expected none beside patches, got both"}});
}

TEST_CASE("A pass that is refused leaves the model and its cache as they were") {
  TransformerCall call{.name = "an encoder", .options = small_transformer("an encoder").options};
  call.tokens = random_tokens(2, 5, 3);
  call.pass.source = random_tokens(2, 4, 11);
  call.pass.source_valid_lens = LensBySample{3, 4};
  Transformer model(call.options);
  Transformer other(call.options);
  const auto expected = forward(model, call, call.pass).logits;
  ModelCache cache = model.create_cache({.batch_size = 2, .max_length = 5});
  ModelCache of_other = other.create_cache({.batch_size = 2, .max_length = 5});
  for (const bool has_source : {false, true}) {
    TransformerCall valid = call;
    valid.tokens = columns(call.tokens, 0, has_source ? 3 : 2);
    valid.pass.cache = &cache;
    if (has_source) {
      valid.pass.source.reset();
      valid.pass.source_valid_lens = {};
    }
    const std::pair<std::function<void(TransformerCall&)>, std::string> wrong[] = {
        {[](auto& c) { c.pass.requires_grad = true; },
         "invalid-option; requires_grad: expected no cache beside it, got both"},
        {[&](auto& c) { c.pass.cache = &of_other; },
         "invalid-cache; cache: expected one that this model made, got another model's"},
        {[](auto& c) { c.tokens = random_tokens(2, 6, 1); },
         "cache-full; cache: expected room for 6 positions, got " +
             std::string(has_source ? "3" : "5") + " of 5"},
        {[](auto& c) { c.tokens(1, 1) = vocabulary_size; },
         "invalid-value; tokens: expected integers from 0 to 12, got 13"},
        {[&](auto& c) {
           c.tokens = random_tokens(1, 2, 3);
           c.pass.source_valid_lens = {};
           if (!has_source) {
             c.pass.source = random_tokens(1, 5, 1);
           }
         },
         "invalid-cache; cache: expected a batch size of 1, got 2"},
        {[](auto& c) { c.pass.cross_head_gates = {Tensor<1>{1, 0}}; },
         "invalid-shape; cross_head_gates: expected one a layer (2) or none, got 1"},
        {[&](auto& c) {
           c.pass.source = has_source ? call.pass.source : std::nullopt;
           c.pass.source_valid_lens = {};
         },
         has_source
             ? "invalid-option; source: expected none beside a cache that holds one, got tokens"
             : "invalid-option; source: expected the encoder's tokens, got none"},
        // The encoder has two heads, as the other layers.
        {[](auto& c) { c.pass.return_weights = ReturnedWeights({{1, 2}}, std::nullopt); },
         "invalid-option; return_weights.heads: expected integers from 0 to 1, got 2"},
        {[](auto& c) { c.pass.return_weights = ReturnedWeights({{1, 1}}, std::nullopt); },
         "invalid-option; return_weights.heads: expected each head once, got 1 twice"},
        {[](auto& c) { c.pass.return_weights = ReturnedWeights(std::nullopt, {{0, 3}}); },
         "invalid-option; return_weights.queries: expected integers from 0 to " +
             std::string(has_source ? "2" : "1") + ", got 3"},
        {[](auto& c) { c.pass.return_weights = ReturnedWeights(std::nullopt, {{-1}}); },
         "invalid-option; return_weights.queries: expected integers from 0 to " +
             std::string(has_source ? "2" : "1") + ", got -1"}};
    for (const auto& [change, error] : wrong) {
      TransformerCall changed = valid;
      change(changed);
      CHECK(error_of([&] { return forward(model, changed, changed.pass); }) == error);
      CHECK(cache.length() == (has_source ? 2 : 0));
      CHECK(cache.memory().has_source == has_source);
    }
    if (has_source) {
      valid.pass.source_valid_lens = LensBySample{1, 2};
      CHECK(error_of([&] { return forward(model, valid, valid.pass); }) ==
            "invalid-option; source_valid_lens: expected a source beside them, got none");
      valid.pass.source_valid_lens = {};
      valid.tokens = columns(call.tokens, 2, 5);
    }
    const auto logits = forward(model, valid, valid.pass).logits;
    CHECK(max_difference(xt::view(logits, 1, 1), xt::view(expected, 1, has_source ? 3 : 1)) <=
          5e-6);
  }
}

TEST_CASE("What a model has no use for is refused by name") {
  Transformer decoder(small_transformer("plain").options);
  Transformer translator(small_transformer("an encoder").options);
  Transformer no_head(small_transformer("no head").options);
  Transformer images(small_transformer("patches").options);
  Transformer segmented(small_transformer("segments").options);
  const Tokens tokens = random_tokens(2, 4, 1);
  const Tensor<3> hidden = no_head.forward(tokens, {.requires_grad = true}).hidden;
  const auto filled = [](std::int64_t token) {
    return Tokens(std::array<std::size_t, 2>{2, 4}, token);
  };
  const std::map<std::string, std::function<void()>> calls = {
      {"invalid-shape; pixels: expected (batch, channels, height, width), got tokens",
       [&] { images.forward(tokens); }},
      {"invalid-shape; tokens: expected (batch, length), got pixels",
       [&] { decoder.forward(full<4>({2, 2, 6, 6}, 0)); }},
      {"invalid-shape; pixels: expected (batch, 2, 6, 6), got (2, 3, 6, 6)",
       [&] { images.forward(full<4>({2, 3, 6, 6}, 0)); }},
      {"invalid-option; targets: expected a model that has logits, got one without",
       [&] { no_head.loss(tokens, tokens); }},
      {"invalid-option; backward: expected a gradient of hidden or logits, got none",
       [&] { no_head.backward(TransformerOutputGradients()); }},
      {"invalid-option; logits: expected none for a model without, got a gradient",
       [&] { no_head.backward({.hidden = {}, .logits = hidden}); }},
      {"invalid-shape; hidden: expected (2, 4, 8), got (1, 1, 1)",
       [&] { no_head.backward(full<3>({1, 1, 1}, 0)); }},
      {"invalid-option; segments: expected none for a model without, got segments",
       [&] { decoder.forward(tokens, {.segments = filled(0)}); }},
      {"invalid-value; segments: expected integers from 0 to 2, got 3",
       [&] { segmented.forward(tokens, {.segments = filled(3)}); }},
      {"invalid-option; source: expected none without an encoder, got tokens",
       [&] { decoder.forward(tokens, {.source = tokens}); }},
      {"invalid-value; source_valid_lens: expected integers from 0 to 4, got 5",
       [&] {
         translator.forward(tokens, {.source = tokens, .source_valid_lens = LensBySample{5, 4}});
       }},
      {"invalid-shape; key_mask: expected (batch, keys), here (2, 4), got (2, 3)",
       [&] { decoder.loss(tokens, tokens, {.key_mask = random_tokens(2, 3, 1) * 0}); }},
      {"invalid-value; key_mask: expected booleans or 0 and 1, got 2",
       [&] { decoder.forward(tokens, {.key_mask = filled(2)}); }},
      {"invalid-shape; tokens: expected at most max_length (10) without padding, got 11",
       [&] {
         decoder.forward(random_tokens(1, 11, 1), {.key_mask = random_tokens(1, 11, 1) * 0 + 1});
       }},
      {"invalid-option; key_mask: expected one of cached and new tokens, because the cache holds "
       "padding, got none",
       [&] {
         ModelCache cache = decoder.create_cache({.batch_size = 2, .max_length = 12});
         decoder.forward(tokens, {.key_mask = filled(1), .cache = &cache});
         decoder.forward(tokens, {.key_mask = full<2>({2, 8}, 0), .cache = &cache});
         cache.truncate(0);
         decoder.forward(tokens, {.cache = &cache});
         cache.truncate(2);
         decoder.forward(tokens, {.key_mask = full<2>({2, 6}, 0), .cache = &cache});
         decoder.forward(tokens, {.cache = &cache});
       }},
      {"invalid-option; key_mask: expected none for a model that reads images, got a mask",
       [&] { images.forward(full<4>({2, 2, 6, 6}, 0), {.key_mask = filled(1)}); }},
      {"invalid-option; source_key_mask: expected a source beside it, got none",
       [&] { decoder.forward(tokens, {.source_key_mask = filled(1)}); }},
      {"invalid-shape; source_key_mask: expected (batch, keys), here (2, 4), got (8,)",
       [&] { translator.forward(tokens, {.source = tokens, .source_key_mask = full<1>({8}, 1)}); }},
      {"invalid-shape; tokens: expected (batch, length), length at most max_length (10), got (1, "
       "11)",
       [&] { decoder.forward(random_tokens(1, 11, 1)); }},
      {"invalid-value; targets: expected integers from -1 to 12, got -2",
       [&] { decoder.loss_and_gradients(tokens, filled(-2)); }},
      {"invalid-shape; head_gates[1]: expected (2,) or (2, 2), got (3,)",
       [&] { decoder.forward(tokens, {.head_gates = {HeadGate{}, full<1>({3}, 1)}}); }},
      {"invalid-option; learning_rate: expected a finite number from 0 on, got -1",
       [&] { decoder.optimizer().set_learning_rate(-1); }},
      {"invalid-shape; source_valid_lens: expected (2,), got (1,)", [&] {
         translator.forward(tokens, {.source = tokens, .source_valid_lens = LensBySample{4}});
       }}};
  const StateDict before = decoder.state_dict();
  for (const auto& [expected, call] : calls) {
    CHECK(error_of([&, &make = call] { make(); }) == expected);
  }
  CHECK(error_of([&] { return no_head.backward(hidden); }) == "no error");
  CHECK(decoder.state_dict() == before);
  CHECK(all_equal(decoder.gradients().at("embedding.weight"), 0));
}

TEST_CASE("Activations that a model does not have are neither captured nor replaced") {
  using enum ActivationName;
  using Options = TransformerForwardOptions;
  const Tokens tokens = random_tokens(2, 4, 1);
  const auto error_with = [&](const std::string& name, const auto& input, const Options& options) {
    Transformer model(small_transformer(name).options);
    return error_of([&] { return model.forward(input, options); });
  };
  const auto error_of_patch = [&](const Patch& patch) {
    return error_with("plain", tokens, {.patch = {{.at = z, .layer = 0}, patch}});
  };
  const std::pair<Patch, std::string> patches[] = {
      {{.at = scores}, "at: expected an activation that can be replaced, got scores"},
      {{.at = z, .side = Side::cross}, "side: expected a side that runs, got cross"},
      {{.at = z, .side = Side::encoder}, "side: expected a side that runs, got encoder"},
      {{.at = z}, "layer: expected an integer from 0 to 1, got -1"},
      {{.at = z, .layer = 2}, "layer: expected an integer from 0 to 1, got 2"},
      {{.at = attn_out, .layer = 0, .heads = {{0}}},
       "heads: expected none of an activation without heads, got a list"},
      {{.at = head_out, .layer = 0, .heads = {{2}}}, "heads: expected integers from 0 to 1, got 2"},
      {{.at = embeddings, .layer = 9, .positions = {{4}}},
       "positions: expected integers from 0 to 3, got 4"},
      {{.at = z, .layer = 0, .value = PatchKind::value},
       "value: expected a tensor, zero or mean, got none"}};
  for (const auto& [wrong, error] : patches) {
    CHECK(error_of_patch(wrong) == "invalid-option; patch[1]." + error);
  }
  const Patch patch{
      .at = z, .layer = 0, .heads = {{1}}, .positions = {{3}}, .value = full<4>({2, 1, 4, 4}, 1)};
  CHECK(error_of_patch(patch) ==
        "invalid-shape; patch[1].value: expected (2, 1, 1, 4), got (2, 1, 4, 4)");
  Transformer plain(small_transformer("plain").options);
  ModelCache cache = plain.create_cache({.batch_size = 2, .max_length = 9});
  const auto given = [](std::size_t length, std::size_t size) {
    return Embeddings{full<3>({1, length, size}, 1)};
  };
  const std::pair<std::string, std::string> others[] = {
      {error_with("plain", tokens, {.capture = {z, keys, z}}),
       "option; capture: expected each name once, got z twice"},
      {error_with("no feed-forward layers", tokens, {.capture = {mlp_out}}),
       "option; capture: expected none of a model without feed-forward layers, got mlp_out"},
      {error_with("norm after", tokens, {.capture = {final_norm_scale}}),
       "option; capture: expected none of a model without a final norm, got final_norm_scale"},
      {error_with("plain", tokens, {.capture_layers = {{2}}}),
       "option; capture_layers: expected integers from 0 to 1, got 2"},
      {error_with("plain", tokens, {.capture_positions = {{1, 1}}}),
       "option; capture_positions: expected each position once, got 1 twice"},
      {error_with("an encoder", tokens,
                  {.patch = {{.at = resid_pre, .side = Side::cross}}, .source = tokens}),
       "option; patch[0].at: expected an activation of cross-attention, got resid_pre"},
      {error_of(
           [&] { return plain.forward(tokens, {.patch = {{.at = pattern}}, .cache = &cache}); }),
       "option; patch[0].at: expected another beside a cache, got pattern"},
      {error_of([&] { return plain.loss(tokens, tokens, {.patch = {patch}}); }),
       "option; patch: expected none in a pass with a loss, got patches"},
      {error_with("patches", given(4, 8), {}),
       "option; embeddings: expected none for a model that reads images, got embeddings"},
      {error_with("plain", given(4, 7), {}),
       "shape; embeddings: expected (batch, length, 8), got (1, 4, 7)"},
      {error_with("plain", given(11, 8), {}),
       "shape; embeddings: expected (batch, length, num_hiddens), length at most max_length (10), "
       "got (1, 11, 8)"},
      {error_with("plain", given(11, 8), {.key_mask = random_tokens(1, 11, 1) * 0 + 1}),
       "shape; embeddings: expected at most max_length (10) without padding, got 11"}};
  for (const auto& [got, expected] : others) {
    CHECK(got == "invalid-" + expected);
  }
}

TEST_CASE(
    "Caches are of causal models and sizes from 1, and hold no more than they were made for") {
  SmallTransformer small = small_transformer("plain");
  Transformer model(small.options);
  const auto error_with = [&](const CacheOptions& options) {
    return error_of([&] { return model.create_cache(options); });
  };
  CHECK(error_with({.batch_size = 0, .max_length = 3}) ==
        "invalid-option; batch_size" + from_1 + "0");
  CHECK(error_with({.batch_size = 1, .max_length = 0}) ==
        "invalid-option; max_length" + from_1 + "0");
  small.options.causal = false;
  const Transformer all_ways(small.options);
  CHECK(error_of([&] { return all_ways.create_cache({.batch_size = 1, .max_length = 3}); }) ==
        "invalid-option; create_cache: expected a causal model, got another");
  // A cache may be longer than the model, but not the text.
  ModelCache cache = model.create_cache({.batch_size = 1, .max_length = 20});
  static_cast<void>(model.forward(random_tokens(1, 8, 1), {.cache = &cache}));
  CHECK(error_of([&] { return model.forward(random_tokens(1, 3, 1), {.cache = &cache}); }) ==
        "invalid-shape; tokens: expected at most 2 behind those of the cache, got 3");
  for (const std::int64_t length : {9, -1}) {
    CHECK(error_of([&] { cache.truncate(length); }) ==
          "invalid-value; length: expected an integer from 0 to 8, got " + std::to_string(length));
  }
  CHECK(cache.length() == 8);
}

TEST_CASE("A cache does not outlive a pruning of its keys") {
  for (const Side side : {Side::self, Side::cross}) {
    Transformer model(small_transformer("an encoder").options);
    ModelCache cache = model.create_cache({.batch_size = 2, .max_length = 5});
    static_cast<void>(
        model.forward(random_tokens(2, 2, 1), {.source = random_tokens(2, 3, 2), .cache = &cache}));
    model.prune_heads({{1, {0}}}, side);
    CHECK(error_of([&] { return model.forward(random_tokens(2, 2, 1), {.cache = &cache}); }) ==
          "invalid-cache; cache: expected one made since heads were pruned, got an older one");
    CHECK(cache.length() == 2);
  }
}

TEST_CASE("Heads that a model does not have cannot be pruned, and then none is") {
  Transformer model(small_transformer("an encoder").options);
  const StateDict before = model.state_dict();
  const std::string own = "invalid-option; heads[1]: ";
  const struct {
    std::map<std::int64_t, std::vector<std::int64_t>> heads;
    Side side;
    std::string error;
  } cases[] = {
      {{{0, {0}}, {2, {0}}},
       Side::self,
       "invalid-option; heads: expected layers from 0 to 1, got 2"},
      {{{-1, {0}}}, Side::encoder, "invalid-option; heads: expected layers from 0 to 1, got -1"},
      {{{0, {0}}, {1, {0, 2}}}, Side::cross, own},
      {{{0, {0}}, {1, {0, 1}}}, Side::self, own}};
  for (const auto& [heads, side, expected] : cases) {
    const std::string error = error_of([&, &of = heads, on = side] { model.prune_heads(of, on); });
    CHECK(error.starts_with(expected));
    CHECK((expected == own || error == expected));
    CHECK(model.state_dict() == before);
  }
  Transformer decoder(small_transformer("plain").options);
  CHECK(error_of([&] { decoder.prune_heads({{0, {0}}}, Side::cross); }) ==
        "invalid-option; heads: expected no layers, got 0");
}

}  // namespace
}  // namespace headwise::test
