#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <utility>
#include <vector>

#include "compare.hpp"
#include "files.hpp"
#include "model_check.hpp"

// Every pass of small models of all options, and of models whose options are drawn at random,
// against the same in float64.
namespace headwise::test {
namespace {

constexpr std::size_t random_models = 150;

TEST_CASE("Results, weights and captures of models are those of float64") {
  for (const TransformerCall& call : all_calls(random_models)) {
    CAPTURE(call.name);
    Transformer model = model_of(call);
    const auto expected = reference::forward(call, model.state_dict());
    const double share = share_of(call);
    TransformerForwardOptions pass = call.pass;
    const TransformerResult plain = forward(model, call, pass);
    check_close(plain.hidden, expected.hidden, share);
    check_close(plain.logits, expected.logits, share);
    CHECK(plain.logits.shape(2) == (call.has_logits() ? vocabulary_size : 0));
    REQUIRE(plain.encoder_hidden.has_value() == call.options.encoder.has_value());
    if (plain.encoder_hidden) {
      check_close(*plain.encoder_hidden, expected.encoder_hidden, share);
    }
    if (call.has_logits()) {
      const double loss = model.loss(call.tokens, call.targets, call.pass);
      CHECK(std::abs(loss - reference::mean_loss(expected.logits, call.targets)) <= 2 * share);
    }

    pass.return_weights = true;
    const TransformerResult all = forward(model, call, pass);
    check_close(all.hidden, expected.hidden, share);
    Random random(call.batch());
    const std::vector<std::int64_t> heads =
        some_below(random, static_cast<std::size_t>(call.options.num_heads));
    const std::vector<std::int64_t> queries = some_below(random, plain.hidden.shape(1));
    pass.return_weights = ReturnedWeights(heads, queries);
    const TransformerResult chosen = forward(model, call, pass);
    check_close(chosen.hidden, expected.hidden, share);
    pass.return_weights = ReturnedWeights::last_query();
    const TransformerResult last = forward(model, call, pass);
    for (const Side side : all_sides) {
      CAPTURE(static_cast<int>(side));
      const auto& weights = weights_of(all, side);
      const auto& expected_weights = expected.weights_of(side);
      CHECK(weights_of(plain, side).empty());
      REQUIRE(weights.size() == expected_weights.size());
      REQUIRE(model.attention_layers(side).size() == expected_weights.size());
      for (std::size_t layer = 0; layer < weights.size(); ++layer) {
        check_close(weights[layer], expected_weights[layer], share);
        if (side == Side::encoder) {
          check_close(weights_of(chosen, side)[layer], expected_weights[layer], share);
          continue;
        }
        check_close(weights_of(chosen, side)[layer],
                    rows_of(expected_weights[layer], heads, queries), share);
        check_close(weights_of(last, side)[layer],
                    rows_of(expected_weights[layer], first_of(weights[layer].shape(1)),
                            {static_cast<std::int64_t>(plain.hidden.shape(1)) - 1}),
                    share);
      }
    }
  }
}

/// The largest difference of rows from those of the whole that begin at `begin`; columns beyond
/// those of the rows must be 0.
template <typename Rows, typename Whole>
double difference_from(const Rows& rows, const Whole& whole, std::size_t begin) {
  const std::size_t axis = rows.dimension() - 2;
  const std::size_t length = rows.shape(axis);
  const std::size_t size = rows.shape(axis + 1);
  double largest = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::size_t outer = i / size / length;
    const std::size_t row = outer * whole.shape(axis) + begin + i / size % length;
    const double expected = whole.data()[row * whole.shape(axis + 1) + i % size];
    largest = std::fmax(largest, std::abs(static_cast<double>(rows.data()[i]) - expected));
  }
  return largest;
}

TEST_CASE("Chunks of any sizes with a cache give what float64 gives for the whole") {
  for (const TransformerCall& call : all_calls(random_models)) {
    if (!call.options.causal || call.has_images()) {
      continue;
    }
    CAPTURE(call.name);
    Random random(call.tokens.size());
    Transformer model = model_of(call);
    const auto expected = reference::forward(call, model.state_dict());
    const std::size_t length = call.tokens.shape(1);
    const Tokens others = random_tokens(call.batch(), length, 17);
    TransformerForwardOptions whole = call.pass;
    whole.return_weights = true;
    for (const Precision precision : {Precision::float32, Precision::float16}) {
      const double share = precision == Precision::float32 ? share_of(call) : 2e-3;
      const double largest = std::fmax(1, largest_magnitude(expected.hidden));
      ModelCache cache = model.create_cache({.batch_size = static_cast<std::int64_t>(call.batch()),
                                             .max_length = static_cast<std::int64_t>(length),
                                             .precision = precision});
      const auto read = [&](const Tokens& tokens, std::size_t begin, std::size_t end) {
        return model.forward(columns(tokens, begin, end), part_of(whole, begin, end, cache));
      };
      // A reset forgets the source, too.
      static_cast<void>(read(others, 0, length));
      cache.reset();
      CHECK_FALSE(cache.memory().has_source);
      for (std::size_t begin = 0; begin < length;) {
        CHECK(cache.length() == begin);
        if (random.chance(0.3)) {
          // Other tokens must leave no trace in what is truncated or was copied before.
          const ModelCache copy = cache;
          static_cast<void>(read(others, begin, length));
          CHECK(cache.length() == length);
          random.chance(0.5) || begin == 0
              ? cache = copy
              : (cache.truncate(static_cast<std::int64_t>(begin)), cache);
        }
        const std::size_t end = std::min(length, begin + random.below(4));
        const bool has_source = cache.memory().has_source;
        const TransformerResult part = read(call.tokens, begin, end);
        CHECK(part.encoder_hidden.has_value() == (call.options.encoder && !has_source));
        CHECK(difference_from(part.hidden, expected.hidden, begin) <= share * largest);
        if (call.has_logits()) {
          CHECK(difference_from(part.logits, expected.logits, begin) <=
                share * std::fmax(1, largest_magnitude(expected.logits)));
        }
        for (const Side side : {Side::self, Side::cross}) {
          REQUIRE(weights_of(part, side).size() == expected.weights_of(side).size());
          for (std::size_t layer = 0; layer < weights_of(part, side).size(); ++layer) {
            CHECK(difference_from(weights_of(part, side)[layer], expected.weights_of(side)[layer],
                                  begin) <= share);
          }
        }
        begin = end;
      }
    }
  }
}

/// What a call's gradients are of: the loss, or a sum of products with hidden states and logits.
struct Objective {
  bool of_loss;
  Tensor<3> hidden;
  Tensor<3> logits;

  [[nodiscard]] double value(const TransformerCall& call, const StateDict& parameters) const {
    const auto output = reference::forward(call, parameters);
    if (of_loss) {
      return reference::mean_loss(output.logits, call.targets);
    }
    double sum = 0;
    for (std::size_t i = 0; i < hidden.size(); ++i) {
      sum += static_cast<double>(hidden.data()[i]) * output.hidden.data()[i];
    }
    for (std::size_t i = 0; i < logits.size(); ++i) {
      sum += static_cast<double>(logits.data()[i]) * output.logits.data()[i];
    }
    return sum;
  }

  TransformerGradients gradients(const TransformerCall& call, Transformer& model) const {
    if (of_loss) {
      auto result = model.loss_and_gradients(call.tokens, call.targets, call.pass);
      return {.head_gates = std::move(result.head_gates),
              .cross_head_gates = std::move(result.cross_head_gates),
              .encoder_head_gates = std::move(result.encoder_head_gates)};
    }
    TransformerForwardOptions pass = call.pass;
    pass.requires_grad = true;
    static_cast<void>(forward(model, call, pass));
    return model.backward(
        {.hidden = hidden, .logits = logits.size() > 0 ? std::optional(logits) : std::nullopt});
  }
};

TEST_CASE("Gradients are the slopes of the objective in float64") {
  for (const TransformerCall& given : all_calls(random_models)) {
    CAPTURE(given.name);
    Transformer model = model_of(given);
    TransformerCall call = with_all_gates(given, model);
    const TransformerResult result = forward(model, call, call.pass);
    const Objective objective{.of_loss = call.has_logits() && call.batch() % 2 == 1,
                              .hidden = randn<3>(result.hidden.shape(), 36),
                              .logits = randn<3>(result.logits.shape(), 37)};
    // Gradients of gates and images are also those of models that cannot be trained.
    TransformerGradients inputs = objective.gradients(given, model);
    StateDict parameters = model.state_dict();
    const StateDict gradients = model.gradients();
    CHECK(gradients.size() == parameters.size());
    const bool is_rounded = call.options.weights != Precision::float32;
    double scale = is_rounded ? 100 : 1;
    for (const auto& [name, gradient] : gradients) {
      scale = std::fmax(scale, largest_magnitude(gradient));
    }
    const auto value = [&] { return objective.value(call, parameters); };
    std::uint64_t seed = 1;
    for (const auto& [name, gradient] : gradients) {
      CAPTURE(name);
      CHECK(gradient.shape() == parameters.at(name).shape());
      if (!is_rounded) {
        check_slope(gradient, parameters.at(name), ++seed, scale, value);
      }
    }
    for (const auto& [side, of_side] : {std::pair(Side::self, &inputs.head_gates),
                                        std::pair(Side::cross, &inputs.cross_head_gates),
                                        std::pair(Side::encoder, &inputs.encoder_head_gates)}) {
      for (std::size_t layer = 0; layer < of_side->size(); ++layer) {
        CAPTURE(static_cast<int>(side), layer);
        check_slope((*of_side)[layer], *gates_of(call.pass, side)[layer], ++seed, scale, value);
      }
    }
    CHECK(inputs.pixels.has_value() == call.has_images());
    if (inputs.pixels) {
      check_slope(*inputs.pixels, call.pixels, ++seed, scale, value);
    }
  }
}

}  // namespace
}  // namespace headwise::test
