#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <utility>
#include <vector>

#include "activations.hpp"
#include "compare.hpp"

// Every pass of small models of all options, and of models whose options are drawn at random,
// against the same in float64.
namespace headwise::test {
namespace {

constexpr std::size_t random_models = 150;
const std::size_t num_cases = small_transformers().size() + random_models + 1;

using Expected = std::map<Place, reference::Doubles<4>>;

/// A random model, often with pruned heads, and a call, perhaps with embeddings in place of tokens.
struct Case {
  TransformerCall call;
  Transformer model;
  Random random;
};

Case case_of(std::size_t number) {
  static const std::vector<TransformerCall> calls = [] {
    std::vector<TransformerCall> all = all_calls(random_models);
    // Several blocks of queries and keys.
    SmallTransformer large = small_transformer("gated silu without biases");
    large.options.max_length = 150;
    all.push_back({.name = "long", .options = large.options, .tokens = random_tokens(2, 140, 1)});
    all.back().targets = random_tokens(2, 140, 2);
    return all;
  }();
  const TransformerCall& given = calls.at(number);
  Case result{.call = given, .model = model_of(given), .random = Random(number)};
  auto& [call, model, random] = result;
  const auto num_hiddens = static_cast<std::size_t>(call.options.num_hiddens);
  if (!call.has_images() && random.chance(0.4)) {
    call.embeddings = randn<3>({call.batch(), call.tokens.shape(1), num_hiddens}, 1000 + number);
  }
  const LayerSettings last = model.attention_layers(Side::self).back().settings();
  if (last.num_kv_heads > 1 && call.pass.head_gates.empty() && random.chance(0.6)) {
    model.prune_heads({{static_cast<std::int64_t>(model.num_layers()) - 1,
                        first_of(last.num_heads / last.num_kv_heads)}});
  }
  return result;
}

/// The case with patches whose values are of a run on other inputs.
std::vector<Patch> patches_of(Case& given) {
  auto& [call, model, random] = given;
  TransformerCall other = call;
  for (std::int64_t& token : other.tokens) {
    token = (token + 1) % vocabulary_size;
  }
  other.pixels *= 0.5F;
  other.pass.capture = names_of(model.settings());
  return random_patches(random, captured_in(forward(model, other, other.pass)));
}

/// How far results may lie from those in float64, as a share of the largest of them: rounded
/// weights round the inputs of products to 15 bits, and norms of heads of two numbers magnify what
/// both of them lost.
double share_of(const TransformerCall& call) {
  const TransformerOptions& options = call.options;
  if (options.weights != Precision::float32) {
    return 4e-3;
  }
  const bool has_pairs = options.head_size.value_or(options.num_hiddens / options.num_heads) == 2;
  return options.qk_norm && has_pairs ? 1e-5 : 5e-6;
}

template <typename Got, typename Expected>
void check_close(const Got& got, const Expected& expected, double share) {
  CHECK(max_difference(got, expected) <= share * std::fmax(1, largest_magnitude(expected)));
}

/// The rows of an activation that a call with `capture_positions` gives.
reference::Doubles<4> captured_rows(const Place& place, const reference::Doubles<4>& all,
                                    const std::vector<std::int64_t>& positions, bool has_cache) {
  using enum ActivationName;
  const bool is_whole =
      place.side == Side::encoder || place.at == key_mass ||
      ((place.at == keys || place.at == values) && (place.side == Side::cross || has_cache));
  return is_whole ? all : rows_of(all, first_of(all.shape(1)), positions);
}

/// Holds all that a pass captured against the reference.
void check_captured(const TransformerResult& result, const Expected& expected, double share) {
  const auto captured = captured_in(result);
  CHECK(captured.size() == expected.size());
  for (const auto& [place, tensor] : captured) {
    CAPTURE(package_name_of(place.at), static_cast<int>(place.side), place.layer);
    REQUIRE(expected.contains(place));
    CHECK(std::ranges::equal(tensor.shape(), shape_of(place.at, expected.at(place))));
    check_close(tensor, expected.at(place), share);
  }
}

/// What a pass captures that asks for these names, layers and positions only.
Expected chosen_of(const Expected& all, const TransformerForwardOptions& pass) {
  Expected chosen;
  for (const ActivationName name : pass.capture) {
    const bool is_of_model = name >= ActivationName::embeddings;
    for (const Side side : all_sides) {
      std::size_t number = 0;
      for (const std::int64_t layer : is_of_model ? first_of(1) : *pass.capture_layers) {
        const Place place{name, side, static_cast<std::size_t>(layer)};
        if (all.contains(place)) {
          chosen.emplace(Place{name, side, number++},
                         captured_rows(place, all.at(place), *pass.capture_positions, false));
        }
      }
    }
  }
  return chosen;
}

TEST_CASE("Results, weights and captures of models, patched or not, are those of float64") {
  for (std::size_t number = 0; number < 2 * num_cases; ++number) {
    Case each = case_of(number / 2);
    auto& [call, model, random] = each;
    TransformerForwardOptions pass = call.pass;
    if (number % 2 == 1) {
      pass.patch = patches_of(each);
    }
    CAPTURE(call.name, number);
    ReferenceProbe probe(pass.patch);
    const auto expected = reference::forward(call, model.state_dict(), probe.hook());
    const double share = (pass.patch.empty() ? 1 : 2) * share_of(call);
    const TransformerResult plain = forward(model, call, pass);
    check_close(plain.hidden, expected.hidden, share);
    check_close(plain.logits, expected.logits, share);
    CHECK(plain.logits.shape(2) == (call.has_logits() ? vocabulary_size : 0));
    REQUIRE(plain.encoder_hidden.has_value() == call.options.encoder.has_value());
    if (plain.encoder_hidden) {
      check_close(*plain.encoder_hidden, expected.encoder_hidden, share);
    }
    if (call.has_logits() && !call.embeddings && pass.patch.empty()) {
      const double loss = model.loss(call.tokens, call.targets, call.pass);
      CHECK(std::abs(loss - reference::mean_loss(expected.logits, call.targets)) <= 2 * share);
    }

    pass.return_weights = true;
    pass.capture = names_of(model.settings());
    pass.requires_grad = random.chance(0.5);
    const TransformerResult all = forward(model, call, pass);
    check_close(all.hidden, expected.hidden, share);
    check_captured(all, probe.seen(), share);
    const std::vector<std::int64_t> heads =
        some_below(random, model.attention_layers(Side::self).back().num_heads());
    const std::vector<std::int64_t> queries = some_below(random, plain.hidden.shape(1));
    pass.return_weights = ReturnedWeights(heads, queries);
    std::erase_if(pass.capture, [&](ActivationName) { return random.chance(0.5); });
    pass.capture_layers = some_below(random, model.num_layers());
    pass.capture_positions = queries;
    const TransformerResult chosen = forward(model, call, pass);
    check_close(chosen.hidden, expected.hidden, share);
    check_captured(chosen, chosen_of(probe.seen(), pass), share);
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

/// What a chunk [begin, end) of a pass with a cache has of an activation of the whole.
reference::Doubles<4> of_chunk(const Place& place, const Expected& whole, std::size_t begin,
                               std::size_t end) {
  using enum ActivationName;
  const bool is_mass = place.at == key_mass;
  const reference::Doubles<4>& all =
      whole.at(is_mass ? Place{pattern, place.side, place.layer} : place);
  const bool is_key = place.at == keys || place.at == values;
  if (place.side == Side::encoder || (is_key && place.side == Side::cross)) {
    return whole.at(place);
  }
  const bool has_keys = is_mass || (place.at >= scores && place.at <= dropped_weights);
  const std::size_t columns = has_keys && place.side == Side::self ? end : all.shape(3);
  const reference::Doubles<4> chunk =
      xt::view(all, xt::all(), xt::all(), xt::range(is_key ? 0 : begin, end),
               xt::range(std::size_t{0}, columns));
  const reference::Doubles<3> sums = xt::sum(chunk, {2});
  return is_mass ? reference::Doubles<4>(xt::expand_dims(sums, 3)) : chunk;
}

/// The largest difference of rows from those of the whole that begin at `begin`, in the columns of
/// the rows.
template <typename Rows, typename Whole>
double difference_from(const Rows& rows, const Whole& whole, std::size_t begin) {
  const auto first = static_cast<std::ptrdiff_t>(begin);
  const auto length = static_cast<std::ptrdiff_t>(rows.shape(rows.dimension() - 2));
  const auto size = static_cast<std::ptrdiff_t>(rows.shape().back());
  return max_difference(rows,
                        xt::strided_view(whole, {xt::ellipsis(), xt::range(first, first + length),
                                                 xt::range(std::ptrdiff_t{0}, size)}));
}

TEST_CASE("Chunks of any sizes with a cache give what float64 gives for the whole") {
  for (std::size_t number = 0; number < num_cases; ++number) {
    auto [call, model, random] = case_of(number);
    call.embeddings.reset();
    if (!call.options.causal || call.has_images()) {
      continue;
    }
    CAPTURE(call.name);
    ReferenceProbe probe;
    const auto expected = reference::forward(call, model.state_dict(), probe.hook());
    const std::size_t length = call.tokens.shape(1);
    const Tokens others = random_tokens(call.batch(), length, 17);
    TransformerForwardOptions whole = call.pass;
    whole.return_weights = true;
    whole.capture = names_of(model.settings());
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
        Expected of_part;
        for (const auto& [place, activation] : probe.seen()) {
          if (place.side != Side::encoder || !has_source) {
            of_part.emplace(place, of_chunk(place, probe.seen(), begin, end));
          }
        }
        check_captured(part, of_part, 2 * share);
        begin = end;
      }
    }
  }
}

/// The call with the gates of its model's layers by sample, 1 where none was given.
TransformerCall with_all_gates(const TransformerCall& call, const Transformer& model) {
  TransformerCall result = call;
  for (const Side side : all_sides) {
    std::vector<HeadGate>& gates = gates_of(result.pass, side);
    gates.resize(model.attention_layers(side).size());
    for (std::size_t layer = 0; layer < gates.size(); ++layer) {
      const auto all = reference::gate_factors(gates[layer], call.batch(),
                                               model.attention_layers(side)[layer].num_heads());
      gates[layer] = Tensor<2>(xt::view(all, xt::all(), xt::all(), 0, 0));
    }
  }
  return result;
}

/// Holds a gradient against the difference of the objective between two points, which lie a little
/// along the gradient and a random direction from `values`, which are moved there and back.
template <typename Gradient, typename Values, typename Function>
void check_slope(const Gradient& gradient, Values& values, std::uint64_t seed, double scale,
                 const Function& objective) {
  REQUIRE(gradient.size() == values.size());
  constexpr double step = 1e-5;
  const auto random = randn<1>({gradient.size()}, seed);
  const double largest = std::fmax(largest_magnitude(gradient), 1e-30);
  const Values before = values;
  std::vector<double> moved(gradient.size());
  const auto value_at = [&](double sign) {
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      const double direction =
          static_cast<double>(gradient.data()[i]) / largest + static_cast<double>(random(i));
      values.data()[i] =
          static_cast<float>(static_cast<double>(before.data()[i]) + sign * step * direction);
      moved[i] += sign * static_cast<double>(values.data()[i]);
    }
    return objective();
  };
  const double difference = value_at(1) - value_at(-1);
  values = before;
  double expected = 0;
  double length = 0;
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    expected += static_cast<double>(gradient.data()[i]) * moved[i];
    length += moved[i] * moved[i];
  }
  CHECK(std::abs(difference - expected) <= 1e-5 * scale * std::sqrt(length));
}

/// What a call's gradients are of: the loss, or a sum of products with hidden states and logits.
struct Objective {
  bool of_loss;
  Tensor<3> hidden;
  Tensor<3> logits;
  reference::Hook hook;

  [[nodiscard]] double value(const TransformerCall& call, const StateDict& parameters) const {
    const auto output = reference::forward(call, parameters, hook);
    if (of_loss) {
      return reference::mean_loss(output.logits, call.targets);
    }
    return xt::sum(hidden * output.hidden)() + xt::sum(logits * output.logits)();
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
  for (std::size_t number = 0; number < 2 * num_cases; ++number) {
    Case each = case_of(number / 2);
    auto& [given, model, random] = each;
    // What replaces an activation is a constant.
    const std::vector<Patch> patches = number % 2 == 1 ? patches_of(each) : std::vector<Patch>();
    CAPTURE(given.name, number);
    ReferenceProbe probe(patches);
    TransformerCall call = with_all_gates(given, model);
    const TransformerResult result = forward(model, call, call.pass);
    const Objective objective{.of_loss = call.has_logits() && patches.empty() && !call.embeddings &&
                                         call.batch() % 2 == 1,
                              .hidden = randn<3>(result.hidden.shape(), 36),
                              .logits = randn<3>(result.logits.shape(), 37),
                              .hook = probe.hook()};
    given.pass.patch = patches;
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
    scale *= patches.empty() && !call.embeddings ? 1 : 3;
    const auto value = [&] { return objective.value(call, parameters); };
    static_cast<void>(value());
    std::uint64_t seed = 1;
    for (const auto& [name, gradient] : gradients) {
      CAPTURE(name);
      CHECK(gradient.shape() == parameters.at(name).shape());
      if (!is_rounded && (patches.empty() || random.chance(0.3))) {
        check_slope(gradient, parameters.at(name), ++seed, scale, value);
      }
    }
    for (const auto& [side, of_side] : {std::pair(Side::self, &inputs.head_gates),
                                        std::pair(Side::cross, &inputs.cross_head_gates),
                                        std::pair(Side::encoder, &inputs.encoder_head_gates)}) {
      for (std::size_t layer = 0; layer < of_side->size(); ++layer) {
        CAPTURE(static_cast<int>(side), layer);
        // Sums over all positions, whose terms may cancel.
        check_slope((*of_side)[layer], *gates_of(call.pass, side)[layer], ++seed, 3 * scale, value);
      }
    }
    CHECK(inputs.pixels.has_value() == call.has_images());
    if (inputs.pixels) {
      check_slope(*inputs.pixels, call.pixels, ++seed, scale, value);
    }
    CHECK(inputs.embeddings.has_value() == (!objective.of_loss && call.embeddings.has_value()));
    if (inputs.embeddings) {
      check_slope(*inputs.embeddings, *call.embeddings, ++seed, scale, value);
    }
  }
}

}  // namespace
}  // namespace headwise::test
