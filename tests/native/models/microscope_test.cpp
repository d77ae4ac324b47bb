#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <numeric>
#include <vector>

#include "activations.hpp"
#include "compare.hpp"
#include "transformer_call.hpp"

// The logit lens, attributions and patched heads, each against passes with patches, which
// transformer_test.cpp holds against float64.
namespace headwise::test {
namespace {

constexpr std::size_t random_models = 60;

/// Logits of rounded weights differ by what rounding a row of other numbers changes.
double tolerance(const TransformerCall& call, const Tensor<3>& logits) {
  return (call.options.weights == Precision::float32 ? 1e-5 : 1e-2) *
         std::fmax(1, largest_magnitude(logits));
}

/// A logit of the last position.
double logit(const Tensor<3>& logits, std::size_t sample, std::size_t token) {
  return static_cast<double>(logits(sample, logits.shape(1) - 1, token));
}

/// What the last layer's self-attention adds without one head, if the norm behind it, or none,
/// divides by the same numbers.
Tensor<3> without_head(const Transformer& model, const ModelCaptures& captured, std::size_t head) {
  Tensor<3> added = captured.attn_out.back();
  const Tensor<4>& heads = captured.head_out.back();
  const TransformerSettings& settings = model.settings();
  const StateDict parameters = model.state_dict();
  const std::string layer = "layers." + std::to_string(model.num_layers() - 1) + ".";
  const auto bias = parameters.find(layer + "attention.W_o.bias");
  const std::size_t size = settings.num_hiddens;
  for (std::size_t sample = 0; sample < added.shape(0); ++sample) {
    for (std::size_t row = 0; row < added.shape(1); ++row) {
      std::vector<double> sum(size);
      std::vector<double> part(size);
      for (std::size_t i = 0; i < size; ++i) {
        part[i] = static_cast<double>(heads(sample, head, row, i));
        sum[i] = bias != parameters.end() ? static_cast<double>(bias->second(i)) : 0;
        for (std::size_t other = 0; other < heads.shape(1); ++other) {
          sum[i] += static_cast<double>(heads(sample, other, row, i));
        }
      }
      double scale = 1;
      if (settings.post_norms) {
        for (std::vector<double>* numbers : {&sum, &part}) {
          const double mean = settings.norm == Norm::rms
                                  ? 0
                                  : std::accumulate(numbers->begin(), numbers->end(), 0.0) /
                                        static_cast<double>(size);
          std::ranges::for_each(*numbers, [&](double& number) { number -= mean; });
        }
        scale = std::sqrt(std::inner_product(sum.begin(), sum.end(), sum.begin(), 0.0) /
                              static_cast<double>(size) +
                          static_cast<double>(settings.norm_epsilon));
      }
      for (std::size_t i = 0; i < size; ++i) {
        const double weight =
            settings.post_norms ? static_cast<double>(parameters.at(layer + "post_norm.weight")(i))
                                : 1;
        added(sample, row, i) -= static_cast<float>(weight * part[i] / scale);
      }
    }
  }
  return added;
}

TEST_CASE("The logit lens gives what a model without the layers behind a stream would give") {
  for (const TransformerCall& call : all_calls(random_models)) {
    if (!call.has_logits()) {
      continue;
    }
    CAPTURE(call.name);
    Transformer model = model_of(call);
    TransformerForwardOptions pass = call.pass;
    pass.capture = {ActivationName::resid_pre};
    const TransformerResult plain = forward(model, call, pass);
    pass.capture.clear();
    const Tensor<4> lens = logit_lens(model, call.tokens, {.pass = call.pass});
    const std::size_t num_layers = model.num_layers();
    REQUIRE(lens.shape(0) == num_layers + 1);
    for (std::size_t layer = 0; layer <= num_layers; ++layer) {
      Tensor<3> logits = plain.logits;
      if (layer < num_layers) {
        pass.patch = {{.at = ActivationName::resid_post,
                       .layer = static_cast<std::int64_t>(num_layers) - 1,
                       .value = plain.captured.resid_pre[layer]}};
        logits = forward(model, call, pass).logits;
      }
      CHECK(max_difference(xt::view(lens, layer, xt::all(), 0),
                           xt::view(logits, xt::all(), logits.shape(1) - 1)) <=
            tolerance(call, logits));
    }
    if (call.tokens.shape(1) > 1) {
      const Tensor<4> chosen = logit_lens(model, call.tokens,
                                          {.layers = std::vector<std::int64_t>{1, 0},
                                           .positions = std::vector<std::int64_t>{1, 0},
                                           .pass = call.pass});
      CHECK(chosen.shape() ==
            std::array{std::size_t{2}, call.batch(), std::size_t{2}, lens.shape(3)});
    }
  }
}

TEST_CASE("Parts of an attribution sum to the logits' difference, each what its part adds") {
  for (const TransformerCall& call : all_calls(random_models)) {
    const bool has_norms = call.options.norm != Norm::none;
    if (!call.has_logits() || (has_norms && !call.options.norm_first) ||
        call.options.logits_softcap > 0) {
      continue;
    }
    CAPTURE(call.name);
    Transformer model = model_of(call);
    const auto last_layer = static_cast<std::int64_t>(model.num_layers()) - 1;
    const auto last = static_cast<std::size_t>(last_layer);
    TransformerForwardOptions pass = call.pass;
    pass.capture = {ActivationName::attn_out, ActivationName::head_out};
    const bool has_mlps = model.settings().decoder.ffn_hiddens > 0;
    const bool has_final_norm = has_norms && model.settings().final_norm;
    if (has_mlps) {
      pass.capture.push_back(ActivationName::mlp_out);
    }
    if (has_final_norm) {
      pass.capture.push_back(ActivationName::final_norm_scale);
    }
    const TransformerResult plain = forward(model, call, pass);
    pass.capture.clear();
    const std::int64_t target = 3;
    const std::int64_t against = 7;
    const LogitAttributions parts = attribute_logits(
        model, call.tokens, {.target = {target}, .against = {against}, .pass = call.pass});
    const double allowed = tolerance(call, plain.logits);
    const auto gap = [&](const Tensor<3>& logits, std::size_t sample) {
      return logit(logits, sample, 3) - logit(logits, sample, 7);
    };
    for (std::size_t sample = 0; sample < call.batch(); ++sample) {
      const auto sum_of = [&](const auto& part) -> double {
        return xt::sum(xt::cast<double>(xt::view(part, sample)))();
      };
      const double sum = sum_of(parts.embeddings) + sum_of(parts.biases) + sum_of(parts.mlps) +
                         sum_of(parts.heads) + (parts.cross_heads ? sum_of(*parts.cross_heads) : 0);
      CHECK(std::abs(sum - static_cast<double>(parts.total(sample))) <= allowed);
      CHECK(std::abs(sum - gap(plain.logits, sample)) <= allowed);
    }
    // Without a head of the last layer, but with all that reads it as it was.
    for (std::size_t head = 0; head < model.attention(last).num_heads(); ++head) {
      pass.patch = {{.at = ActivationName::attn_out,
                     .layer = last_layer,
                     .value = without_head(model, plain.captured, head)}};
      if (call.options.encoder) {
        pass.patch.push_back({.at = ActivationName::attn_out,
                              .layer = last_layer,
                              .side = Side::cross,
                              .value = plain.cross_captured.attn_out[last]});
      }
      if (has_mlps) {
        pass.patch.push_back({.at = ActivationName::mlp_out,
                              .layer = last_layer,
                              .value = plain.captured.mlp_out[last]});
      }
      if (has_final_norm) {
        pass.patch.push_back(
            {.at = ActivationName::final_norm_scale, .value = *plain.captured.final_norm_scale});
      }
      const TransformerResult without = forward(model, call, pass);
      for (std::size_t sample = 0; sample < call.batch(); ++sample) {
        const double part = static_cast<double>(parts.heads(sample, last, head));
        CHECK(std::abs(gap(plain.logits, sample) - gap(without.logits, sample) - part) <=
              2 * allowed);
      }
    }
  }
}

TEST_CASE("Patched heads give what whole passes with that patch give") {
  const auto metric = [](const Tensor<3>& logits) { return logit(logits, 0, 5); };
  for (const TransformerCall& call : all_calls(random_models)) {
    if (!call.has_logits()) {
      continue;
    }
    CAPTURE(call.name);
    Transformer model = model_of(call);
    const Tokens clean = random_tokens(call.batch(), call.tokens.shape(1), 99);
    for (const ActivationName at : {ActivationName::z, ActivationName::keys,
                                    ActivationName::pattern, ActivationName::head_out}) {
      TransformerForwardOptions pass = call.pass;
      std::size_t done = 0;
      // The metric reads the last of them.
      std::optional<std::vector<std::int64_t>> positions;
      if (at == ActivationName::z) {
        positions = {{static_cast<std::int64_t>(clean.shape(1)) - 1}};
      }
      const Tensor<2> patched = patch_heads(model, clean, call.tokens,
                                            {.metric = metric,
                                             .at = at,
                                             .positions = positions,
                                             .pass = call.pass,
                                             .on_progress = [&](std::size_t count, std::size_t) {
                                               done = count;
                                               return true;
                                             }});
      CHECK(done == patched.size());
      pass.capture = {at};
      const auto captured = captured_in(model.forward(clean, pass));
      pass.capture.clear();
      for (std::size_t layer = 0; layer < patched.shape(0); ++layer) {
        for (std::size_t head = 0; head < patched.shape(1); ++head) {
          pass.patch = {{.at = at,
                         .layer = static_cast<std::int64_t>(layer),
                         .heads = std::vector{static_cast<std::int64_t>(head)},
                         .value = captured.at({at, Side::self, layer})}};
          const Tensor<3> logits = model.forward(call.tokens, pass).logits;
          CHECK(std::abs(static_cast<double>(patched(layer, head)) - metric(logits)) <=
                tolerance(call, logits));
        }
      }
    }
  }
}

TEST_CASE("What has no logits, or norms in another place, is refused") {
  Transformer plain(small_transformer("plain").options);
  const Tokens tokens = random_tokens(2, 3, 1);
  const auto metric = [](const Tensor<3>& /*logits*/) { return 0.0; };
  CHECK(error_of([&] {
          return logit_lens(plain, tokens, {.layers = std::vector<std::int64_t>{9}});
        }).starts_with("invalid-option; layers: expected integers from 0 to "));
  CHECK(error_of([&] { return attribute_logits(plain, tokens, {.target = {99}}); }) ==
        "invalid-value; target: expected integers from 0 to 12, got 99");
  CHECK(error_of([&] { return attribute_logits(plain, tokens, {.target = {1, 2, 3}}); }) ==
        "invalid-shape; target: expected one token, or one for each sample (2), got 3");
  CHECK(error_of([&] {
          return patch_heads(plain, tokens, random_tokens(2, 4, 1), {.metric = metric});
        }) == "invalid-shape; corrupted: expected (2, 3), got (2, 4)");
  CHECK(error_of([&] {
          return patch_heads(plain, tokens, tokens,
                             {.metric = metric, .at = ActivationName::mlp_out});
        }) ==
        "invalid-option; at: expected z, queries, keys, values, pattern or head_out, got mlp_out");
  CHECK(error_of([&] {
          return patch_heads(plain, tokens, tokens,
                             {.metric = metric, .positions = std::vector<std::int64_t>()});
        }) == "invalid-option; positions: expected at least one, got none");
  TransformerOptions options = small_transformer("plain").options;
  options.norm_first = false;
  Transformer post_norm(options);
  CHECK(error_of([&] { return attribute_logits(post_norm, tokens, {.target = {1}}); }) ==
        "invalid-option; model: expected one whose norms come first, got another");
  const auto pruning = [&](const Tensor<3>& /*logits*/) {
    post_norm.prune_heads({{1, {0}}});
    return 0.0;
  };
  CHECK(error_of([&] { return patch_heads(post_norm, tokens, tokens, {.metric = pruning}); }) ==
        "invalid-option; model: expected one that stays as it is during the call, got one that was "
        "changed");
  options.dropout = 0.5;
  Transformer dropping(options);
  CHECK(error_of([&] {
          return patch_heads(dropping.train(), tokens, tokens, {.metric = metric});
        }) == "invalid-option; model: expected one in evaluation mode, got dropout");
  options.head = false;
  Transformer headless(options);
  CHECK(error_of([&] { return logit_lens(headless, tokens); }) ==
        "invalid-option; model: expected one that has logits, got one without");
}

}  // namespace
}  // namespace headwise::test
