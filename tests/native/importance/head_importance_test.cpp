#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "attention_reference.hpp"
#include "compare.hpp"
#include "model_reference.hpp"
#include "problem.hpp"

/// Each measure of importance: heads of layers, and of encoders, decoders and cross-attention.
namespace headwise::test {
namespace {

double product(const Tensor<3>& a, const Tensor<3>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    sum += static_cast<double>(a.data()[i]) * static_cast<double>(b.data()[i]);
  }
  return sum;
}

/// The loss Σ output · cotangent, whose cotangents are one for each batch.
OutputLoss linear_loss(const std::vector<Tensor<3>>& cotangents) {
  return {.value = [&](std::size_t batch,
                       const Tensor<3>& output) { return product(output, cotangents[batch]); },
          .gradient = [&](std::size_t batch, const Tensor<3>&) { return cotangents[batch]; }};
}

/// Sums over queries of what a head attends to: queries that attend to nothing do not count.
struct QuerySums {
  double largest = 0;
  double entropy = 0;
  double count = 0;

  void add(const reference::Doubles<4>& weights, std::size_t sample, std::size_t head,
           std::size_t query, const auto& is_taken) {
    double mass = 0;
    double most = 0;
    for (std::size_t key = 0; key < weights.shape(3); ++key) {
      const double weight = weights(sample, head, query, key);
      mass += weight;
      most = is_taken(key) ? std::fmax(most, weight) : most;
      entropy -= weight > 0 ? weight * std::log(weight) : 0;
    }
    largest += most;
    count += mass > 0 ? 1 : 0;
  }
  [[nodiscard]] double mean(HeadMeasure measure) const {
    const double sum = measure == HeadMeasure::confidence ? largest : entropy;
    return count > 0 ? sum / count : 0;
  }
};

constexpr HeadMeasure all_measures[] = {HeadMeasure::gradient, HeadMeasure::ablation,
                                        HeadMeasure::confidence, HeadMeasure::entropy};

/// A random layer, two batches whose masks and numbers differ, and the cotangents of their losses.
struct MeasuredLayer {
  Problem problem;
  MultiHeadAttention layer;
  std::vector<HeadMeasureBatch> batches;
  std::vector<Tensor<3>> cotangents;

  explicit MeasuredLayer(Configuration c) : problem(make_problem(c)), layer(make_layer(problem)) {
    for (const bool has_ignored : {false, true}) {
      c.numbers += 1;
      const Problem given = make_problem(c);
      batches.push_back({.queries = given.queries,
                         .keys = given.keys,
                         .values = given.values,
                         .valid_lens = given.options.valid_lens,
                         .mask = given.options.mask,
                         .key_mask = given.options.key_mask,
                         .causal = given.options.causal,
                         .window = given.options.window});
      if (has_ignored) {
        Random random(c.numbers);
        batches.back().ignored_keys =
            xt::cast<std::uint8_t>(draw_key_mask(KeyMaskKind::among, c.batch, c.keys, random));
      }
      cotangents.push_back(randn<3>({c.batch, c.queries, layer.settings().output_size}, c.numbers));
    }
  }

  /// What a batch gives with this gate of one head.
  [[nodiscard]] reference::Attention attention(std::size_t number, std::size_t head,
                                               float gate) const {
    const HeadMeasureBatch& batch = batches[number];
    Tensor<1> gates = full<1>({layer.num_heads()}, 1);
    gates(head) = gate;
    return reference::multi_head_attention(problem.layer, problem.parameters, batch.queries,
                                           batch.keys, batch.values,
                                           {.valid_lens = batch.valid_lens,
                                            .mask = batch.mask,
                                            .key_mask = batch.key_mask,
                                            .causal = batch.causal,
                                            .window = batch.window,
                                            .head_gate = gates});
  }

  /// Mean over samples of what ablation, or a gradient, measures: outputs are linear in gates.
  [[nodiscard]] double mean_of_losses(bool of_gradients, std::size_t head) const {
    double sum = 0;
    const std::size_t batch = problem.configuration.batch;
    for (std::size_t number = 0; number < batches.size(); ++number) {
      const reference::Doubles<3> terms =
          (attention(number, head, 0).output - attention(number, head, 1).output) *
          cotangents[number];
      for (std::size_t sample = 0; sample < batch; ++sample) {
        const double* first = terms.data() + sample * terms.size() / batch;
        const double difference = std::accumulate(first, first + terms.size() / batch, 0.0);
        sum += of_gradients ? std::abs(difference) : difference;
      }
    }
    return sum / static_cast<double>(2 * batch);
  }

  [[nodiscard]] double expected(HeadMeasure measure, std::size_t head) const {
    if (measure == HeadMeasure::gradient || measure == HeadMeasure::ablation) {
      return mean_of_losses(measure == HeadMeasure::gradient, head);
    }
    QuerySums sums;
    const Configuration& c = problem.configuration;
    for (std::size_t number = 0; number < batches.size(); ++number) {
      const auto weights = attention(number, head, 1).pooled.weights;
      const auto& ignored = batches[number].ignored_keys;
      for (std::size_t row = 0; row < c.batch * c.queries; ++row) {
        const std::size_t sample = row / c.queries;
        sums.add(weights, sample, head, row % c.queries, [&](std::size_t key) {
          return key < c.keys && !(ignored && (*ignored)(sample, key) != 0);
        });
      }
    }
    return sums.mean(measure);
  }
};

TEST_CASE("Importance of layers' heads is that of float64, whatever masks their batches have") {
  std::size_t tried = 0;
  for (std::uint64_t seed = 1; tried < 40; ++seed) {
    Configuration c = random_configuration(seed);
    if (c.call != Call::layer || c.cache != CacheUse::none || c.batch * c.queries * c.keys == 0) {
      continue;
    }
    ++tried;
    c.gate = GateKind::none;
    c.positions = PositionKind::none;
    c.empty_rows = EmptyRows::zero;
    CAPTURE(to_code(c));
    const MeasuredLayer measured(c);
    const OutputLoss loss = linear_loss(measured.cotangents);
    for (const HeadMeasure measure : all_measures) {
      CAPTURE(static_cast<int>(measure));
      const auto importance =
          *measure_head_importance(measured.layer, measured.batches, {.measure = measure}, loss);
      for (std::size_t head = 0; head < c.heads; ++head) {
        CHECK(std::abs(importance(head) - measured.expected(measure, head)) <=
              1e-5 + 2e-6 * static_cast<double>(measured.cotangents.front().size()));
      }
    }
  }
}

TEST_CASE("NaN among weights shows in the scores") {
  const std::vector<float> weights = {nan, nan, nan};
  const WeightsSizes sizes{1, 1, 1, 2, 1};
  RowSum confidence;
  add_confidence(weights.data(), sizes, nullptr, &confidence);
  RowSum entropy;
  add_entropy(weights.data(), sizes, &entropy);
  CHECK(std::isnan(confidence.mean()));
  CHECK(std::isnan(entropy.mean()));
}

TEST_CASE("A measured layer stays as it was, and is measured without dropout") {
  MultiHeadAttention layer({.num_hiddens = 6, .num_heads = 3, .dropout = 0.5, .seed = 1});
  const auto X = randn<3>({2, 5, 6}, 1);
  layer.train();
  layer.forward(X, X, X, {.requires_grad = true});
  MultiHeadAttention twin = layer;
  const std::vector<Tensor<3>> cotangents = {X, X};
  const OutputLoss loss = linear_loss(cotangents);
  const auto first = *measure_head_importance(layer, {{X, X, X}, {X, X, X}}, {}, loss);
  CHECK(max_difference(*measure_head_importance(layer, {{X, X, X}}, {}, loss), first) == 0);
  for (const HeadMeasure measure : {HeadMeasure::ablation, HeadMeasure::entropy}) {
    CHECK(measure_head_importance(layer, {{X, X, X}}, {.measure = measure}, loss).has_value());
  }
  CHECK(layer.training());
  CHECK(all_equal(layer.gradients().at("W_q.weight"), 0));
  CHECK(max_difference(layer.backward(X).queries, twin.backward(X).queries) == 0);
  CHECK(max_difference(layer.forward(X, X, X).output, twin.forward(X, X, X).output) == 0);
  // Sizes that are not known yet are not learnt from measuring.
  const MultiHeadAttention unknown({.num_hiddens = 6, .num_heads = 3});
  CHECK(measure_head_importance(unknown, {{X, X, X}}, {}, loss).has_value());
  CHECK(!unknown.query_size());
}

TEST_CASE("Progress counts every pass, and stopping gives nothing") {
  const MultiHeadAttention layer({.num_hiddens = 6, .num_heads = 3, .seed = 1});
  const auto X = randn<3>({1, 2, 6}, 1);
  const std::vector<Tensor<3>> cotangents = {X, X};
  const OutputLoss loss = linear_loss(cotangents);
  const std::array<std::pair<HeadMeasure, std::size_t>, 4> totals = {{{HeadMeasure::gradient, 2},
                                                                      {HeadMeasure::ablation, 8},
                                                                      {HeadMeasure::confidence, 2},
                                                                      {HeadMeasure::entropy, 2}}};
  for (const auto& [measure, total] : totals) {
    std::size_t passes = 0;
    HeadImportanceOptions options{.measure = measure};
    options.progress = [&](std::size_t done, std::size_t of) {
      CHECK(done == ++passes);
      CHECK(of == total);
    };
    CHECK(measure_head_importance(layer, {{X, X, X}, {X, X, X}}, options, loss).has_value());
    CHECK(passes == total);
    for (std::size_t last = 0; last < total; ++last) {
      passes = 0;
      options.stop = [&] { return passes == last; };
      CHECK(!measure_head_importance(layer, {{X, X, X}, {X, X, X}}, options, loss).has_value());
      CHECK(passes == last);
    }
  }
}

TEST_CASE("Heads of several layers are measured together and normalized apart") {
  const MeasuredHeads heads{.num_heads = {2, 1, 1},
                            .batch_sizes = {2},
                            .loss =
                                [](std::size_t, const std::vector<Tensor<1>>& gates) {
                                  return 10.0 - 2 * gates[0](0) - 4 * gates[0](1) - 6 * gates[1](0);
                                },
                            .gate_gradients =
                                [](std::size_t) {
                                  return std::vector<Tensor<2>>{Tensor<2>{{3, -4}, {-3, 4}},
                                                                full<2>({2, 1}, 7),
                                                                full<2>({2, 1}, 0)};
                                },
                            .attention_weights = {}};
  const auto ablation = *measure_head_importance(heads, {.measure = HeadMeasure::ablation});
  CHECK(max_difference(ablation[0], Tensor<1>{1, 2}) == 0);
  CHECK(ablation[1](0) == 3);
  CHECK(ablation[2](0) == 0);
  const auto gradient = *measure_head_importance(heads, {.normalize = true});
  CHECK(max_difference(gradient[0], Tensor<1>{0.6F, 0.8F}) <= 1e-7);
  CHECK(gradient[1](0) == 1);
  CHECK(gradient[2](0) == 0);
}

TEST_CASE("What cannot be measured is an error") {
  const MultiHeadAttention layer({.num_hiddens = 6, .num_heads = 3, .seed = 1});
  const auto X = randn<3>({1, 2, 6}, 1);
  HeadMeasureBatch batch{X, X, X};
  const auto error = [&](const HeadImportanceOptions& options) {
    return error_of([&] { return measure_head_importance(layer, {batch}, options); });
  };
  CHECK(error({}) ==
        "invalid-option; loss: expected its gradient beside measure 'gradient', got none");
  CHECK(error({.measure = HeadMeasure::ablation}) ==
        "invalid-option; loss: expected its value beside measure 'ablation', got none");
  CHECK(error({.measure = HeadMeasure::entropy, .normalize = true}) ==
        "invalid-option; normalize: expected measure 'gradient' beside it, got 'entropy'");
  const std::array<std::pair<HeadMeasure, std::string>, 3> functions = {
      {{HeadMeasure::gradient, "gate_gradients: expected a function beside measure 'gradient'"},
       {HeadMeasure::ablation, "loss: expected a function beside measure 'ablation'"},
       {HeadMeasure::confidence,
        "attention_weights: expected a function beside measure 'confidence'"}}};
  for (const auto& [measure, text] : functions) {
    CHECK(error_of([&] {
            return measure_head_importance({.num_heads = {1}, .batch_sizes = {}},
                                           {.measure = measure});
          }) == "invalid-option; " + text + ", got none");
  }
  CHECK(error_of([&] {
          return measure_head_importance(layer, {}, {.measure = HeadMeasure::entropy});
        }) == "invalid-option; batches: expected at least one, got none");
  batch.ignored_keys = xt::xtensor<std::uint8_t, 2>{{1, 0, 0}};
  CHECK(error({.measure = HeadMeasure::confidence}) ==
        "invalid-shape; ignored_keys: expected (1, 2), got (1, 3)");
  CHECK(error_of([&] {
          return measure_head_importance(layer, {{X, X, randn<3>({1, 3, 6}, 1)}},
                                         {.measure = HeadMeasure::entropy});
        }).starts_with("invalid-shape; values: expected (1, 2, "));
}

TEST_CASE("The least important heads leave a head to each layer and groups whole") {
  const std::vector<Tensor<1>> numbers = {{1, 2, 3, 4}, {9, 8}};
  using Heads = std::map<std::int64_t, std::vector<std::int64_t>>;
  CHECK(least_important_heads(numbers, {.fraction = 0.5}) == Heads{{0, {0, 1, 2}}});
  CHECK(least_important_heads(numbers, {.fraction = 1}) == Heads{{0, {0, 1, 2}}, {1, {1}}});
  CHECK(least_important_heads(numbers, {.fraction = 0.5, .measure = HeadMeasure::entropy}) ==
        Heads{{0, {2, 3}}, {1, {0}}});
  CHECK(least_important_heads(numbers, {.fraction = 0.4, .group_size = 2}) == Heads{{0, {0, 1}}});
  CHECK(least_important_heads(Tensor<1>{3, 1, 2}, {.fraction = 0.34}) ==
        std::vector<std::int64_t>{1});
  CHECK(error_of([&] { return least_important_heads(numbers, {.group_size = 4}); }) ==
        "invalid-option; group_size: expected a divisor of the layer's heads (2), got 4");
  CHECK(error_of([&] { return least_important_heads(numbers, {.fraction = 2}); }) ==
        "invalid-option; fraction: expected a number from 0 to 1, got 2");
  CHECK(error_of([&] { return least_important_heads(Tensor<1>{NAN}, {}); }) ==
        "invalid-value; importance: expected finite numbers, got NaN");
}

/// A model, batches of samples and, if its loss is one of hidden states, that loss: the product
/// with a batch's cotangent.
class MeasuredModel {
 public:
  explicit MeasuredModel(const SmallTransformer& small, std::uint64_t seed)
      : calls_({random_call(small, seed), random_call(small, seed + 1000)}),
        model_(model_of(calls_[0])),
        parameters_(model_.state_dict()) {
    for (TransformerCall& call : calls_) {
      for (const Side side : all_sides) {
        gates_of(call.pass, side).clear();
      }
      cotangents_.push_back(randn<3>(forward(model_, call, call.pass).hidden.shape(), 36));
    }
  }

  [[nodiscard]] const std::vector<MultiHeadAttention>& layers(Side side) const {
    return model_.attention_layers(side);
  }
  [[nodiscard]] bool has_output_loss() const { return !calls_[0].has_logits(); }

  [[nodiscard]] std::vector<Tensor<1>> importance(HeadMeasure measure, Side side) const {
    std::vector<ModelMeasureBatch> batches;
    for (const TransformerCall& call : calls_) {
      const TransformerForwardOptions& pass = call.pass;
      batches.push_back({.tokens = call.tokens,
                         .targets = has_output_loss() ? Tokens() : call.targets,
                         .pixels = call.pixels,
                         .valid_lens = pass.valid_lens,
                         .key_mask = pass.key_mask,
                         .segments = pass.segments,
                         .source = pass.source,
                         .source_valid_lens = pass.source_valid_lens,
                         .source_key_mask = pass.source_key_mask});
    }
    return *measure_head_importance(model_, batches, {.measure = measure}, side,
                                    has_output_loss() ? linear_loss(cotangents_) : OutputLoss());
  }

  [[nodiscard]] double expected(HeadMeasure measure, Side side, std::size_t layer,
                                std::size_t head) const {
    if (measure == HeadMeasure::confidence || measure == HeadMeasure::entropy) {
      return mean_over_queries(measure, side, layer, head);
    }
    constexpr float step = 1.0F / 65536;
    const bool is_gradient = measure == HeadMeasure::gradient;
    const auto first = losses_with(side, layer, head, is_gradient ? 1 + step : 0);
    const auto second = losses_with(side, layer, head, is_gradient ? 1 - step : 1);
    double sum = 0;
    for (std::size_t row = 0; row < first.size(); ++row) {
      const double difference = first[row] - second[row];
      sum += is_gradient ? std::abs(difference) / (2 * static_cast<double>(step)) : difference;
    }
    return count() > 0 ? sum / count() : 0;
  }

 private:
  /// The product of a batch's hidden states from one place to another with its cotangent.
  [[nodiscard]] double product(std::size_t batch, const auto& hidden, std::size_t begin,
                               std::size_t end) const {
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) {
      sum +=
          static_cast<double>(hidden.data()[i]) * static_cast<double>(cotangents_[batch].data()[i]);
    }
    return sum;
  }

  /// Each sample's loss, with this gate of a head in all samples.
  [[nodiscard]] std::vector<double> losses_with(Side side, std::size_t layer, std::size_t head,
                                                float gate) const {
    std::vector<double> losses;
    for (std::size_t batch = 0; batch < calls_.size(); ++batch) {
      TransformerCall call = calls_[batch];
      std::vector<HeadGate>& gates = gates_of(call.pass, side);
      gates.resize(layers(side).size());
      Tensor<1> of_layer = full<1>({layers(side)[layer].num_heads()}, 1);
      of_layer(head) = gate;
      gates[layer] = of_layer;
      const auto output = reference::forward(call, parameters_);
      const std::size_t size = output.hidden.size() / call.batch();
      for (std::size_t row = 0; row < call.batch(); ++row) {
        losses.push_back(has_output_loss()
                             ? product(batch, output.hidden, row * size, (row + 1) * size)
                             : reference::sum_of_losses(output.logits, call.targets, row));
      }
    }
    return losses;
  }

  /// What losses are divided by: targets, or samples.
  [[nodiscard]] double count() const {
    std::ptrdiff_t count = 0;
    for (const TransformerCall& call : calls_) {
      const Tokens& targets = call.targets;
      count += has_output_loss() ? static_cast<std::ptrdiff_t>(call.batch())
                                 : targets.end() - targets.begin() -
                                       std::count(targets.begin(), targets.end(), ignored_target);
    }
    return static_cast<double>(count);
  }

  /// Queries in the padding, and those that see no key, are left out.
  [[nodiscard]] double mean_over_queries(HeadMeasure measure, Side side, std::size_t layer,
                                         std::size_t head) const {
    QuerySums sums;
    for (const TransformerCall& call : calls_) {
      const auto output = reference::forward(call, parameters_);
      const auto& weights = output.weights_of(side)[layer];
      const ValidLens& lens =
          side == Side::encoder ? call.pass.source_valid_lens : call.pass.valid_lens;
      const Mask& mask = side == Side::encoder ? call.pass.source_key_mask : call.pass.key_mask;
      for (std::size_t row = 0; row < weights.shape(0); ++row) {
        const std::size_t end = !lens.has_value() || lens.has_two_axes()
                                    ? weights.shape(2)
                                    : static_cast<std::size_t>((*lens)(row));
        for (std::size_t query = 0; query < end; ++query) {
          if (!reference::has_key(mask, weights.shape(2), row, query)) {
            continue;
          }
          sums.add(weights, row, head, query, [](std::size_t /*key*/) { return true; });
        }
      }
    }
    return sums.mean(measure);
  }

  std::vector<TransformerCall> calls_;
  Transformer model_;
  StateDict parameters_;
  std::vector<Tensor<3>> cotangents_;
};

TEST_CASE("Importance of models' heads is that of float64, whatever sizes batches have") {
  std::vector<SmallTransformer> models = small_transformers();
  for (std::uint64_t seed = 0; seed < 70; ++seed) {
    models.push_back(random_transformer(seed));
  }
  for (const SmallTransformer& small : models) {
    CAPTURE(small.name);
    if (small.options.weights != Precision::float32) {
      continue;
    }
    const MeasuredModel measured(small, static_cast<std::uint64_t>(&small - models.data()));
    for (const Side side : all_sides) {
      for (const HeadMeasure measure : all_measures) {
        CAPTURE(static_cast<int>(side), static_cast<int>(measure));
        if (measured.layers(side).empty()) {
          continue;
        }
        const auto importance = measured.importance(measure, side);
        REQUIRE(importance.size() == measured.layers(side).size());
        for (std::size_t layer = 0; layer < importance.size(); ++layer) {
          REQUIRE(importance[layer].size() == measured.layers(side)[layer].num_heads());
          for (std::size_t head = 0; head < importance[layer].size(); ++head) {
            const double expected = measured.expected(measure, side, layer, head);
            const double tolerance = 1e-5 * std::fmax(1, std::abs(expected));
            CHECK(std::abs(importance[layer](head) - expected) <= tolerance);
          }
        }
      }
    }
  }
}

TEST_CASE("A measured model stays as it was, and is measured without dropout") {
  TransformerOptions options = small_transformer("an encoder").options;
  options.dropout = 0.5;
  const TransformerCall call = random_call({.name = "dropout", .options = options}, 1);
  Transformer model = model_of(call);
  model.train();
  TransformerForwardOptions pass = call.pass;
  pass.requires_grad = true;
  Transformer twin = model.copy();
  const Tensor<3> hidden = forward(model, call, pass).hidden;
  static_cast<void>(forward(twin, call, pass));
  const ModelMeasureBatch batch{.tokens = call.tokens,
                                .targets = call.targets,
                                .valid_lens = call.pass.valid_lens,
                                .source = call.pass.source,
                                .source_valid_lens = call.pass.source_valid_lens};
  for (const Side side : all_sides) {
    for (const HeadMeasure measure : all_measures) {
      const auto first = measure_head_importance(model, {batch}, {.measure = measure}, side);
      CHECK(first == measure_head_importance(model, {batch}, {.measure = measure}, side));
    }
  }
  CHECK(model.training());
  model.backward(hidden);
  CHECK(model.gradients() != twin.gradients());
  twin.backward(hidden);
  CHECK(model.gradients() == twin.gradients());
}

TEST_CASE("What a model cannot be measured by is an error") {
  const Transformer decoder(small_transformer("plain").options);
  const Transformer translator(small_transformer("an encoder").options);
  const Transformer no_head(small_transformer("no head").options);
  const Transformer images(small_transformer("patches").options);
  const ModelMeasureBatch batch{.tokens = random_tokens(2, 4, 1),
                                .targets = random_tokens(2, 4, 2)};
  const ModelMeasureBatch pixels{.tokens = {}, .pixels = randn<4>({2, 2, 6, 6}, 1)};
  const OutputLoss value{.value = [](std::size_t, const Tensor<3>&) { return 0.0; }};
  using enum HeadMeasure;
  const std::string no_gradient = "loss: expected its gradient beside measure 'gradient', got none";
  const std::string no_value = "loss: expected its value beside measure 'ablation', got none";
  const std::string no_encoder = "side: expected 'self' for a model without an encoder, got ";
  const struct {
    const Transformer& model;
    HeadMeasure measure;
    Side side;
    std::string error;
    OutputLoss loss = {};
  } cases[] = {
      {decoder, gradient, Side::cross, no_encoder + "'cross'"},
      {no_head, entropy, Side::encoder, no_encoder + "'encoder'"},
      {no_head, gradient, Side::self, no_gradient},
      {no_head, ablation, Side::self, no_value},
      {decoder, gradient, Side::self, no_gradient, value},
      {translator, gradient, Side::self, "source: expected the encoder's tokens, got none"}};
  for (const auto& [model, measure, side, error, loss] : cases) {
    CHECK(error_of([&, &of = model, by = measure, on = side, &with = loss] {
            return measure_head_importance(of, {of.settings().has_patches() ? pixels : batch},
                                           {.measure = by}, on, with);
          }) == "invalid-option; " + error);
  }
  CHECK(measure_head_importance(no_head, {batch}, {.measure = entropy}).has_value());
  CHECK(measure_head_importance(images, {pixels}, {.measure = confidence}).has_value());
  CHECK(error_of([&] {
          return measure_head_importance(decoder, {{batch.tokens, random_tokens(1, 4, 1)}}, {});
        }) == "invalid-shape; targets: expected (2, 4), got (1, 4)");
}

}  // namespace
}  // namespace headwise::test
