#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <functional>
#include <headwise/core/kernels/philox.hpp>
#include <headwise/core/models/sampling.hpp>
#include <headwise/core/random.hpp>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "compare.hpp"
#include "transformer_call.hpp"

namespace headwise::test {
namespace {

/// Draws a token as `sample_token` does, at u of the mass, with all tokens sorted.
std::size_t sorted_draw(const std::vector<float>& logits, const SamplingOptions& options,
                        double u) {
  std::vector<std::size_t> order(logits.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    const auto key = [&](std::size_t token) { return std::isnan(logits[token]); };
    if (key(a) || key(b) || logits[a] == logits[b]) {
      return key(a) != key(b) ? key(b) : a < b;
    }
    return logits[a] > logits[b];
  });
  if (options.temperature == 0) {
    return order[0];
  }
  order.resize(options.top_k > 0 ? std::min(options.top_k, order.size()) : order.size());
  std::vector<double> sums;
  double sum = 0;
  for (const std::size_t token : order) {
    const double below = static_cast<double>(logits[order[0]]) - static_cast<double>(logits[token]);
    sum += std::isnan(below) ? 0 : std::exp(-below / options.temperature);
    sums.push_back(sum);
  }
  const auto end = std::ranges::find_if(
      sums, [&](double each) { return each >= std::min(options.top_p, 1 - 1e-12) * sum; });
  const auto drawn = std::ranges::find_if(sums, [&](double each) { return each > u * *end; });
  return order[static_cast<std::size_t>(drawn - sums.begin())];
}

/// The number from 0 to 1 that a draw takes.
double uniform_of(std::uint64_t seed, std::uint32_t number) {
  const auto bits =
      kernels::philox({number, 0, random_stream::sampling, 0}, kernels::philox_key(seed));
  return std::ldexp(static_cast<double>((std::uint64_t{bits[0]} << 32U | bits[1]) >> 11U), -53);
}

std::vector<float> random_logits(std::mt19937& random, std::size_t count) {
  std::normal_distribution<float> normal(0, 3);
  const float specials[] = {0.0F, -0.0F, 1.5F, -infinity, nan, 1e-40F, -1e-40F};
  std::vector<float> logits(count);
  for (float& logit : logits) {
    logit = random() % 3 == 0 ? specials[random() % std::size(specials)] : normal(random);
  }
  return logits;
}

TEST_CASE("Draws are those of a sorted vocabulary") {
  std::mt19937 random(1);
  std::size_t other = 0;
  for (std::uint32_t number = 0; number < 2000; ++number) {
    const std::size_t count = 1 + random() % (number % 20 == 0 ? 3000 : 40);
    std::vector<float> logits = random_logits(random, count);
    logits[random() % count] = 2.0F;
    const SamplingOptions options{
        .temperature = std::vector{0.0, 0.05, 1.0, 4.0, 1e6}[random() % 5],
        .top_k = random() % 2 == 0 ? 0 : 1 + random() % (count + 2),
        .top_p = std::vector{1.0, 0.9, 0.5, 1e-9}[random() % 4],
        .seed = 3};
    CAPTURE(number, count, options.temperature, options.top_k, options.top_p);
    std::vector<std::uint32_t> order(count);
    std::vector<double> weights(count);
    const std::size_t drawn = sample_token(logits.data(), count, options, number,
                                           {.order = order.data(), .weights = weights.data()});
    CHECK(drawn == sorted_draw(logits, options, uniform_of(options.seed, number)));
    other += drawn != sorted_draw(logits, options, 0) ? 1U : 0U;
  }
  CHECK(other > 500);
}

using Text = std::vector<std::int64_t>;

const Text prompt = {3, 1, 4};
const Text source_tokens = {2, 7, 1, 8};

Tokens row_of(const Text& text) { return xt::adapt(text, std::array{std::size_t{1}, text.size()}); }

/// The logits behind a text, without a cache.
std::vector<float> next_logits(Transformer& model, const Text& text, const Text& source) {
  TransformerForwardOptions options;
  if (model.settings().has_encoder()) {
    options.source = row_of(source);
  }
  const auto logits = model.forward(row_of(text), options).logits;
  const float* last = &logits(0, text.size() - 1, 0);
  return {last, last + logits.shape(2)};
}

/// The tokens that `sample_token` draws from the logits of a model without a cache.
Text drawn_without_cache(Transformer& model, const GenerateOptions& options, const Text& source) {
  Text text = prompt;
  std::vector<std::uint32_t> order(vocabulary_size);
  std::vector<double> weights(vocabulary_size);
  for (std::uint64_t number = 0; text.size() < prompt.size() + 8; ++number) {
    text.push_back(static_cast<std::int64_t>(
        sample_token(next_logits(model, text, source).data(), vocabulary_size,
                     {.temperature = options.temperature,
                      .top_k = static_cast<std::size_t>(options.top_k.value_or(0)),
                      .top_p = options.top_p.value_or(1),
                      .seed = options.seed.value_or(0)},
                     number, {.order = order.data(), .weights = weights.data()})));
  }
  return {text.begin() + static_cast<std::ptrdiff_t>(prompt.size()), text.end()};
}

GenerateOptions of(const Transformer& model, std::int64_t count) {
  GenerateOptions options;
  options.max_new_tokens = count;
  if (model.settings().has_encoder()) {
    options.source = source_tokens;
  }
  return options;
}

TEST_CASE("Greedy generation takes the largest logit of a model without a cache or padding") {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const SmallTransformer small = random_transformer(seed);
    if (!small.options.causal || !small.options.head || small.options.patches ||
        small.options.weights != Precision::float32) {
      continue;
    }
    INFO(small.name);
    Transformer model(small.options);
    GenerateOptions options = of(model, 8);
    // As many as fit: the last is not read any more.
    const Text expected = drawn_without_cache(model, options, source_tokens);
    CHECK(model.generate(prompt, options) == expected);
    options.temperature = 2;
    options.top_k = 1;
    CHECK(model.generate(prompt, options) == expected);
    options.top_k.reset();
    options.top_p = 1e-9;
    CHECK(model.generate(prompt, options) == expected);
    options.key_mask = xt::xarray<std::int8_t>{0, 0, 1, 1, 1};
    CHECK(model.generate({9, 2, 3, 1, 4}, options) == expected);
    if (options.source) {
      options.key_mask = {};
      options.source = Text();
      CHECK(model.generate(prompt, options) == drawn_without_cache(model, {}, {}));
    }
  }
}

Transformer plain_model() { return Transformer(small_transformer("plain").options); }

TEST_CASE("A seed draws the tokens of sample_token, and a cache of 16 bits hardly changes them") {
  Transformer model = plain_model();
  GenerateOptions options = of(model, 8);
  options.temperature = 3;
  std::vector<Text> texts;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    options.seed = seed;
    texts.push_back(model.generate(prompt, options));
    CHECK(texts.back() == drawn_without_cache(model, options, {}));
    CHECK(model.copy().generate(prompt, options) == texts.back());
    GenerateOptions limited = options;
    limited.top_k = 6;
    limited.top_p = 0.7;
    CHECK(model.generate(prompt, limited) == drawn_without_cache(model, limited, {}));
  }
  std::sort(texts.begin(), texts.end());
  CHECK(std::unique(texts.begin(), texts.end()) == texts.end());
  options = of(model, 6);
  GenerateOptions halves = options;
  halves.cache_precision = Precision::float16;
  CHECK(model.generate({1, 2, 3}, options) == model.generate({1, 2, 3}, halves));
}

TEST_CASE("Generation ends with a stop token, or where on_token says so or throws") {
  Transformer model = plain_model();
  const Text whole = model.generate(prompt, of(model, 8));
  for (const std::int64_t stop : whole) {
    GenerateOptions options = of(model, 8);
    options.stop = {stop, stop};
    const auto end = std::find(whole.begin(), whole.end(), stop) + 1;
    CHECK(model.generate(prompt, options) == Text(whole.begin(), end));
  }
  for (std::size_t limit = 1; limit <= 8; ++limit) {
    Text told;
    GenerateOptions options = of(model, 8);
    options.on_token = [&](std::int64_t token) {
      told.push_back(token);
      return told.size() < limit;
    };
    const Text expected(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(limit));
    CHECK(model.generate(prompt, options) == expected);
    CHECK(told == expected);
  }
  GenerateOptions throwing = of(model, 8);
  throwing.on_token = [](std::int64_t /*token*/) -> bool { throw std::runtime_error("enough"); };
  CHECK_THROWS_AS(model.generate(prompt, throwing), std::runtime_error);
  CHECK(model.generate(prompt, of(model, 8)) == whole);
  CHECK(model.generate(prompt, of(model, 0)).empty());
  const Text full = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  CHECK(model.generate(full, of(model, 0)).empty());
  CHECK(model.generate(full, of(model, 1)).size() == 1);
}

struct Refused {
  std::string model;
  std::function<void(GenerateOptions&)> change;
  Text text;
  std::string error;  ///< or its beginning
};

TEST_CASE("What generate refuses is named, and no token is told") {
  const auto same = [](GenerateOptions&) {};
  const auto top_p = [](double value) { return [=](GenerateOptions& o) { o.top_p = value; }; };
  const std::string top_p_error =
      "invalid-option; top_p: expected a number above 0, at most 1, got ";
  const std::string not_causal =
      "invalid-option; generate: expected a causal model with logits, got another";
  const std::vector<Refused> cases = {
      {"plain", [](auto& o) { o.max_new_tokens = -1; }, prompt,
       "invalid-option; max_new_tokens: expected an integer from 0 on, got -1"},
      {"plain", [](auto& o) { o.max_new_tokens = 9; }, prompt,
       "invalid-option; max_new_tokens: expected at most 8 behind 3 of max_length (10), got 9"},
      {"plain", same, {}, "invalid-shape; tokens: expected at least one, got none"},
      {"plain", [](auto& o) { o.temperature = nan; }, prompt, "invalid-option; temperature"},
      {"plain", [](auto& o) { o.top_k = 0; }, prompt, "invalid-option; top_k"},
      {"plain", top_p(0), prompt, top_p_error + "0"},
      {"plain", top_p(1.5), prompt, top_p_error + "1.5"},
      {"plain", top_p(nan), prompt, top_p_error + "NaN"},
      {"plain", [](auto& o) { o.seed = std::uint64_t{1} << 53U; }, prompt, "invalid-option; seed"},
      {"plain", [](auto& o) { o.key_mask = xt::xarray<bool>{true, false, false}; }, prompt,
       "invalid-value; key_mask: expected 1 for the last token, got 0"},
      {"plain", [](auto& o) { o.key_mask = xt::xarray<int>{1, 1}; }, prompt,
       "invalid-shape; key_mask: expected (batch, keys), here (1, 3), got (2,)"},
      {"plain",
       [](auto& o) {
         o.key_mask = xt::xarray<int>{0, 1, 1};
         o.max_new_tokens = 10;
       },
       prompt,
       "invalid-option; max_new_tokens: expected at most 9 behind 2 of max_length (10), got 10"},
      {"plain", same, {3, vocabulary_size}, "invalid-value; tokens"},
      {"plain", [](auto& o) { o.stop = {1, vocabulary_size}; }, prompt,
       "invalid-value; stop: expected integers from 0 to 12, got 13"},
      // Also when no token is requested.
      {"plain", [](auto& o) { o.max_new_tokens = 0; }, {vocabulary_size}, "invalid-value; tokens"},
      {"plain",
       [](auto& o) {
         o.max_new_tokens = 0;
         o.stop = {-1};
       },
       prompt, "invalid-value; stop"},
      {"plain", [](auto& o) { o.source = source_tokens; }, prompt,
       "invalid-option; source: expected none without an encoder, got tokens"},
      {"an encoder", [](auto& o) { o.source.reset(); }, prompt,
       "invalid-option; source: expected the encoder's tokens, got none"},
      {"an encoder", [](auto& o) { o.source = Text{1, vocabulary_size}; }, prompt,
       "invalid-value; source: expected integers from 0 to 12, got 13"},
      {"an encoder", [](auto& o) { o.source = Text(11); }, prompt,
       "invalid-shape; source: expected (length,), length at most max_length (10), got (11,)"},
      {"not causal", same, prompt, not_causal},
      {"no head", same, prompt, not_causal},
      {"patches", same, prompt, not_causal}};
  for (const auto& [name, change, text, expected] : cases) {
    CAPTURE(name, expected);
    Transformer model(small_transformer(name).options);
    GenerateOptions options = of(model, 4);
    options.on_token = [](std::int64_t /*token*/) {
      FAIL_CHECK("a token was told");
      return true;
    };
    change(options);
    const std::string error =
        error_of([&, &given = text] { return model.generate(given, options); });
    CHECK(error.starts_with(expected));
  }
}

TEST_CASE("New tokens come with the weights of the row that drew them") {
  for (const std::string name : {"plain", "an encoder"}) {
    Transformer model(small_transformer(name).options);
    GenerateOptions options{.max_new_tokens = 3};
    TransformerForwardOptions pass{.return_weights = true};
    if (model.settings().has_encoder()) {
      options.source = source_tokens;
      pass.source = row_of(source_tokens);
    }
    const GeneratedText text = model.generate_with_weights(prompt, options, {{1, 0}});
    CHECK(text.tokens == model.generate(prompt, options));
    Text whole = prompt;
    for (std::size_t i = 0; i < text.tokens.size(); ++i) {
      const TransformerResult expected = model.forward(row_of(whole), pass);
      const auto check = [&](const Tensor<4>& got, const Tensor<4>& all) {
        REQUIRE(got.shape() ==
                std::array{std::size_t{1}, std::size_t{2}, std::size_t{1}, all.shape(3)});
        CHECK(max_difference(xt::view(got, 0, 0, 0), xt::view(all, 0, 1, whole.size() - 1)) <=
              1e-6);
      };
      for (std::size_t layer = 0; layer < model.num_layers(); ++layer) {
        check(text.attention_weights[i][layer], expected.attention_weights[layer]);
        if (options.source) {
          check(text.cross_attention_weights[i][layer], expected.cross_attention_weights[layer]);
        }
      }
      whole.push_back(text.tokens[i]);
    }
  }
}

}  // namespace
}  // namespace headwise::test
