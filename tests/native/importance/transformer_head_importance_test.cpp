#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "checkpoint.hpp"
#include "compare.hpp"
#include "small_transformers.hpp"

/// What each measure tells of the heads of whole transformers, on every side.
namespace headwise::test {
namespace {

/// A number for each head of each layer.
using HeadNumbers = std::vector<std::vector<double>>;

template <std::size_t Rank, typename Number>
xt::xtensor<Number, Rank> row_of(const xt::xtensor<Number, Rank>& rows, std::size_t row) {
  auto shape = rows.shape();
  shape[0] = 1;
  auto result = xt::xtensor<Number, Rank>::from_shape(shape);
  std::copy_n(rows.data() + row * result.size(), result.size(), result.data());
  return result;
}

ValidLens row_of(const ValidLens& lens, std::size_t row) {
  const auto* by_sample = std::get_if<LensBySample>(&lens);
  return by_sample == nullptr ? lens : ValidLens(LensBySample{(*by_sample)(row)});
}

std::vector<HeadGate>& gates_of(TransformerForwardOptions& options, Side side) {
  return side == Side::self    ? options.head_gates
         : side == Side::cross ? options.cross_head_gates
                               : options.encoder_head_gates;
}

const std::vector<Tensor<4>>& weights_of(const TransformerResult& result, Side side) {
  return side == Side::self    ? result.attention_weights
         : side == Side::cross ? result.cross_attention_weights
                               : result.encoder_attention_weights;
}

/// A checkpoint with both samples of its reference: of a model with logits, the next tokens are its
/// targets, of another sum(hidden · cotangent) is its loss.
struct Measured {
  Checkpoint checkpoint;
  Transformer model;
  ModelMeasureBatch batch;
  Tensor<3> cotangent;
  OutputLoss loss;

  explicit Measured(const std::string& name) : checkpoint(name), model(checkpoint.model()) {
    const TransformerForwardOptions options = checkpoint.options();
    batch.valid_lens = options.valid_lens;
    batch.segments = options.segments;
    batch.source = options.source;
    batch.source_valid_lens = options.source_valid_lens;
    if (checkpoint.has("in.pixels")) {
      batch.pixels = to_tensor<float, 4>(checkpoint.expected.at("in.pixels"));
    } else {
      batch.tokens = checkpoint.tokens(batch.source ? "in.target" : "in.tokens");
    }
    if (model.settings().head) {
      batch.targets = next_tokens();
      // As many as there are differs from sample to sample.
      batch.targets(1, 0) = batch.targets(1, 2) = ignored_target;
    } else {
      cotangent = to_tensor<float, 3>(checkpoint.expected.at("in.cotangent"));
      loss.value = [this](std::size_t, const Tensor<3>& hidden) {
        double sum = 0;
        for (std::size_t i = 0; i < hidden.size(); ++i) {
          sum += static_cast<double>(hidden.data()[i]) *
                 static_cast<double>(cotangent.data()[i % cotangent.size()]);
        }
        return sum;
      };
      loss.gradient = [this](std::size_t, const Tensor<3>&) { return cotangent; };
    }
  }
  Measured(const Measured&) = delete;
  Measured& operator=(const Measured&) = delete;
  Measured(Measured&&) = delete;
  Measured& operator=(Measured&&) = delete;
  ~Measured() = default;

  [[nodiscard]] Tokens next_tokens() const {
    Tokens targets = Tokens::from_shape(batch.tokens.shape());
    const std::size_t length = targets.shape(1);
    for (std::size_t row = 0; row < targets.shape(0); ++row) {
      const auto* lens = std::get_if<LensBySample>(&batch.valid_lens);
      const auto end = lens == nullptr ? length : static_cast<std::size_t>((*lens)(row));
      for (std::size_t i = 0; i < length; ++i) {
        targets(row, i) = i + 1 < end ? batch.tokens(row, i + 1) : ignored_target;
      }
    }
    return targets;
  }

  [[nodiscard]] std::size_t num_samples() const {
    return std::max<std::size_t>(batch.tokens.shape(0), batch.pixels.shape(0));
  }

  [[nodiscard]] ModelMeasureBatch sample(std::size_t row) const {
    ModelMeasureBatch result;
    if (model.settings().has_patches()) {
      result.pixels = row_of(batch.pixels, row);
    } else {
      result.tokens = row_of(batch.tokens, row);
    }
    if (model.settings().head) {
      result.targets = row_of(batch.targets, row);
    }
    result.valid_lens = row_of(batch.valid_lens, row);
    result.source_valid_lens = row_of(batch.source_valid_lens, row);
    if (batch.segments) {
      result.segments = row_of(*batch.segments, row);
    }
    if (batch.source) {
      result.source = row_of(*batch.source, row);
    }
    return result;
  }

  TransformerResult forward(const ModelMeasureBatch& given, TransformerForwardOptions options) {
    options.valid_lens = given.valid_lens;
    options.segments = given.segments;
    options.source = given.source;
    options.source_valid_lens = given.source_valid_lens;
    return model.settings().has_patches() ? model.forward(given.pixels, options)
                                          : model.forward(given.tokens, options);
  }

  /// What one sample adds to the loss with this gate, and to what it is divided by.
  std::pair<double, double> sum_with(std::size_t row, Side side, std::size_t layer,
                                     std::size_t head, float gate) {
    const ModelMeasureBatch given = sample(row);
    TransformerForwardOptions options;
    const auto& layers = model.attention_layers(side);
    gates_of(options, side).resize(layers.size());
    Tensor<1> gates = full<1>({layers[layer].num_heads()}, 1);
    gates(head) = gate;
    gates_of(options, side)[layer] = gates;
    const TransformerResult result = forward(given, options);
    if (!model.settings().head) {
      double sum = 0;
      for (std::size_t i = 0; i < result.hidden.size(); ++i) {
        sum += static_cast<double>(result.hidden.data()[i]) *
               static_cast<double>(cotangent.data()[row * result.hidden.size() + i]);
      }
      return {sum, 1};
    }
    double sum = 0;
    double count = 0;
    for (std::size_t i = 0; i < given.targets.size(); ++i) {
      if (given.targets(0, i) != ignored_target) {
        double normalizer = 0;
        for (std::size_t token = 0; token < result.logits.shape(2); ++token) {
          normalizer += std::exp(static_cast<double>(result.logits(0, i, token)));
        }
        const auto target = static_cast<std::size_t>(given.targets(0, i));
        sum += std::log(normalizer) - static_cast<double>(result.logits(0, i, target));
        count += 1;
      }
    }
    return {sum, count};
  }

  /// Σ over samples of `number_of(sample, layer, head)`, a pair of a number and what it counts for,
  /// over Σ of the latter.
  template <typename Function>
  HeadNumbers means(Side side, const Function& number_of) {
    HeadNumbers result;
    const auto& layers = model.attention_layers(side);
    for (std::size_t layer = 0; layer < layers.size(); ++layer) {
      result.emplace_back();
      for (std::size_t head = 0; head < layers[layer].num_heads(); ++head) {
        double sum = 0;
        double count = 0;
        for (std::size_t row = 0; row < num_samples(); ++row) {
          const auto [number, of_row] = number_of(row, layer, head);
          sum += number;
          count += of_row;
        }
        result.back().push_back(sum / count);
      }
    }
    return result;
  }

  [[nodiscard]] std::vector<Tensor<1>> importance(HeadMeasure measure, Side side,
                                                  bool by_sample = false) const {
    std::vector<ModelMeasureBatch> batches = {batch};
    OutputLoss given = loss;
    if (by_sample) {
      batches = {sample(0), sample(1)};
      if (loss.gradient) {
        given.value = [this](std::size_t row, const Tensor<3>& hidden) {
          double sum = 0;
          for (std::size_t i = 0; i < hidden.size(); ++i) {
            sum += static_cast<double>(hidden.data()[i]) *
                   static_cast<double>(cotangent.data()[row * hidden.size() + i]);
          }
          return sum;
        };
        given.gradient = [this](std::size_t row, const Tensor<3>&) {
          return row_of(cotangent, row);
        };
      }
    }
    return *measure_head_importance(model, batches, {.measure = measure}, side, given);
  }
};

double largest_of(const HeadNumbers& numbers) {
  double largest = 0;
  for (const auto& layer : numbers) {
    for (const double number : layer) {
      largest = std::fmax(largest, std::abs(number));
    }
  }
  return largest;
}

/// To a share of the largest.
void check_close(const std::vector<Tensor<1>>& got, const HeadNumbers& expected, double share) {
  REQUIRE(got.size() == expected.size());
  const double largest = largest_of(expected);
  CHECK(largest > 1e-3);
  for (std::size_t layer = 0; layer < got.size(); ++layer) {
    CHECK(max_difference(got[layer], expected[layer]) <= share * largest);
  }
}

/// For every side of every checkpoint.
template <typename Function>
void for_each_side(const Function& check) {
  std::size_t sides = 0;
  for (const std::string& name : checkpoint_names) {
    Measured measured(name);
    for (const Side side : {Side::self, Side::cross, Side::encoder}) {
      if (!measured.model.attention_layers(side).empty()) {
        INFO(name << ", side " << static_cast<int>(side));
        check(measured, side);
        ++sides;
      }
    }
  }
  // Eight families, two of which have three sides.
  CHECK(sides == 12);
}

TEST_CASE("Gradients of a transformer's heads are the slopes of each sample's loss") {
  for_each_side([](Measured& measured, Side side) {
    // Of fourth order: by two points alone, the curvature shows.
    constexpr float step = 0.015F;
    const auto slope = [&](std::size_t row, std::size_t layer, std::size_t head) {
      const auto difference = [&](float distance) {
        return measured.sum_with(row, side, layer, head, 1 + distance).first -
               measured.sum_with(row, side, layer, head, 1 - distance).first;
      };
      return std::pair(
          std::abs(8 * difference(step) - difference(2 * step)) / (12 * static_cast<double>(step)),
          measured.sum_with(row, side, layer, head, 1).second);
    };
    const HeadNumbers expected = measured.means(side, slope);
    check_close(measured.importance(HeadMeasure::gradient, side), expected, 1e-3);
    check_close(measured.importance(HeadMeasure::gradient, side, true), expected, 1e-3);
  });
}

TEST_CASE("Ablation of a transformer's heads is how much the loss grows at gate 0") {
  for_each_side([](Measured& measured, Side side) {
    const auto growth = [&](std::size_t row, std::size_t layer, std::size_t head) {
      const auto [without, count] = measured.sum_with(row, side, layer, head, 0);
      const auto [with, same] = measured.sum_with(row, side, layer, head, 1);
      return std::pair(without - with, count);
    };
    const HeadNumbers expected = measured.means(side, growth);
    check_close(measured.importance(HeadMeasure::ablation, side), expected, 1e-4);
    check_close(measured.importance(HeadMeasure::ablation, side, true), expected, 1e-4);
  });
}

TEST_CASE("Confidence and entropy of a transformer's heads leave padding out") {
  for_each_side([](Measured& measured, Side side) {
    const TransformerResult result = measured.forward(measured.batch, {.return_weights = true});
    const std::vector<Tensor<4>>& weights = weights_of(result, side);
    const ValidLens& lens =
        side == Side::encoder ? measured.batch.source_valid_lens : measured.batch.valid_lens;
    const auto* by_sample = std::get_if<LensBySample>(&lens);
    const auto over_queries = [&](const auto& number_of) {
      return [&, number_of](std::size_t row, std::size_t layer, std::size_t head) {
        const Tensor<4>& of_layer = weights[layer];
        const std::size_t end =
            by_sample == nullptr ? of_layer.shape(2) : static_cast<std::size_t>((*by_sample)(row));
        double sum = 0;
        for (std::size_t query = 0; query < end; ++query) {
          sum += number_of(&of_layer(row, head, query, 0), of_layer.shape(3));
        }
        return std::pair(sum, static_cast<double>(end));
      };
    };
    const auto largest = [](const float* row, std::size_t size) {
      return static_cast<double>(*std::max_element(row, row + size));
    };
    const auto entropy = [](const float* row, std::size_t size) {
      double sum = 0;
      for (std::size_t key = 0; key < size; ++key) {
        const auto weight = static_cast<double>(row[key]);
        sum -= weight > 0 ? weight * std::log(weight) : 0;
      }
      return sum;
    };
    const HeadNumbers confidence = measured.means(side, over_queries(largest));
    const HeadNumbers entropies = measured.means(side, over_queries(entropy));
    // Targets and losses are of no use for these.
    measured.batch.targets = {};
    measured.loss = {};
    check_close(measured.importance(HeadMeasure::confidence, side), confidence, 1e-6);
    check_close(measured.importance(HeadMeasure::entropy, side), entropies, 1e-6);
    measured.batch.targets = measured.model.settings().head ? measured.next_tokens() : Tokens();
  });
}

TEST_CASE("Padding is in some of these") {
  const Measured measured("marian-a");
  const auto* lens = std::get_if<LensBySample>(&measured.batch.source_valid_lens);
  REQUIRE(lens != nullptr);
  const auto shortest = static_cast<std::size_t>(*std::ranges::min_element(*lens));
  CHECK(shortest < measured.batch.source->shape(1));
}

TEST_CASE("An attention-only transformer's heads are measured as a transformer's") {
  const AttentionOnlyTransformerOptions options{.vocabulary_size = vocabulary_size,
                                                .max_length = 6,
                                                .num_hiddens = 6,
                                                .num_heads = 3,
                                                .num_layers = 2,
                                                .layer_norm = true,
                                                .seed = 1};
  const AttentionOnlyTransformer model(options);
  Transformer same(transformer_options_of(options));
  same.load_state_dict(model.state_dict());
  const std::vector<ModelMeasureBatch> batches = {{random_tokens(3, 6, 1), random_tokens(3, 6, 2)},
                                                  {random_tokens(1, 4, 3), random_tokens(1, 4, 4)}};
  for (const HeadMeasure measure : {HeadMeasure::gradient, HeadMeasure::ablation,
                                    HeadMeasure::confidence, HeadMeasure::entropy}) {
    const auto expected = measure_head_importance(model, batches, {.measure = measure});
    CHECK(measure_head_importance(same, batches, {.measure = measure}) == expected);
  }
}

TEST_CASE("A measured transformer stays as it was") {
  Measured measured("marian-a");
  Transformer& model = measured.model;
  TransformerForwardOptions options;
  options.source = measured.batch.source;
  options.requires_grad = true;
  const Tensor<3> hidden = model.forward(measured.batch.tokens, options).hidden;
  Transformer twin = model.copy();
  twin.forward(measured.batch.tokens, options);
  for (const Side side : {Side::self, Side::cross, Side::encoder}) {
    static_cast<void>(measured.importance(HeadMeasure::gradient, side));
    static_cast<void>(measured.importance(HeadMeasure::ablation, side));
  }
  // The pending backward, too.
  model.backward(hidden);
  twin.backward(hidden);
  for (const auto& [name, gradient] : model.gradients()) {
    INFO(name);
    CHECK(gradient == twin.gradients().at(name));
  }
}

TEST_CASE("What a transformer cannot be measured by is an error") {
  const Measured gpt2("gpt2-a");
  const Measured bert("bert-a");
  const Measured vit("vit-a");
  const Measured marian("marian-a");
  const auto error_with = [](const Measured& measured, HeadMeasure measure, Side side,
                             const OutputLoss& loss = {}) {
    return error_of([&] {
      return measure_head_importance(measured.model, {measured.batch}, {.measure = measure}, side,
                                     loss);
    });
  };
  using enum HeadMeasure;
  CHECK(error_with(gpt2, gradient, Side::cross) ==
        "invalid-option; side: expected 'self' for a model without an encoder, got 'cross'");
  CHECK(error_with(bert, entropy, Side::encoder) ==
        "invalid-option; side: expected 'self' for a model without an encoder, got 'encoder'");
  for (const Measured* measured : {&bert, &vit}) {
    CHECK(error_with(*measured, gradient, Side::self) ==
          "invalid-option; loss: expected its gradient beside measure 'gradient', got none");
    CHECK(error_with(*measured, ablation, Side::self) ==
          "invalid-option; loss: expected its value beside measure 'ablation', got none");
    CHECK(error_with(*measured, entropy, Side::self) == "no error");
  }
  CHECK(error_with(gpt2, gradient, Side::self, {.value = bert.loss.value, .gradient = {}}) ==
        "invalid-option; loss: expected its gradient beside measure 'gradient', got none");
  ModelMeasureBatch without_source = marian.batch;
  without_source.source.reset();
  without_source.source_valid_lens = {};
  CHECK(error_of([&] { return measure_head_importance(marian.model, {without_source}, {}); }) ==
        "invalid-option; source: expected the encoder's tokens, got none");
}

}  // namespace
}  // namespace headwise::test
