#include "activations.hpp"

#include <catch2/catch_test_macros.hpp>
#include <map>
#include <utility>
#include <vector>

#include "compare.hpp"
#include "model_check.hpp"

// What stands inside models, captured and replaced, against the same in float64.
namespace headwise::test {
namespace {

constexpr std::size_t random_models = 150;

using Captured = std::map<Place, xt::xarray<float>>;
using Expected = std::map<Place, reference::Doubles<4>>;

/// A random model, often with pruned heads, and a call, perhaps with embeddings in place of tokens.
struct Case {
  TransformerCall call;
  Transformer model;
  Random random;
};

Case case_of(const TransformerCall& given, std::uint64_t seed) {
  Case result{.call = given, .model = model_of(given), .random = Random(seed)};
  auto& [call, model, random] = result;
  const auto num_hiddens = static_cast<std::size_t>(call.options.num_hiddens);
  if (!call.has_images() && random.chance(0.4)) {
    call.embeddings = randn<3>({call.batch(), call.tokens.shape(1), num_hiddens}, seed);
  }
  for (const Side side : all_sides) {
    const auto& layers = model.attention_layers(side);
    if (layers.empty() || !gates_of(call.pass, side).empty() || random.chance(0.6)) {
      continue;
    }
    const LayerSettings& last = layers.back().settings();
    if (last.num_kv_heads > 1) {
      model.prune_heads({{static_cast<std::int64_t>(layers.size()) - 1,
                          first_of(last.num_heads / last.num_kv_heads)}},
                        side);
    }
  }
  return result;
}

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  SmallTransformer large = small_transformer("gated silu without biases");
  large.options.max_length = 150;
  TransformerCall many = random_call(large, 1);
  many.tokens = random_tokens(2, 140, 1);
  many.pass = {};
  cases.push_back(case_of(many, 1));
  for (const TransformerCall& call : all_calls(random_models)) {
    cases.push_back(case_of(call, cases.size()));
  }
  return cases;
}

/// The rows of an activation that a call with `capture_positions` gives.
reference::Doubles<4> captured_rows(const Place& place, const reference::Doubles<4>& all,
                                    const std::optional<std::vector<std::int64_t>>& positions,
                                    bool has_cache = false) {
  using enum ActivationName;
  const bool is_whole =
      place.side == Side::encoder || place.at == key_mass ||
      ((place.at == keys || place.at == values) && (place.side == Side::cross || has_cache));
  return positions && !is_whole ? rows_of(all, first_of(all.shape(1)), *positions) : all;
}

/// (batch, heads, rows, size) without the axes that an activation has not got.
std::vector<std::size_t> shape_of(ActivationName at, const reference::Doubles<4>& activation) {
  using enum ActivationName;
  std::vector<std::size_t> shape(activation.shape().begin(), activation.shape().end());
  if (at == key_mass || at == row_entropy || at == final_norm_scale) {
    shape.erase(shape.begin() + 3);
  }
  if (at >= resid_pre) {
    shape.erase(shape.begin() + 1);
  }
  return shape;
}

void check_captured(const xt::xarray<float>& got, const Place& place,
                    const reference::Doubles<4>& expected, double share) {
  CAPTURE(package_name_of(place.at), static_cast<int>(place.side), place.layer);
  CHECK(std::ranges::equal(got.shape(), shape_of(place.at, expected)));
  check_close(got, expected, share);
}

/// Holds all that a pass captured against the reference.
void check_all_captured(const TransformerResult& result, const Expected& expected, double share) {
  const Captured captured = captured_in(result);
  CHECK(captured.size() == expected.size());
  for (const auto& [place, tensor] : captured) {
    REQUIRE(expected.contains(place));
    check_captured(tensor, place, expected.at(place), share);
  }
}

TEST_CASE("A pass captures what stands in the model in float64") {
  for (auto& [call, model, random] : all_cases()) {
    CAPTURE(call.name);
    ReferenceProbe probe;
    const auto expected = reference::forward(call, model.state_dict(), probe.hook());
    const double share = share_of(call);
    TransformerForwardOptions pass = call.pass;
    pass.capture = names_of(model.settings());
    const TransformerResult all = forward(model, call, pass);
    check_close(all.hidden, expected.hidden, share);
    check_all_captured(all, probe.seen(), share);

    // Some names of some layers and positions.
    std::erase_if(pass.capture, [&](ActivationName) { return random.chance(0.5); });
    pass.capture_layers = some_below(random, model.num_layers());
    pass.capture_positions = some_below(random, all.hidden.shape(1));
    pass.requires_grad = random.chance(0.3);
    const Captured some = captured_in(forward(model, call, pass));
    std::size_t count = 0;
    for (const ActivationName name : pass.capture) {
      const bool is_of_model = name >= ActivationName::embeddings;
      const std::vector<std::int64_t> layers = is_of_model ? first_of(1) : *pass.capture_layers;
      for (const Side side : all_sides) {
        std::size_t number = 0;
        for (const std::int64_t layer : layers) {
          const auto found = probe.seen().find({name, side, static_cast<std::size_t>(layer)});
          if (found != probe.seen().end()) {
            REQUIRE(some.contains({name, side, number}));
            check_captured(some.at({name, side, number++}), found->first,
                           captured_rows(found->first, found->second, pass.capture_positions),
                           share);
            ++count;
          }
        }
      }
    }
    CHECK(some.size() == count);
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
  auto rows = first_of(end);
  rows.erase(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(is_key ? 0 : begin));
  const auto chunk = rows_of(all, first_of(all.shape(1)), rows);
  const bool has_keys = is_mass || (place.at >= scores && place.at <= dropped_weights);
  const auto [batch, heads, num_queries, size] = chunk.shape();
  const std::size_t columns = has_keys && place.side == Side::self ? end : size;
  reference::Doubles<4> result(
      std::array{batch, heads, is_mass ? columns : num_queries, is_mass ? std::size_t{1} : columns},
      0.0);
  for (std::size_t row = 0; row < batch * heads * num_queries; ++row) {
    const std::size_t sample = row / num_queries / heads;
    const std::size_t head = row / num_queries % heads;
    const std::size_t query = row % num_queries;
    for (std::size_t j = 0; j < columns; ++j) {
      result(sample, head, is_mass ? j : query, is_mass ? 0 : j) += chunk(sample, head, query, j);
    }
  }
  return result;
}

TEST_CASE("Chunks with a cache capture what the whole has, and cached keys and values") {
  for (auto& [call, model, random] : all_cases()) {
    if (!call.options.causal || call.has_images()) {
      continue;
    }
    CAPTURE(call.name);
    call.embeddings.reset();
    // Zeros at chosen positions are the same in chunks.
    std::vector<Patch> patches;
    TransformerForwardOptions whole = call.pass;
    whole.capture = names_of(model.settings());
    for (Patch& patch : random_patches(random, captured_in(forward(model, call, whole)))) {
      if (patch.at != ActivationName::pattern && patch.at != ActivationName::final_norm_scale) {
        patch.value = PatchKind::zero;
        patches.push_back(patch);
      }
    }
    ReferenceProbe probe(patches);
    const auto expected = reference::forward(call, model.state_dict(), probe.hook());
    const std::size_t length = call.tokens.shape(1);
    for (const Precision precision : {Precision::float32, Precision::float16}) {
      const double share = precision == Precision::float32 ? share_of(call) : 4e-3;
      ModelCache cache = model.create_cache({.batch_size = static_cast<std::int64_t>(call.batch()),
                                             .max_length = static_cast<std::int64_t>(length),
                                             .precision = precision});
      for (std::size_t begin = 0; begin < length;) {
        const std::size_t end = std::min(length, begin + 1 + random.below(4));
        CAPTURE(begin, end);
        TransformerForwardOptions pass = part_of(whole, begin, end, cache);
        for (Patch patch : patches) {
          const bool has_source_rows =
              patch.side == Side::encoder ||
              (patch.side == Side::cross &&
               (patch.at == ActivationName::keys || patch.at == ActivationName::values));
          if (has_source_rows && !pass.source) {
            continue;
          }
          if (patch.positions && !has_source_rows) {
            std::erase_if(*patch.positions, [&](std::int64_t position) {
              const auto i = static_cast<std::size_t>(position);
              return i < begin || i >= end;
            });
            for (std::int64_t& position : *patch.positions) {
              position -= static_cast<std::int64_t>(begin);
            }
          }
          pass.patch.push_back(patch);
        }
        const TransformerResult part = model.forward(columns(call.tokens, begin, end), pass);
        Expected of_part;
        for (const auto& [place, tensor] : probe.seen()) {
          if (place.side != Side::encoder || pass.source) {
            of_part.emplace(place, of_chunk(place, probe.seen(), begin, end));
          }
        }
        check_all_captured(part, of_part, share);
        begin = end;
      }
    }
  }
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

TEST_CASE("A patched pass goes on with what replaced its activations") {
  for (Case& each : all_cases()) {
    for (int run = 0; run < 2; ++run) {
      auto& [call, model, random] = each;
      CAPTURE(call.name, run);
      TransformerForwardOptions pass = call.pass;
      pass.patch = patches_of(each);
      CAPTURE(described(pass.patch));
      ReferenceProbe probe(pass.patch);
      const auto expected = reference::forward(call, model.state_dict(), probe.hook());
      const double share = 2 * share_of(call);
      pass.return_weights = ReturnedWeights::last_query();
      const TransformerResult plain = forward(model, call, pass);
      check_close(plain.hidden, expected.hidden, share);
      check_close(plain.logits, expected.logits, share);
      for (const Side side : {Side::self, Side::cross}) {
        for (std::size_t layer = 0; layer < weights_of(plain, side).size(); ++layer) {
          const auto& weights = expected.weights_of(side)[layer];
          check_close(weights_of(plain, side)[layer],
                      rows_of(weights, first_of(weights.shape(1)),
                              {static_cast<std::int64_t>(weights.shape(2)) - 1}),
                      share);
        }
      }
      pass.capture = names_of(model.settings());
      pass.requires_grad = true;
      const TransformerResult captured = forward(model, call, pass);
      check_close(captured.hidden, expected.hidden, share);
      check_all_captured(captured, probe.seen(), share);
    }
  }
}

TEST_CASE("Gradients of a patched pass are slopes in float64, where patches are constants") {
  for (Case& each : all_cases()) {
    const std::vector<Patch> patches = patches_of(each);
    auto& [given, model, random] = each;
    CAPTURE(given.name, described(patches));
    TransformerCall call = with_all_gates(given, model);
    ReferenceProbe probe(patches);
    const reference::Hook hook = probe.hook();
    StateDict parameters = model.state_dict();
    const auto output = reference::forward(call, parameters, hook);
    const Tensor<3> hidden = randn<3>(output.hidden.shape(), 36);
    const Tensor<3> logits = randn<3>(output.logits.shape(), 37);
    const auto value = [&] {
      const auto moved = reference::forward(call, parameters, hook);
      return xt::sum(hidden * moved.hidden)() + xt::sum(logits * moved.logits)();
    };
    given.pass.patch = patches;
    given.pass.requires_grad = true;
    static_cast<void>(forward(model, given, given.pass));
    const TransformerGradients inputs = model.backward(
        {.hidden = hidden, .logits = logits.size() > 0 ? std::optional(logits) : std::nullopt});
    const StateDict gradients = model.gradients();
    const bool is_rounded = call.options.weights != Precision::float32;
    double scale = is_rounded ? 400 : 4;
    for (const auto& [name, gradient] : gradients) {
      scale = std::fmax(scale, 4 * largest_magnitude(gradient));
    }
    std::uint64_t seed = 1;
    for (const auto& [name, gradient] : gradients) {
      CAPTURE(name);
      if (!is_rounded && random.chance(0.3)) {
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
    CHECK(inputs.embeddings.has_value() == call.embeddings.has_value());
    if (inputs.pixels) {
      check_slope(*inputs.pixels, call.pixels, ++seed, scale, value);
    }
    if (inputs.embeddings) {
      check_slope(*inputs.embeddings, *call.embeddings, ++seed, scale, value);
    }
  }
}

}  // namespace
}  // namespace headwise::test
