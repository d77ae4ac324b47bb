#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <utility>

#include "oracle_case.hpp"

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

/// Samples [begin, end).
Tensor<3> samples(const Tensor<3>& tensor, std::size_t begin, std::size_t end) {
  auto result = Tensor<3>::from_shape({end - begin, tensor.shape(1), tensor.shape(2)});
  const std::size_t size = tensor.shape(1) * tensor.shape(2);
  std::copy_n(tensor.data() + begin * size, result.size(), result.data());
  return result;
}

TEST_CASE("Gradients and ablation agree with PyTorch's, however samples are batched") {
  for (const OracleCase& oracle : oracle_cases("head_importance", 1)) {
    MultiHeadAttention layer({.num_hiddens = 20, .num_heads = 5});
    layer.load_state_dict(oracle.parameters());
    for (const std::size_t first : {4, 3, 1}) {
      std::vector<HeadMeasureBatch> batches;
      std::vector<Tensor<3>> cotangents;
      const std::array<std::pair<std::size_t, std::size_t>, 2> parts = {{{0, first}, {first, 4}}};
      for (const auto& [begin, end] : parts) {
        const auto part = [&](const std::string& name) {
          return samples(oracle.tensor(name), begin, end);
        };
        batches.push_back({part("in.queries"), part("in.keys"), part("in.values")});
        cotangents.push_back(part("in.cotangent"));
      }
      const OutputLoss loss = linear_loss(cotangents);
      check_against_oracle(oracle, "out.importance",
                           *measure_head_importance(layer, batches, {}, loss));
      check_against_oracle(oracle, "out.importance_l2normalized",
                           *measure_head_importance(layer, batches, {.normalize = true}, loss));
      // The output is linear in the gates, so what a head adds is the mean of its gradients, signs
      // kept.
      auto ablation =
          *measure_head_importance(layer, batches, {.measure = HeadMeasure::ablation}, loss);
      for (float& number : ablation) {
        number = std::abs(number);
      }
      check_against_oracle(oracle, "out.decoy_abs_of_batch_mean", ablation);
    }
  }
}

TEST_CASE("Ablation is how much the loss grows without the head") {
  MultiHeadAttention layer({.num_hiddens = 6, .num_heads = 3, .seed = 1});
  const auto X = randn<3>({2, 5, 6}, 1);
  const auto loss = [](const Tensor<3>& output) { return product(output, output); };
  const auto ablation = *measure_head_importance(
      layer, {{X, X, X}}, {.measure = HeadMeasure::ablation},
      {.value = [&](std::size_t, const Tensor<3>& output) { return loss(output); }});
  const double all = loss(layer.forward(X, X, X).output);
  for (std::size_t head = 0; head < 3; ++head) {
    auto gate = full<1>({3}, 1);
    gate(head) = 0;
    const double without = loss(layer.forward(X, X, X, {.head_gate = gate}).output);
    CHECK(std::abs(ablation(head) - (without - all) / 2) <= 1e-5);
    CHECK(ablation(head) != 0);
  }
}

/// A layer that splits its input, whose weights are easily told.
MultiHeadAttention splitting_layer() {
  return MultiHeadAttention(
      {.num_hiddens = 4, .num_heads = 2, .projection = Projection::none, .scale = 1});
}

double entropy_of(std::initializer_list<double> weights) {
  double entropy = 0;
  for (const double weight : weights) {
    entropy -= weight * std::log(weight);
  }
  return entropy;
}

TEST_CASE("Confidence and entropy are means over the queries that see a key") {
  // Head 0 scores ln 3, 0, 0 and is uniform for its second query; head 1 is uniform always.
  const float ln_3 = std::log(3.0F);
  const Tensor<3> queries = {{{1, 0, 0, 0}, {0, 0, 0, 0}, {9, 9, 9, 9}}};
  const Tensor<3> keys = {{{ln_3, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}}};
  HeadMeasureBatch batch{queries, keys, keys};
  batch.valid_lens = LensByQuery{{3, 3, 0}};
  const MultiHeadAttention layer = splitting_layer();
  const auto measured = [&](HeadMeasure measure, const std::vector<HeadMeasureBatch>& batches) {
    return *measure_head_importance(layer, batches, {.measure = measure});
  };
  const auto confidence = measured(HeadMeasure::confidence, {batch});
  CHECK(std::abs(confidence(0) - (3.0 / 5 + 1.0 / 3) / 2) <= 1e-6);
  CHECK(std::abs(confidence(1) - 1.0 / 3) <= 1e-6);
  const auto entropy = measured(HeadMeasure::entropy, {batch});
  CHECK(std::abs(entropy(0) - (entropy_of({0.6, 0.2, 0.2}) + std::log(3.0)) / 2) <= 1e-6);
  CHECK(std::abs(entropy(1) - std::log(3.0)) <= 1e-6);

  // Another batch of one query counts as one query, not as a batch.
  const Tensor<3> query = {{{1, 0, 1, 0}}};
  HeadMeasureBatch second{query, keys, keys};
  second.valid_lens = LensBySample{1};
  CHECK(std::abs(measured(HeadMeasure::confidence, {batch, second})(1) - (1.0 / 3 * 2 + 1) / 3) <=
        1e-6);
  CHECK(std::abs(measured(HeadMeasure::entropy, {batch, second})(1) - std::log(3.0) * 2 / 3) <=
        1e-6);

  batch.ignored_keys = xt::xtensor<std::uint8_t, 2>{{1, 0, 0}};
  CHECK(std::abs(measured(HeadMeasure::confidence, {batch})(0) - (0.2 + 1.0 / 3) / 2) <= 1e-6);
  CHECK(max_difference(measured(HeadMeasure::entropy, {batch}), entropy) == 0);

  batch.valid_lens = LensBySample{0};
  CHECK(all_equal(measured(HeadMeasure::confidence, {batch}), 0));
  CHECK(all_equal(measured(HeadMeasure::entropy, {}), 0));
}

TEST_CASE("Masks, ignored keys and extra slots are those of the sample measured") {
  const auto X = randn<3>({2, 3, 4}, 1);
  const auto measured = [&](HeadMeasure measure, const MultiHeadAttention& layer, const auto& set) {
    HeadMeasureBatch batch{X, X, X};
    set(batch);
    return *measure_head_importance(
        layer, {batch}, {.measure = measure},
        {.value = [](std::size_t, const Tensor<3>& output) { return product(output, output); },
         .gradient = [](std::size_t, const Tensor<3>& output) { return output; }});
  };
  // Of queries that see themselves alone, entropy is 0.
  const MultiHeadAttention layer({.num_hiddens = 4, .num_heads = 2, .seed = 1});
  const auto none = [](HeadMeasureBatch&) {};
  const auto own_key = [](HeadMeasureBatch& batch) { batch.window = Window{0, 0}; };
  const auto entropy_with = [&](const auto& set) {
    return measured(HeadMeasure::entropy, layer, set);
  };
  CHECK(entropy_with(none)(0) > 0.5F);
  CHECK(all_equal(entropy_with(own_key), 0));
  CHECK(all_equal(entropy_with([](HeadMeasureBatch& batch) {
                    batch.mask = xt::xarray<bool>{
                        {true, false, false}, {true, false, false}, {false, false, true}};
                  }),
                  0));
  CHECK(all_equal(entropy_with([](HeadMeasureBatch& batch) {
                    batch.causal = Causal::top_left;
                    batch.window = Window{0, {}};
                  }),
                  0));
  // So are the passes masked that gradients and ablation are taken from.
  for (const HeadMeasure measure : {HeadMeasure::gradient, HeadMeasure::ablation}) {
    const auto masked = measured(measure, layer, own_key);
    CHECK(max_difference(masked, measured(measure, layer, none)) > 1e-3);
  }

  const MultiHeadAttention sure(
      {.num_hiddens = 4, .num_heads = 1, .projection = Projection::none, .scale = 100});
  const auto confidence_with = [&](const xt::xtensor<std::uint8_t, 2>& ignored) {
    return measured(HeadMeasure::confidence, sure, [&](HeadMeasureBatch& batch) {
      batch.window = Window{0, 0};
      batch.ignored_keys = ignored;
    })(0);
  };
  CHECK(confidence_with({{0, 0, 0}, {1, 1, 1}}) == 0.5F);
  CHECK(confidence_with({{0, 1, 1}, {1, 0, 1}}) == 2 / 6.0F);

  const MultiHeadAttention with_slot({.num_hiddens = 4, .num_heads = 2, .zero_attention = true});
  HeadMeasureBatch batch{X, X, X};
  batch.valid_lens = LensBySample{0, 0};  // so that all weight is on the slot
  const auto of_slots = [&](HeadMeasure measure) {
    return *measure_head_importance(with_slot, {batch}, {.measure = measure});
  };
  CHECK(all_equal(of_slots(HeadMeasure::confidence), 0));
  CHECK(all_equal(of_slots(HeadMeasure::entropy), 0));
}

TEST_CASE("Extra slots are no keys to be confident of, and belong to the entropy") {
  // Weights of one query of one head: two keys, a slot.
  const std::vector<float> weights = {0.25F, 0.25F, 0.5F};
  const WeightsSizes sizes{1, 1, 1, 2, 1};
  RowSum confidence;
  add_confidence(weights.data(), sizes, nullptr, &confidence);
  CHECK(confidence.mean() == 0.25);
  RowSum entropy;
  add_entropy(weights.data(), sizes, &entropy);
  CHECK(std::abs(entropy.mean() - entropy_of({0.25, 0.25, 0.5})) <= 1e-12);
  // NaN is told, not hidden.
  const std::vector<float> bad = {nan, nan, nan};
  add_confidence(bad.data(), sizes, nullptr, &confidence);
  add_entropy(bad.data(), sizes, &entropy);
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
  batch.ignored_keys = xt::xtensor<std::uint8_t, 2>{{1, 0, 0}};
  CHECK(error({.measure = HeadMeasure::confidence}) ==
        "invalid-shape; ignored_keys: expected (1, 2), got (1, 3)");
  CHECK(error_of([&] {
          return measure_head_importance(layer, {{X, X, randn<3>({1, 3, 6}, 1)}},
                                         {.measure = HeadMeasure::entropy});
        }).starts_with("invalid-shape; values: expected (1, 2, "));
}

}  // namespace
}  // namespace headwise::test
