#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <utility>
#include <vector>

#include "compare.hpp"

/// What each measure tells of a model's heads.
namespace headwise::test {
namespace {

/// Two layers, of three heads and of one.
AttentionOnlyTransformer uneven_model(double dropout = 0) {
  AttentionOnlyTransformer model({.vocabulary_size = 5,
                                  .max_length = 6,
                                  .num_hiddens = 6,
                                  .num_heads = 3,
                                  .num_layers = 2,
                                  .layer_norm = true,
                                  .dropout = dropout,
                                  .seed = 1});
  model.layer(1).prune_heads({0, 2});
  return model;
}

const Tokens& all_tokens() {
  static const Tokens tokens = {{0, 1, 2, 3}, {4, 4, 0, 1}, {2, 0, 2, 1}};
  return tokens;
}

/// As many as there are differs from sample to sample.
const Tokens& all_targets() {
  static const Tokens targets = {{1, 2, 3, 4}, {-1, -1, -1, 2}, {-1, 2, -1, 0}};
  return targets;
}

constexpr double all_asked = 7;

Tokens rows(const Tokens& tokens, std::size_t begin, std::size_t end) {
  Tokens result = Tokens::from_shape({end - begin, tokens.shape(1)});
  std::copy_n(tokens.data() + begin * tokens.shape(1), result.size(), result.data());
  return result;
}

ModelMeasureBatch batch_of(std::size_t begin, std::size_t end) {
  return {rows(all_tokens(), begin, end), rows(all_targets(), begin, end)};
}

/// The same three samples, cut into batches in several ways.
std::vector<std::vector<ModelMeasureBatch>> all_batches() {
  return {{batch_of(0, 3)},
          {batch_of(0, 1), batch_of(1, 3)},
          {batch_of(0, 1), batch_of(1, 2), batch_of(2, 3)}};
}

void check_same(const std::vector<Tensor<1>>& got, const std::vector<std::vector<double>>& expected,
                double tolerance) {
  REQUIRE(got.size() == expected.size());
  for (std::size_t layer = 0; layer < got.size(); ++layer) {
    CHECK(max_difference(got[layer], expected[layer]) <= tolerance);
  }
}

TEST_CASE("Gradients of a model are those of every sample alone, however samples are batched") {
  const AttentionOnlyTransformer model = uneven_model();
  std::vector<std::vector<double>> expected = {{0, 0, 0}, {0}};
  AttentionOnlyTransformer alone = model.copy();
  constexpr std::array<double, 3> asked = {4, 1, 2};
  for (std::size_t sample = 0; sample < asked.size(); ++sample) {
    const auto [tokens, targets] = batch_of(sample, sample + 1);
    const auto gates = alone.loss_and_gradients(tokens, targets).head_gates;
    for (std::size_t layer = 0; layer < gates.size(); ++layer) {
      for (std::size_t head = 0; head < gates[layer].size(); ++head) {
        expected[layer][head] +=
            std::abs(static_cast<double>(gates[layer](0, head))) * asked.at(sample) / all_asked;
      }
    }
  }
  for (const auto& batches : all_batches()) {
    check_same(*measure_head_importance(model, batches, {}), expected, 1e-6);
  }
  const double norm = std::hypot(expected[0][0], expected[0][1], expected[0][2]);
  for (double& number : expected[0]) {
    number /= norm;
  }
  expected[1][0] = 1;
  check_same(*measure_head_importance(model, all_batches()[1], {.normalize = true}), expected,
             1e-5);
}

TEST_CASE("Ablation of a model is how much its loss grows, however samples are batched") {
  const AttentionOnlyTransformer model = uneven_model();
  AttentionOnlyTransformer other = model.copy();
  const auto loss_without = [&](std::size_t layer, std::size_t head) {
    std::vector<Tensor<1>> gates = {full<1>({3}, 1), full<1>({1}, 1)};
    gates[layer](head) = 0;
    return other.loss(all_tokens(), all_targets(), {.head_gates = {gates[0], gates[1]}});
  };
  const double loss = other.loss(all_tokens(), all_targets());
  const std::vector<std::vector<double>> expected = {
      {loss_without(0, 0) - loss, loss_without(0, 1) - loss, loss_without(0, 2) - loss},
      {loss_without(1, 0) - loss}};
  for (const auto& batches : all_batches()) {
    check_same(*measure_head_importance(model, batches, {.measure = HeadMeasure::ablation}),
               expected, 2e-6);
  }
}

TEST_CASE("Confidence and entropy of a model are those of its weights, and need no targets") {
  const AttentionOnlyTransformer model = uneven_model();
  const auto weights =
      model.copy().forward(all_tokens(), {.return_weights = true}).attention_weights;
  std::vector<std::vector<double>> confidence;
  std::vector<std::vector<double>> entropy;
  for (const Tensor<4>& of_layer : weights) {
    std::vector<RowSum> largest(of_layer.shape(1));
    std::vector<RowSum> entropies(of_layer.shape(1));
    const WeightsSizes sizes{3, of_layer.shape(1), 4, 4};
    add_confidence(of_layer.data(), sizes, nullptr, largest.data());
    add_entropy(of_layer.data(), sizes, entropies.data());
    const auto means = [](const std::vector<RowSum>& sums) {
      std::vector<double> result;
      std::ranges::transform(sums, std::back_inserter(result), &RowSum::mean);
      return result;
    };
    confidence.push_back(means(largest));
    entropy.push_back(means(entropies));
  }
  const std::vector<ModelMeasureBatch> batches = {{rows(all_tokens(), 0, 1)},
                                                  {rows(all_tokens(), 1, 3)}};
  check_same(*measure_head_importance(model, batches, {.measure = HeadMeasure::confidence}),
             confidence, 1e-6);
  check_same(*measure_head_importance(model, batches, {.measure = HeadMeasure::entropy}), entropy,
             1e-6);
}

TEST_CASE("A measured model stays as it was, and is measured without dropout") {
  AttentionOnlyTransformer model = uneven_model(0.5);
  model.train();
  model.loss_and_gradients(all_tokens(), all_targets());
  AttentionOnlyTransformer twin = model.copy();
  for (const HeadMeasure measure :
       {HeadMeasure::gradient, HeadMeasure::ablation, HeadMeasure::entropy}) {
    const auto first = *measure_head_importance(model, {batch_of(0, 3)}, {.measure = measure});
    const auto again = *measure_head_importance(model, {batch_of(0, 3)}, {.measure = measure});
    CHECK(first == again);
  }
  CHECK(model.training());
  for (const auto& [name, gradient] : model.gradients()) {
    CAPTURE(name);
    CHECK(max_difference(gradient, twin.gradients().at(name)) == 0);
  }
  CHECK(model.train_step(all_tokens(), all_targets()) ==
        twin.train_step(all_tokens(), all_targets()));
}

TEST_CASE("A copied model trains as the first did from its beginning, and alone") {
  AttentionOnlyTransformer model({.vocabulary_size = 5,
                                  .max_length = 4,
                                  .num_hiddens = 4,
                                  .num_heads = 2,
                                  .seed = 1,
                                  .optimizer = {.learning_rate = 0.5}});
  model.optimizer().set_learning_rate(0.25);
  AttentionOnlyTransformer copy = model.copy();
  const StateDict before = model.state_dict();
  copy.train_step(all_tokens(), all_targets());
  CHECK(max_difference(model.state_dict().at("embedding.weight"), before.at("embedding.weight")) ==
        0);
  model.train_step(all_tokens(), all_targets());
  for (const auto& [name, tensor] : model.state_dict()) {
    CAPTURE(name);
    CHECK(max_difference(copy.state_dict().at(name), tensor) == 0);
  }
}

TEST_CASE("Stopping gives nothing, and what cannot be measured is an error") {
  const AttentionOnlyTransformer model = uneven_model();
  std::size_t passes = 0;
  HeadImportanceOptions options{.measure = HeadMeasure::ablation};
  options.progress = [&](std::size_t done, std::size_t total) {
    CHECK(done == ++passes);
    CHECK(total == std::size_t{2} * (1 + 4));
  };
  options.stop = [&] { return passes == 7; };
  CHECK_FALSE(measure_head_importance(model, {batch_of(0, 1), batch_of(1, 3)}, options));
  CHECK(passes == 7);
  CHECK(error_of([&] {
          return measure_head_importance(model, {{all_tokens(), rows(all_targets(), 0, 1)}}, {});
        }) == "invalid-shape; targets: expected (3, 4), got (1, 4)");
  CHECK(error_of([&] {
          return measure_head_importance(model, {},
                                         {.measure = HeadMeasure::confidence, .normalize = true});
        }) == "invalid-option; normalize: expected measure 'gradient' beside it, got 'confidence'");
}

}  // namespace
}  // namespace headwise::test
