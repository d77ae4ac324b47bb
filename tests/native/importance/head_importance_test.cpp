#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <functional>
#include <utility>

#include "attention_reference.hpp"
#include "compare.hpp"

/// What each measure tells of a layer's heads.
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

/// A layer, perhaps with an extra slot, and batches whose masks differ.
struct Problem {
  MultiHeadAttentionOptions options;
  MultiHeadAttention layer;
  StateDict parameters;
  std::vector<HeadMeasureBatch> batches;
  std::vector<Tensor<3>> cotangents;

  explicit Problem(bool slot)
      : options({.num_hiddens = 6,
                 .num_heads = 3,
                 .bias = true,
                 .query_size = 6,
                 .key_size = 6,
                 .value_size = 6,
                 .zero_attention = slot,
                 .seed = 1}),
        layer(options),
        parameters(layer.state_dict()) {
    const std::function<void(HeadMeasureBatch&)> masks[] = {
        [](HeadMeasureBatch&) {},
        [](HeadMeasureBatch& batch) { batch.valid_lens = LensBySample{3, 0}; },
        [](HeadMeasureBatch& batch) { batch.valid_lens = LensByQuery{{1, 4, 0}, {0, 2, 3}}; },
        [](HeadMeasureBatch& batch) {
          batch.mask = xt::xarray<bool>{
              {true, false, false, true}, {false, true, false, false}, {true, true, true, true}};
        },
        [](HeadMeasureBatch& batch) {
          batch.key_mask = xt::xtensor<int, 2>{{0, 0, 1, 1}, {1, 0, 1, 0}};
        },
        [](HeadMeasureBatch& batch) { batch.causal = Causal::top_left; },
        [](HeadMeasureBatch& batch) { batch.window = Window{0, 1}; },
        [](HeadMeasureBatch& batch) {
          batch.ignored_keys = xt::xtensor<std::uint8_t, 2>{{1, 0, 0, 1}, {0, 1, 0, 0}};
        }};
    for (const auto& set : masks) {
      const std::uint64_t seed = 10 * batches.size();
      const auto keys = randn<3>({2, 4, 6}, seed);
      batches.push_back({3 * randn<3>({2, 3, 6}, seed + 1), keys, keys});
      set(batches.back());
      cotangents.push_back(randn<3>({2, 3, 6}, seed + 2));
    }
  }

  /// Outputs and weights of a batch, with this gate of one head.
  [[nodiscard]] reference::Attention attention(std::size_t number, std::size_t head,
                                               float gate) const {
    const HeadMeasureBatch& batch = batches[number];
    Tensor<1> gates = full<1>({3}, 1);
    gates(head) = gate;
    return reference::multi_head_attention(options, parameters, batch.queries, batch.keys,
                                           batch.values,
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
    for (std::size_t number = 0; number < batches.size(); ++number) {
      const auto with = attention(number, head, 1).output;
      const auto without = attention(number, head, 0).output;
      for (std::size_t sample = 0; sample < 2; ++sample) {
        double difference = 0;
        for (std::size_t i = sample * 18; i < (sample + 1) * 18; ++i) {
          difference += (without.data()[i] - with.data()[i]) *
                        static_cast<double>(cotangents[number].data()[i]);
        }
        sum += of_gradients ? std::abs(difference) : difference;
      }
    }
    return sum / static_cast<double>(2 * batches.size());
  }

  /// Mean over queries that attend to something.
  [[nodiscard]] double mean_over_queries(bool of_entropy, std::size_t head) const {
    double sum = 0;
    double count = 0;
    for (std::size_t number = 0; number < batches.size(); ++number) {
      const auto weights = attention(number, head, 1).pooled.weights;
      const auto& ignored = batches[number].ignored_keys;
      for (std::size_t row = 0; row < 6; ++row) {
        double largest = 0;
        double entropy = 0;
        double mass = 0;
        for (std::size_t key = 0; key < weights.shape(3); ++key) {
          const double weight = weights(row / 3, head, row % 3, key);
          const bool is_taken = key < 4 && !(ignored && (*ignored)(row / 3, key) != 0);
          largest = is_taken ? std::fmax(largest, weight) : largest;
          entropy -= weight > 0 ? weight * std::log(weight) : 0;
          mass += weight;
        }
        sum += of_entropy ? entropy : largest;
        count += mass > 0 ? 1 : 0;
      }
    }
    return sum / count;
  }
};

TEST_CASE("Importance of a layer's heads is that of float64, whatever masks its batches have") {
  for (const bool slot : {false, true}) {
    CAPTURE(slot);
    const Problem problem(slot);
    const OutputLoss loss = linear_loss(problem.cotangents);
    const auto measured = [&](HeadMeasure measure) {
      return *measure_head_importance(problem.layer, problem.batches, {.measure = measure}, loss);
    };
    const auto gradient = measured(HeadMeasure::gradient);
    const auto ablation = measured(HeadMeasure::ablation);
    const auto confidence = measured(HeadMeasure::confidence);
    const auto entropy = measured(HeadMeasure::entropy);
    for (std::size_t head = 0; head < 3; ++head) {
      CHECK(std::abs(gradient(head) - problem.mean_of_losses(true, head)) <= 1e-5);
      CHECK(std::abs(ablation(head) - problem.mean_of_losses(false, head)) <= 1e-5);
      CHECK(std::abs(confidence(head) - problem.mean_over_queries(false, head)) <= 1e-6);
      CHECK(std::abs(entropy(head) - problem.mean_over_queries(true, head)) <= 1e-6);
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

}  // namespace
}  // namespace headwise::test
