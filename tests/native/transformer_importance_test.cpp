#include <catch2/catch_test_macros.hpp>
#include <cmath>

#include "compare.hpp"

/// Importance of the heads of a whole model, whose layers need not have the same number of them.
namespace headwise::test {
namespace {

AttentionOnlyTransformer pruned_model(double dropout = 0) {
  AttentionOnlyTransformer model({.vocabulary_size = 7,
                                  .max_length = 6,
                                  .num_hiddens = 12,
                                  .num_heads = 3,
                                  .num_layers = 2,
                                  .dropout = dropout,
                                  .seed = 1});
  model.layer(0).prune_heads({1});
  return model;
}

/// Three sequences and one, with targets here and there.
std::vector<TransformerBatch> batches() {
  return {{.tokens = {{0, 1, 2, 3}, {4, 5, 6, 0}, {1, 3, 5, 1}},
           .targets = {{-1, 0, 1, 2}, {-1, -1, 5, 6}, {2, -1, 4, 0}}},
          {.tokens = {{6, 6, 2, 1, 0, 3}}, .targets = {{1, -1, -1, 4, -1, -1}}}};
}

std::vector<Tensor<1>> measured(AttentionOnlyTransformer& model, HeadMeasure measure,
                                const std::vector<TransformerBatch>& given = batches()) {
  return *measure_head_importance(model, given, {.measure = measure});
}

TEST_CASE("Gradients of a model's gates are averaged over samples, signs aside") {
  AttentionOnlyTransformer model = pruned_model();
  const auto importance = measured(model, HeadMeasure::gradient);
  std::vector<std::vector<double>> expected = {{0, 0}, {0, 0, 0}};
  for (const auto& [tokens, targets] : batches()) {
    const auto gates = model.loss_and_gradients(tokens, targets).head_gates;
    const auto samples = static_cast<double>(tokens.shape(0));
    for (std::size_t layer = 0; layer < 2; ++layer) {
      for (std::size_t i = 0; i < gates[layer].size(); ++i) {
        expected[layer][i % expected[layer].size()] +=
            samples * std::abs(static_cast<double>(gates[layer].data()[i])) / 4;
      }
    }
  }
  for (std::size_t layer = 0; layer < 2; ++layer) {
    CHECK(max_difference(importance[layer], expected[layer]) <= 1e-6);
  }
}

TEST_CASE("Ablation of a model's head is how much the loss grows without it") {
  AttentionOnlyTransformer model = pruned_model();
  const auto importance = measured(model, HeadMeasure::ablation);
  REQUIRE(importance.size() == 2);
  for (std::size_t layer = 0; layer < 2; ++layer) {
    REQUIRE(importance[layer].size() == model.layer(layer).num_heads());
    for (std::size_t head = 0; head < importance[layer].size(); ++head) {
      std::vector<HeadGate> gates(2);
      auto gate = full<1>({importance[layer].size()}, 1);
      gate(head) = 0;
      gates[layer] = gate;
      double difference = 0;
      for (const auto& [tokens, targets] : batches()) {
        difference +=
            static_cast<double>(tokens.shape(0)) *
            (model.loss(tokens, targets, {.head_gates = gates}) - model.loss(tokens, targets));
      }
      CHECK(std::abs(importance[layer](head) - difference / 4) <= 1e-6);
    }
  }
}

TEST_CASE("Confidence and entropy are read off the weights of each layer") {
  AttentionOnlyTransformer model = pruned_model();
  const TransformerBatch batch = batches().front();
  const auto weights = model.forward(batch.tokens, {.return_weights = true}).attention_weights;
  const auto confidence = measured(model, HeadMeasure::confidence, {batch});
  const auto entropy = measured(model, HeadMeasure::entropy, {batch});
  for (std::size_t layer = 0; layer < 2; ++layer) {
    const std::size_t heads = model.layer(layer).num_heads();
    std::vector<RowSum> largest(heads);
    std::vector<RowSum> entropies(heads);
    const WeightsSizes sizes{.batch = 3, .num_heads = heads, .num_queries = 4, .num_keys = 4};
    add_confidence(weights[layer].data(), sizes, nullptr, largest.data());
    add_entropy(weights[layer].data(), sizes, entropies.data());
    for (std::size_t head = 0; head < heads; ++head) {
      CHECK(std::abs(confidence[layer](head) - largest[head].mean()) <= 1e-6);
      CHECK(std::abs(entropy[layer](head) - entropies[head].mean()) <= 1e-6);
    }
  }
}

TEST_CASE("A measured model stays as it was, and is measured without dropout") {
  AttentionOnlyTransformer model = pruned_model(0.5);
  AttentionOnlyTransformer plain = pruned_model();
  for (const HeadMeasure measure : {HeadMeasure::gradient, HeadMeasure::ablation}) {
    const auto expected = measured(plain, measure);
    model.train();
    const auto importance = measured(model, measure);
    CHECK(max_difference(importance[0], expected[0]) == 0);
    CHECK(model.training());
  }
  for (const auto& [name, gradient] : model.gradients()) {
    CHECK(all_equal(gradient, 0));
  }
  const TransformerBatch batch = batches().front();
  model.loss_and_gradients(batch.tokens, batch.targets);
  const StateDict gradients = model.gradients();
  model.eval();
  measured(model, HeadMeasure::gradient);
  CHECK_FALSE(model.training());
  for (const auto& [name, gradient] : model.gradients()) {
    CAPTURE(name);
    CHECK(max_difference(gradient, gradients.at(name)) == 0);
  }
}

TEST_CASE("Batches that do not fit the model are told before any is measured") {
  AttentionOnlyTransformer model = pruned_model();
  std::vector<TransformerBatch> bad = batches();
  bad.back().targets = {{1, -1, -1}};
  HeadImportanceOptions options;
  options.progress = [](std::size_t, std::size_t) { FAIL("a batch was measured"); };
  CHECK(error_of([&] { return measure_head_importance(model, bad, options); }) ==
        "invalid-shape; targets: expected (1, 6), got (1, 3)");
  bad.back() = {.tokens = {{7}}, .targets = {{0}}};
  CHECK(error_of([&] { return measure_head_importance(model, bad, options); }) ==
        "invalid-value; tokens: expected integers from 0 to 6, got 7");
}

}  // namespace
}  // namespace headwise::test
