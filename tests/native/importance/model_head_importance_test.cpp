#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "compare.hpp"
#include "model_reference.hpp"

/// What each measure gives for the heads of models, on every side, against float64.
namespace headwise::test {
namespace {

/// A model, batches of samples and, if its loss is one of hidden states, that loss: the product
/// with a batch's cotangent.
class Measured {
 public:
  explicit Measured(const SmallTransformer& small, std::uint64_t seed)
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
    const OutputLoss loss{
        .value = [this](
                     std::size_t batch,
                     const Tensor<3>& hidden) { return product(batch, hidden, 0, hidden.size()); },
        .gradient = [this](std::size_t batch, const Tensor<3>&) { return cotangents_[batch]; }};
    return *measure_head_importance(model_, batches, {.measure = measure}, side,
                                    has_output_loss() ? loss : OutputLoss());
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
    double sum = 0;
    double count = 0;
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
          double mass = 0;
          double largest = 0;
          double entropy = 0;
          for (std::size_t key = 0; key < weights.shape(3); ++key) {
            const double weight = weights(row, head, query, key);
            mass += weight;
            largest = std::fmax(largest, weight);
            entropy -= weight > 0 ? weight * std::log(weight) : 0;
          }
          sum += measure == HeadMeasure::confidence ? largest : entropy;
          count += mass > 0 ? 1 : 0;
        }
      }
    }
    return count > 0 ? sum / count : 0;
  }

  std::vector<TransformerCall> calls_;
  Transformer model_;
  StateDict parameters_;
  std::vector<Tensor<3>> cotangents_;
};

constexpr HeadMeasure all_measures[] = {HeadMeasure::gradient, HeadMeasure::ablation,
                                        HeadMeasure::confidence, HeadMeasure::entropy};

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
    const Measured measured(small, static_cast<std::uint64_t>(&small - models.data()));
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
