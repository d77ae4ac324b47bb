#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
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

/// The loss Σ output · cotangent, whose cotangents are one for each batch.
OutputLoss linear_loss(const std::vector<Tensor<3>>& cotangents) {
  return {.value =
              [&](std::size_t batch, const Tensor<3>& output) {
                return xt::sum(xt::cast<double>(output) * cotangents[batch])();
              },
          .gradient = [&](std::size_t batch, const Tensor<3>&) { return cotangents[batch]; }};
}

/// Adds the linear loss of each sample.
void add_losses(std::vector<double>& losses, const reference::Doubles<3>& output,
                const Tensor<3>& cotangent) {
  for (std::size_t sample = 0; sample < output.shape(0); ++sample) {
    losses.push_back(xt::sum(xt::view(output, sample) * xt::view(cotangent, sample))());
  }
}

/// What a gradient or ablation measures, from the samples' losses with a gate of the head.
double mean_of_losses(HeadMeasure measure, double count, const auto& losses_with) {
  constexpr float step = 1.0F / 65536;
  const bool is_gradient = measure == HeadMeasure::gradient;
  const std::vector<double> first = losses_with(is_gradient ? 1 + step : 0);
  const std::vector<double> second = losses_with(is_gradient ? 1 - step : 1);
  double sum = 0;
  for (std::size_t row = 0; row < first.size(); ++row) {
    const double difference = first[row] - second[row];
    sum += is_gradient ? std::abs(difference) / (2 * static_cast<double>(step)) : difference;
  }
  return count > 0 ? sum / count : 0;
}

/// Sums over queries of what a head attends to: queries that attend to no key but extra slots do
/// not count.
struct QuerySums {
  double largest = 0;
  double entropy = 0;
  double count = 0;

  void add(const reference::Doubles<4>& weights, std::size_t sample, std::size_t head,
           std::size_t query, std::size_t num_keys, const auto& is_taken) {
    double mass = 0;
    double most = 0;
    double uncertainty = 0;
    for (std::size_t key = 0; key < weights.shape(3); ++key) {
      const double weight = weights(sample, head, query, key);
      mass += key < num_keys ? weight : 0;
      most = is_taken(key) ? std::fmax(most, weight) : most;
      uncertainty -= weight > 0 ? weight * std::log(weight) : 0;
    }
    if (mass > 0) {
      largest += most;
      entropy += uncertainty;
      count += 1;
    }
  }
  [[nodiscard]] double mean(HeadMeasure measure) const {
    const double sum = measure == HeadMeasure::confidence ? largest : entropy;
    return count > 0 ? sum / count : 0;
  }
};

/// A random layer, two batches whose masks and numbers differ, and the cotangents of their losses.
struct MeasuredLayer {
  Problem problem;
  MultiHeadAttention layer;
  std::vector<Problem> passes;
  std::vector<HeadMeasureBatch> batches;
  std::vector<Tensor<3>> cotangents;

  explicit MeasuredLayer(Configuration c) : problem(make_problem(c)), layer(make_layer(problem)) {
    for (const bool has_ignored : {false, true}) {
      c.numbers += 1;
      passes.push_back(make_problem(c));
      batches.push_back(passes.back().measured_batch());
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
    const Problem& pass = passes[number];
    ForwardOptions options = pass.options;
    Tensor<1> gates = full<1>({layer.num_heads()}, 1);
    gates(head) = gate;
    options.head_gate = gates;
    return reference::multi_head_attention(problem.layer, problem.parameters, pass.queries,
                                           pass.keys, pass.values, options);
  }

  [[nodiscard]] double expected(HeadMeasure measure, std::size_t head) const {
    const Configuration& c = problem.configuration;
    if (measure == HeadMeasure::gradient || measure == HeadMeasure::ablation) {
      return mean_of_losses(measure, static_cast<double>(2 * c.batch), [&](float gate) {
        std::vector<double> losses;
        for (std::size_t number = 0; number < batches.size(); ++number) {
          add_losses(losses, attention(number, head, gate).output, cotangents[number]);
        }
        return losses;
      });
    }
    QuerySums sums;
    for (std::size_t number = 0; number < batches.size(); ++number) {
      const auto weights = attention(number, head, 1).pooled.weights;
      const auto& ignored = batches[number].ignored_keys;
      for (std::size_t row = 0; row < c.batch * c.queries; ++row) {
        const std::size_t sample = row / c.queries;
        sums.add(weights, sample, head, row % c.queries, c.keys, [&](std::size_t key) {
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
    if (c.call != Call::layer || c.cache != CacheUse::none) {
      continue;
    }
    ++tried;
    c.gate = GateKind::none;
    c.positions = PositionKind::none;
    c.empty_rows = EmptyRows::zero;
    c.stage = WeightsStage::softmax;
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
  CHECK(error_of([&] { return least_important_heads(numbers, {.group_size = 0}); }) ==
        "invalid-option; group_size: expected an integer from 1 on, got 0");
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
      batches.push_back(measured_batch(call));
    }
    return *measure_head_importance(model_, batches, {.measure = measure}, side,
                                    has_output_loss() ? linear_loss(cotangents_) : OutputLoss());
  }

  [[nodiscard]] double expected(HeadMeasure measure, Side side, std::size_t layer,
                                std::size_t head) const {
    if (measure == HeadMeasure::confidence || measure == HeadMeasure::entropy) {
      return mean_over_queries(measure, side, layer, head);
    }
    return mean_of_losses(measure, count(),
                          [&](float gate) { return losses_with(side, layer, head, gate); });
  }

 private:
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
      if (has_output_loss()) {
        add_losses(losses, output.hidden, cotangents_[batch]);
        continue;
      }
      for (std::size_t row = 0; row < call.batch(); ++row) {
        losses.push_back(reference::sum_of_losses(output.logits, call.targets, row));
      }
    }
    return losses;
  }

  /// What losses are divided by: targets, or samples.
  [[nodiscard]] double count() const {
    double count = 0;
    for (const TransformerCall& call : calls_) {
      count += has_output_loss() ? static_cast<double>(call.batch())
                                 : xt::sum(xt::cast<double>(call.targets >= 0))();
    }
    return count;
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
          sums.add(weights, row, head, query, weights.shape(3),
                   [](std::size_t /*key*/) { return true; });
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
  const ModelMeasureBatch batch = measured_batch(call);
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

TEST_CASE("What cannot be measured is an error") {
  using enum HeadMeasure;
  const MultiHeadAttention layer({.num_hiddens = 6, .num_heads = 3, .seed = 1});
  const auto X = randn<3>({1, 2, 6}, 1);
  const auto of_layer = [&](const std::vector<HeadMeasureBatch>& batches,
                            const HeadImportanceOptions& options) {
    return error_of([&] { return measure_head_importance(layer, batches, options); });
  };
  const auto of_functions = [](HeadMeasure measure) {
    return error_of([&] {
      return measure_head_importance({.num_heads = {1}, .batch_sizes = {}}, {.measure = measure});
    });
  };
  const Tokens tokens = random_tokens(2, 4, 1);
  const auto of_model = [&](const std::string& name, HeadMeasure measure, Side side = Side::self,
                            const OutputLoss& loss = {}, std::size_t num_targets = 2) {
    const Transformer model(small_transformer(name).options);
    return error_of([&] {
      return measure_head_importance(model, {{tokens, random_tokens(num_targets, 4, 2)}},
                                     {.measure = measure}, side, loss);
    });
  };
  const OutputLoss value{.value = [](std::size_t, const Tensor<3>&) { return 0.0; }};
  const std::string no_gradient =
      "invalid-option; loss: expected its gradient beside measure 'gradient', got none";
  const std::string no_value =
      "invalid-option; loss: expected its value beside measure 'ablation', got none";
  const std::string no_encoder =
      "invalid-option; side: expected 'self' for a model without an encoder, got ";
  const std::pair<std::string, std::string> errors[] = {
      {of_layer({{X, X, X}}, {}), no_gradient},
      {of_layer({{X, X, X}}, {.measure = ablation}), no_value},
      {of_layer({{X, X, X}}, {.measure = entropy, .normalize = true}),
       "invalid-option; normalize: expected measure 'gradient' beside it, got 'entropy'"},
      {of_layer({}, {.measure = entropy}),
       "invalid-option; batches: expected at least one, got none"},
      {of_layer({{.queries = X,
                  .keys = X,
                  .values = X,
                  .ignored_keys = xt::xtensor<std::uint8_t, 2>{{1, 0, 0}}}},
                {.measure = confidence}),
       "invalid-shape; ignored_keys: expected (1, 2), got (1, 3)"},
      {of_layer({{X, X, randn<3>({1, 3, 6}, 1)}}, {.measure = entropy}).substr(0, 39),
       "invalid-shape; values: expected (1, 2, "},
      {of_functions(gradient),
       "invalid-option; gate_gradients: expected a function beside measure 'gradient', got none"},
      {of_functions(ablation),
       "invalid-option; loss: expected a function beside measure 'ablation', got none"},
      {of_functions(confidence),
       "invalid-option; attention_weights: expected a function beside measure 'confidence', got "
       "none"},
      {of_model("plain", gradient, Side::cross), no_encoder + "'cross'"},
      {of_model("no head", entropy, Side::encoder), no_encoder + "'encoder'"},
      {of_model("no head", gradient), no_gradient},
      {of_model("no head", ablation), no_value},
      {of_model("no head", entropy), "no error"},
      {of_model("plain", gradient, Side::self, value), no_gradient},
      {of_model("plain", gradient, Side::self, {}, 1),
       "invalid-shape; targets: expected (2, 4), got (1, 4)"},
      {of_model("an encoder", gradient),
       "invalid-option; source: expected the encoder's tokens, got none"}};
  for (const auto& [got, expected] : errors) {
    CHECK(got == expected);
  }
}

}  // namespace
}  // namespace headwise::test
