#include <catch2/catch_test_macros.hpp>
#include <string>
#include <utility>
#include <vector>

#include "compare.hpp"
#include "files.hpp"
#include "small_transformers.hpp"

namespace headwise::test {
namespace {

constexpr std::size_t batch = 2;
constexpr std::size_t length = 7;

TransformerForwardOptions whole_options(const SmallTransformer& small) {
  TransformerForwardOptions options;
  options.return_weights = true;
  if (small.options.encoder) {
    options.source = random_tokens(batch, 5, 11);
    options.source_valid_lens = LensBySample{3, 5};
  }
  return options;
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

/// The largest difference of a chunk's logits and weights from those of the whole.
double difference_from(const TransformerResult& whole, const TransformerResult& chunk,
                       std::size_t begin) {
  double largest = 0;
  for (std::size_t row = 0; row < batch; ++row) {
    for (std::size_t i = 0; i < chunk.logits.shape(1); ++i) {
      for (std::size_t token = 0; token < chunk.logits.shape(2); ++token) {
        largest = std::fmax(
            largest, std::abs(chunk.logits(row, i, token) - whole.logits(row, begin + i, token)));
      }
    }
  }
  const auto compare_weights = [&](const std::vector<Tensor<4>>& got,
                                   const std::vector<Tensor<4>>& expected) {
    REQUIRE(got.size() == expected.size());
    for (std::size_t layer = 0; layer < got.size(); ++layer) {
      const auto& shape = got[layer].shape();
      REQUIRE(shape[3] <= expected[layer].shape(3));
      for (std::size_t row = 0; row < shape[0]; ++row) {
        for (std::size_t head = 0; head < shape[1]; ++head) {
          for (std::size_t i = 0; i < shape[2]; ++i) {
            for (std::size_t key = 0; key < shape[3]; ++key) {
              largest = std::fmax(largest, std::abs(got[layer](row, head, i, key) -
                                                    expected[layer](row, head, begin + i, key)));
            }
          }
        }
      }
    }
  };
  compare_weights(chunk.attention_weights, whole.attention_weights);
  compare_weights(chunk.cross_attention_weights, whole.cross_attention_weights);
  return largest;
}

std::vector<SmallTransformer> causal_models() {
  std::vector<SmallTransformer> causal;
  for (const SmallTransformer& small : small_transformers()) {
    if (small.options.causal && !small.options.patches && small.options.head) {
      causal.push_back(small);
    }
  }
  return causal;
}

TEST_CASE("Chunks of any sizes with a cache give the logits and weights of the whole") {
  const Tokens tokens = random_tokens(batch, length, 3);
  for (const SmallTransformer& small : causal_models()) {
    INFO(small.name);
    Transformer model(small.options);
    const TransformerForwardOptions options = whole_options(small);
    const TransformerResult whole = model.forward(tokens, options);
    for (const std::vector<std::size_t>& chunks :
         {std::vector<std::size_t>{7}, {1, 1, 1, 1, 1, 1, 1}, {3, 1, 3}, {1, 6}, {0, 4, 0, 3}}) {
      ModelCache cache = model.create_cache({.batch_size = batch, .max_length = length});
      std::size_t begin = 0;
      for (const std::size_t chunk : chunks) {
        TransformerForwardOptions of_chunk;
        of_chunk.return_weights = true;
        if (!cache.memory().has_source) {
          of_chunk.source = options.source;
          of_chunk.source_valid_lens = options.source_valid_lens;
        }
        of_chunk.cache = &cache;
        const TransformerResult result =
            model.forward(columns(tokens, begin, begin + chunk), of_chunk);
        CHECK(result.encoder_hidden.has_value() == of_chunk.source.has_value());
        CHECK(difference_from(whole, result, begin) <= 5e-6);
        begin += chunk;
        CHECK(cache.length() == begin);
      }
      CHECK(begin == length);
    }
  }
}

TEST_CASE("A cache that was reset is as new, and a copy goes on by itself") {
  const Tokens tokens = random_tokens(batch, length, 3);
  for (const SmallTransformer& small : causal_models()) {
    INFO(small.name);
    Transformer model(small.options);
    TransformerForwardOptions options = whole_options(small);
    ModelCache cache = model.create_cache({.batch_size = batch, .max_length = length});
    options.cache = &cache;
    const TransformerResult first = model.forward(columns(tokens, 0, 4), options);
    ModelCache copy = cache;
    const auto rest = [&](ModelCache& of) {
      return model.forward(columns(tokens, 4, 7), {.cache = &of}).logits;
    };
    const auto expected = rest(cache);
    CHECK(cache.length() == 7);
    CHECK(copy.length() == 4);
    CHECK(rest(copy) == expected);
    cache.reset();
    CHECK(cache.length() == 0);
    CHECK(model.forward(columns(tokens, 0, 4), options).logits == first.logits);
  }
}

TEST_CASE("Decoding after a truncation is decoding without it") {
  const Tokens tokens = random_tokens(batch, length, 3);
  const Tokens others = random_tokens(batch, length, 17);
  for (const SmallTransformer& small : causal_models()) {
    INFO(small.name);
    Transformer model(small.options);
    TransformerForwardOptions first = whole_options(small);
    const TransformerResult whole = model.forward(tokens, first);
    for (const std::size_t kept : {0, 1, 4, 5}) {
      ModelCache cache = model.create_cache({.batch_size = batch, .max_length = length});
      ModelCache untouched = model.create_cache({.batch_size = batch, .max_length = length});
      first.cache = &untouched;
      static_cast<void>(model.forward(columns(tokens, 0, kept), first));
      first.cache = &cache;
      static_cast<void>(model.forward(columns(tokens, 0, kept), first));
      // Others, which are to leave no trace.
      static_cast<void>(model.forward(columns(others, 0, length - kept), {.cache = &cache}));
      CHECK(cache.length() == length);
      cache.truncate(static_cast<std::int64_t>(kept));
      CHECK(cache.length() == kept);
      CHECK(cache.memory().has_source == small.options.encoder.has_value());
      const auto rest = [&](ModelCache& of) {
        return model.forward(columns(tokens, kept, length), {.return_weights = true, .cache = &of});
      };
      const TransformerResult result = rest(cache);
      const TransformerResult expected = rest(untouched);
      CHECK(result.logits == expected.logits);
      CHECK(result.attention_weights == expected.attention_weights);
      CHECK(difference_from(whole, result, kept) <= 5e-6);
      CHECK(cache.length() == length);
    }
  }
}

TEST_CASE("A cache cannot be truncated to more than it holds") {
  Transformer model(small_transformer("plain").options);
  ModelCache cache = model.create_cache({.batch_size = batch, .max_length = length});
  static_cast<void>(model.forward(random_tokens(batch, 4, 1), {.cache = &cache}));
  const auto error_with = [&](std::int64_t kept) {
    return error_of([&] {
      cache.truncate(kept);
      return 0;
    });
  };
  CHECK(error_with(5) == "invalid-value; length: expected an integer from 0 to 4, got 5");
  CHECK(error_with(-1) == "invalid-value; length: expected an integer from 0 to 4, got -1");
  CHECK(cache.length() == 4);
  CHECK(error_with(4) == "no error");
  CHECK(cache.length() == 4);
  const ModelCache moved = std::move(cache);
  CHECK(error_with(0).starts_with("disposed; cache: "));
}

TEST_CASE("An empty source is one") {
  Transformer model(small_transformer("an encoder").options);
  ModelCache cache = model.create_cache({.batch_size = batch, .max_length = length});
  const Tokens tokens = random_tokens(batch, length, 3);
  const Tokens empty = Tokens::from_shape({batch, 0});
  const auto whole = model.forward(tokens, {.source = empty}).logits;
  CHECK(all_finite(whole));
  static_cast<void>(model.forward(columns(tokens, 0, 3), {.source = empty, .cache = &cache}));
  const auto rest = model.forward(columns(tokens, 3, 7), {.cache = &cache}).logits;
  CHECK(std::abs(rest(1, 3, 2) - whole(1, 6, 2)) <= 1e-5F);
}

TEST_CASE("A forward that throws leaves the cache as it was") {
  const SmallTransformer small = small_transformer("an encoder");
  Transformer model(small.options);
  Transformer other(small.options);
  const Tokens tokens = random_tokens(batch, length, 3);
  const TransformerForwardOptions options = whole_options(small);
  const auto expected = model.forward(tokens, options).logits;
  ModelCache cache = model.create_cache({.batch_size = batch, .max_length = 5});
  ModelCache of_other = other.create_cache({.batch_size = batch, .max_length = 5});
  const Tokens chunk = columns(tokens, 0, 2);
  const auto error_with = [&](Transformer& of, const Tokens& given, TransformerForwardOptions with,
                              ModelCache& in) {
    with.cache = &in;
    return error_of([&] { return of.forward(given, with); });
  };
  const auto fails_as_expected = [&](bool has_source) {
    TransformerForwardOptions valid = has_source ? TransformerForwardOptions{} : options;
    TransformerForwardOptions requires_grad = valid;
    requires_grad.requires_grad = true;
    CHECK(error_with(model, chunk, requires_grad, cache) ==
          "invalid-option; requires_grad: expected no cache beside it, got both");
    CHECK(error_with(model, chunk, valid, of_other) ==
          "invalid-cache; cache: expected one that this model made, got another model's");
    CHECK(error_with(model, columns(tokens, 0, 6), valid, cache) ==
          "cache-full; cache: expected room for 6 positions, got " +
              std::to_string(5 - cache.length()) + " of 5");
    Tokens wrong = chunk;
    wrong(1, 1) = vocabulary_size;
    CHECK(error_with(model, wrong, valid, cache).starts_with("invalid-value; tokens"));
    const Tokens one = random_tokens(1, 2, 3);
    TransformerForwardOptions of_one = valid;
    if (!has_source) {
      of_one.source = random_tokens(1, 5, 1);
      of_one.source_valid_lens = {};
    }
    CHECK(error_with(model, one, of_one, cache) ==
          "invalid-cache; cache: expected a batch size of 1, got 2");
    TransformerForwardOptions gates = valid;
    gates.cross_head_gates = {Tensor<1>{1, 0}};
    CHECK(error_with(model, chunk, gates, cache) ==
          "invalid-shape; cross_head_gates: expected one a layer (2) or none, got 1");
    CHECK(error_with(model, chunk, has_source ? options : TransformerForwardOptions{}, cache) ==
          (has_source ? "invalid-option; source: expected none beside a cache that holds one, got "
                        "tokens"
                      : "invalid-option; source: expected the encoder's tokens, got none"));
    TransformerForwardOptions lens;
    lens.source_valid_lens = LensBySample{1, 2};
    if (has_source) {
      CHECK(error_with(model, chunk, lens, cache) ==
            "invalid-option; source_valid_lens: expected a source beside them, got none");
    }
  };
  fails_as_expected(false);
  CHECK(cache.length() == 0);
  TransformerForwardOptions first = options;
  first.cache = &cache;
  static_cast<void>(model.forward(columns(tokens, 0, 2), first));
  fails_as_expected(true);
  CHECK(cache.length() == 2);
  const auto rest = model.forward(columns(tokens, 2, 5), {.cache = &cache}).logits;
  for (std::size_t token = 0; token < rest.shape(2); ++token) {
    CHECK(std::abs(rest(0, 2, token) - expected(0, 4, token)) <= 5e-6F);
    CHECK(std::abs(rest(1, 0, token) - expected(1, 2, token)) <= 5e-6F);
  }
}

TEST_CASE("A cache does not outlive a pruning of its keys") {
  for (const Side side : {Side::self, Side::cross}) {
    const SmallTransformer small = small_transformer("an encoder");
    Transformer model(small.options);
    ModelCache cache = model.create_cache({.batch_size = batch, .max_length = 5});
    TransformerForwardOptions options = whole_options(small);
    options.cache = &cache;
    static_cast<void>(model.forward(random_tokens(batch, 2, 1), options));
    model.prune_heads({{1, {0}}}, side);
    CHECK(error_of([&] { return model.forward(random_tokens(batch, 2, 1), {.cache = &cache}); }) ==
          "invalid-cache; cache: expected one made since heads were pruned, got an older one");
    CHECK(cache.length() == 2);
  }
}

TEST_CASE("Caches are of causal models, and of sizes from 1") {
  SmallTransformer small = small_transformer("plain");
  Transformer model(small.options);
  const auto error_with = [&](const CacheOptions& options) {
    return error_of([&] { return model.create_cache(options); });
  };
  CHECK(error_with({.batch_size = 0, .max_length = 3}).starts_with("invalid-option; batch_size"));
  CHECK(error_with({.batch_size = 1, .max_length = 0}).starts_with("invalid-option; max_length"));
  small.options.causal = false;
  const Transformer all_ways(small.options);
  CHECK(error_of([&] { return all_ways.create_cache({.batch_size = 1, .max_length = 3}); }) ==
        "invalid-option; create_cache: expected a causal model, got another");
  // A cache may be longer than the model, but not the text.
  ModelCache cache = model.create_cache({.batch_size = 1, .max_length = 20});
  static_cast<void>(model.forward(random_tokens(1, 8, 1), {.cache = &cache}));
  CHECK(error_of([&] { return model.forward(random_tokens(1, 3, 1), {.cache = &cache}); }) ==
        "invalid-shape; tokens: expected at most 2 behind those of the cache, got 3");
}

}  // namespace
}  // namespace headwise::test
