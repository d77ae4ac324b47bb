#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "compare.hpp"
#include "model_reference.hpp"

/// What each measure gives for the heads of models, on every side, against float64.
namespace headwise::test {
namespace {

template <std::size_t Rank, typename Number>
xt::xtensor<Number, Rank> row_of(const xt::xtensor<Number, Rank>& rows, std::size_t row) {
  auto shape = rows.shape();
  shape[0] = 1;
  auto result = xt::xtensor<Number, Rank>::from_shape(shape);
  std::copy_n(rows.data() + row * result.size(), result.size(), result.data());
  return result;
}

ValidLens row_of(const ValidLens& lens, std::size_t row) {
  if (const auto* by_sample = std::get_if<LensBySample>(&lens)) {
    return LensBySample{(*by_sample)(row)};
  }
  const auto* by_query = std::get_if<LensByQuery>(&lens);
  return by_query == nullptr ? lens : row_of(*by_query, row);
}

Mask row_of(const Mask& key_mask, std::size_t row) {
  const auto* mask = std::get_if<xt::xarray<std::int64_t>>(&key_mask);
  return mask == nullptr ? Mask() : Mask(row_of(Tokens(*mask), row));
}

/// A model, its samples and, if its loss is one of hidden states, that loss: the product with
/// `cotangent`.
class Measured {
 public:
  explicit Measured(TransformerCall call)
      : call_(std::move(call)), model_(model_of(call_)), parameters_(model_.state_dict()) {
    for (const Side side : all_sides) {
      gates_of(call_.pass, side).clear();
    }
    cotangent_ = randn<3>(forward(model_, call_, call_.pass).hidden.shape(), 36);
  }

  [[nodiscard]] const std::vector<MultiHeadAttention>& layers(Side side) const {
    return model_.attention_layers(side);
  }
  [[nodiscard]] bool has_output_loss() const { return !call_.has_logits(); }

  [[nodiscard]] std::vector<ModelMeasureBatch> batches(bool by_sample) const {
    const TransformerForwardOptions& pass = call_.pass;
    if (!by_sample) {
      return {{.tokens = call_.tokens,
               .targets = has_output_loss() ? Tokens() : call_.targets,
               .pixels = call_.pixels,
               .valid_lens = pass.valid_lens,
               .key_mask = pass.key_mask,
               .segments = pass.segments,
               .source = pass.source,
               .source_valid_lens = pass.source_valid_lens,
               .source_key_mask = pass.source_key_mask}};
    }
    std::vector<ModelMeasureBatch> result;
    const ModelMeasureBatch all = batches(false).front();
    for (std::size_t row = 0; row < call_.batch(); ++row) {
      ModelMeasureBatch& batch = result.emplace_back();
      if (call_.has_images()) {
        batch.pixels = row_of(all.pixels, row);
      } else {
        batch.tokens = row_of(all.tokens, row);
        batch.targets = has_output_loss() ? Tokens() : row_of(all.targets, row);
      }
      batch.valid_lens = row_of(all.valid_lens, row);
      batch.source_valid_lens = row_of(all.source_valid_lens, row);
      batch.key_mask = row_of(all.key_mask, row);
      batch.source_key_mask = row_of(all.source_key_mask, row);
      batch.segments = all.segments ? std::optional(row_of(*all.segments, row)) : std::nullopt;
      batch.source = all.source ? std::optional(row_of(*all.source, row)) : std::nullopt;
    }
    return result;
  }

  [[nodiscard]] OutputLoss loss(bool by_sample) const {
    if (!has_output_loss()) {
      return {};
    }
    const auto cotangent_of = [this, by_sample](std::size_t batch) {
      return by_sample ? row_of(cotangent_, batch) : cotangent_;
    };
    return {.value =
                [=](std::size_t batch, const Tensor<3>& hidden) {
                  double sum = 0;
                  const Tensor<3> cotangent = cotangent_of(batch);
                  for (std::size_t i = 0; i < hidden.size(); ++i) {
                    sum += static_cast<double>(hidden.data()[i]) *
                           static_cast<double>(cotangent.data()[i]);
                  }
                  return sum;
                },
            .gradient = [=](std::size_t batch, const Tensor<3>&) { return cotangent_of(batch); }};
  }

  /// Each sample's loss, with this gate of a head in all samples.
  [[nodiscard]] std::vector<double> losses_with(Side side, std::size_t layer, std::size_t head,
                                                float gate) const {
    TransformerCall call = call_;
    std::vector<HeadGate>& gates = gates_of(call.pass, side);
    gates.resize(layers(side).size());
    Tensor<1> of_layer = full<1>({layers(side)[layer].num_heads()}, 1);
    of_layer(head) = gate;
    gates[layer] = of_layer;
    const auto output = reference::forward(call, parameters_);
    std::vector<double> losses;
    const std::size_t size = output.hidden.size() / call.batch();
    for (std::size_t row = 0; row < call.batch(); ++row) {
      losses.push_back(
          has_output_loss() ? 0 : reference::sum_of_losses(output.logits, call.targets, row));
      for (std::size_t i = row * size; has_output_loss() && i < (row + 1) * size; ++i) {
        losses.back() += output.hidden.data()[i] * static_cast<double>(cotangent_.data()[i]);
      }
    }
    return losses;
  }

  /// What losses are divided by: targets, or samples.
  [[nodiscard]] double count() const {
    const Tokens& targets = call_.targets;
    return static_cast<double>(
        has_output_loss() ? call_.batch()
                          : targets.size() - static_cast<std::size_t>(std::count(
                                                 targets.begin(), targets.end(), ignored_target)));
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

  [[nodiscard]] std::optional<std::vector<Tensor<1>>> importance(
      const HeadImportanceOptions& options, Side side, bool by_sample) const {
    return measure_head_importance(model_, batches(by_sample), options, side, loss(by_sample));
  }

 private:
  /// Queries in the padding, and those that see no key, are left out.
  [[nodiscard]] double mean_over_queries(HeadMeasure measure, Side side, std::size_t layer,
                                         std::size_t head) const {
    const auto output = reference::forward(call_, parameters_);
    const auto& weights = output.weights_of(side)[layer];
    const auto* lens = std::get_if<LensBySample>(
        side == Side::encoder ? &call_.pass.source_valid_lens : &call_.pass.valid_lens);
    const Mask& mask = side == Side::encoder ? call_.pass.source_key_mask : call_.pass.key_mask;
    double sum = 0;
    double count = 0;
    for (std::size_t row = 0; row < weights.shape(0); ++row) {
      const std::size_t end =
          lens == nullptr ? weights.shape(2) : static_cast<std::size_t>((*lens)(row));
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
    return count > 0 ? sum / count : 0;
  }

  TransformerCall call_;
  Transformer model_;
  StateDict parameters_;
  Tensor<3> cotangent_;
};

constexpr HeadMeasure all_measures[] = {HeadMeasure::gradient, HeadMeasure::ablation,
                                        HeadMeasure::confidence, HeadMeasure::entropy};

TEST_CASE("Importance of models' heads is that of float64, however samples are batched") {
  for (TransformerCall& call : all_calls(70)) {
    CAPTURE(call.name);
    if (call.options.weights != Precision::float32) {
      continue;
    }
    const Measured measured(std::move(call));
    for (const Side side : all_sides) {
      for (const HeadMeasure measure : all_measures) {
        CAPTURE(static_cast<int>(side), static_cast<int>(measure));
        if (measured.layers(side).empty()) {
          continue;
        }
        const auto whole = *measured.importance({.measure = measure}, side, false);
        const auto by_sample = *measured.importance({.measure = measure}, side, true);
        REQUIRE(whole.size() == measured.layers(side).size());
        for (std::size_t layer = 0; layer < whole.size(); ++layer) {
          REQUIRE(whole[layer].size() == measured.layers(side)[layer].num_heads());
          for (std::size_t head = 0; head < whole[layer].size(); ++head) {
            const double expected = measured.expected(measure, side, layer, head);
            const double tolerance = 1e-5 * std::fmax(1, std::abs(expected));
            CHECK(std::abs(whole[layer](head) - expected) <= tolerance);
            CHECK(std::abs(by_sample[layer](head) - expected) <= tolerance);
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
      {images, gradient, Side::self, no_gradient},
      {images, ablation, Side::self, no_value},
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
          return measure_head_importance(decoder, {batch}, {.measure = entropy, .normalize = true});
        }) == "invalid-option; normalize: expected measure 'gradient' beside it, got 'entropy'");
  CHECK(error_of([&] {
          return measure_head_importance(decoder, {{batch.tokens, random_tokens(1, 4, 1)}}, {});
        }) == "invalid-shape; targets: expected (2, 4), got (1, 4)");
}

}  // namespace
}  // namespace headwise::test
