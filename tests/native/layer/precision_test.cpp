#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "compare.hpp"
#include "problem.hpp"

/// Weights and KV caches of less than 32 bits.
namespace headwise::test {
namespace {

struct Case {
  std::string name;
  MultiHeadAttentionOptions options;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  const auto add = [&](const std::string& name, std::int64_t num_hiddens, std::int64_t num_heads,
                       const auto& change) {
    all.push_back({name, {.num_hiddens = num_hiddens, .num_heads = num_heads}});
    change(all.back().options);
    all.back().options.seed = all.size();
  };
  add("one head", 7, 1, [](auto& /*o*/) {});
  add("heads of size 1", 5, 5, [](auto& o) { o.bias = true; });
  add("grouped", 132, 4, [](auto& o) {
    o.bias = true;
    o.output_size = 9;
    o.num_kv_heads = 2;
    o.rotary = RotaryOptions{.size = 32};
  });
  add("slots", 12, 4, [](auto& o) { o.bias_kv = o.zero_attention = true; });
  add("additive", 12, 3, [](auto& o) {
    o.pooling = Pooling::additive;
    o.attention_hiddens = 5;
  });
  add("convolution", 12, 4, [](auto& o) {
    o.bias = true;
    o.projection = Projection::convolution;
  });
  add("without projection", 12, 4, [](auto& o) { o.projection = Projection::none; });
  return all;
}

Inputs inputs_for(const MultiHeadAttentionOptions& options, std::size_t queries, std::size_t keys) {
  const auto size = static_cast<std::size_t>(options.num_hiddens);
  return random_inputs({.batch = 2,
                        .queries = queries,
                        .keys = keys,
                        .query_size = size,
                        .key_size = size,
                        .value_size = size});
}

MultiHeadAttention make_layer(MultiHeadAttentionOptions options, Precision weights) {
  options.weights = weights;
  options.query_size = options.key_size = options.value_size = options.num_hiddens;
  return MultiHeadAttention(options);
}

constexpr std::array all_rounded = {Precision::float16, Precision::int8, Precision::int4};

/// Rounding inputs of products to 15 bits, three times over.
constexpr double of_15_bits = 4e-4;

TEST_CASE("Rounded weights are the nearest that their precision holds, biases are left alone") {
  constexpr std::size_t size = 24;
  const MultiHeadAttentionOptions options{
      .num_hiddens = size, .num_heads = 4, .bias = true, .seed = 1};
  const StateDict whole = make_layer(options, Precision::float32).state_dict();
  for (const Precision precision : all_rounded) {
    const bool is_integer = holds_integers(precision);
    const bool is_int4 = precision == Precision::int4;
    const FromStateDictOptions from{.num_heads = 4, .weights = precision};
    CHECK(MultiHeadAttention::from_state_dict(whole, from).state_dict() ==
          make_layer(options, precision).state_dict());
    for (const auto& [name, tensor] : make_layer(options, precision).state_dict()) {
      CAPTURE(precision, name);
      const float* original = whole.at(name).data();
      CHECK((tensor == whole.at(name)) == name.ends_with(".bias"));
      for (std::size_t i = 0; i < tensor.size() && !name.ends_with(".bias"); ++i) {
        const float number = tensor.data()[i];
        // 11 bits, of numbers from 2^-14 on, or multiples of an output's factor: of its largest
        // number, which is 127 or -8 of them.
        int exponent = 0;
        std::frexp(number, &exponent);
        float unit = std::ldexp(1.0F, std::max(exponent - 11, -24));
        if (is_integer) {
          unit = 0;
          for (std::size_t j = i / size * size; j < (i / size + 1) * size; ++j) {
            unit = std::max(unit, std::abs(tensor.data()[j]) / (is_int4 ? 8 : 127));
          }
        }
        CHECK(std::nearbyint(number / unit) * unit == number);
        // Nothing is 8 units of the other sign: those become 7.
        CHECK(std::abs(number - original[i]) <= unit * (is_int4 ? 1 : is_integer ? 0.5005F : 0.5F));
      }
    }
  }
}

TEST_CASE("Weights that are not finite are NaN for their output only") {
  for (const Precision precision : all_rounded) {
    MultiHeadAttentionOptions options{.num_hiddens = 8, .num_heads = 2, .seed = 1};
    MultiHeadAttention layer = make_layer(options, precision);
    StateDict dict = layer.state_dict();
    dict.at("W_o.weight")(3, 2) = infinity;
    layer.load_state_dict(dict);
    for (const std::size_t queries : {1U, 7U}) {
      const auto output = forward(layer, inputs_for(options, queries, 3), {}).output;
      for (std::size_t i = 0; i < output.size(); ++i) {
        CHECK(std::isfinite(output.data()[i]) == (i % 8 != 3));
      }
    }
  }
}

TEST_CASE("A layer with rounded weights gives what one of floats gives, also backward and pruned") {
  for (const Precision precision : all_rounded) {
    for (const Case& each : cases()) {
      MultiHeadAttention layer = make_layer(each.options, precision);
      MultiHeadAttention floats = make_layer(each.options, Precision::float32);
      floats.load_state_dict(layer.state_dict());
      layer.load_state_dict(floats.state_dict());
      CHECK(layer.state_dict() == floats.state_dict());
      const bool can_be_pruned =
          each.options.num_heads > 2 && each.options.projection == Projection::linear;
      const auto compare = [&](double bound) {
        for (const std::size_t queries : {1U, 2U, 5U, 33U}) {
          const Inputs inputs = inputs_for(each.options, queries, 5);
          CAPTURE(each.name, queries, floats.num_heads());
          const auto near = [&](const auto& given, const auto& expected) {
            return max_difference(given, expected) <= bound * largest_magnitude(expected);
          };
          const auto expected = forward(floats, inputs, {.requires_grad = true}).output;
          CHECK(near(forward(layer, inputs, {.requires_grad = true}).output, expected));
          const auto expected_gradients = floats.backward(expected);
          const auto gradients = layer.backward(expected);
          CHECK(near(gradients.queries, expected_gradients.queries));
          CHECK(near(gradients.head_gate, expected_gradients.head_gate));
        }
      };
      compare(of_15_bits);
      if (can_be_pruned) {
        layer.prune_heads({0, 1});
        floats.prune_heads({0, 1});
        // Factors of W_o are chosen again.
        compare(precision == Precision::int4   ? 0.2
                : precision == Precision::int8 ? 1e-2
                                               : of_15_bits);
      }
    }
  }
}

TEST_CASE("Rounded weights are not trained, and a cache has 32, 16 or 8 bits") {
  MultiHeadAttention layer =
      make_layer({.num_hiddens = 4, .num_heads = 2, .seed = 1}, Precision::float16);
  SGD optimizer({&layer});
  const StateDict before = layer.state_dict();
  CHECK_THROWS_WITH(optimizer.step(),
                    "weights: expected 'float32' in what is trained, got \"float16\"");
  CHECK(layer.state_dict() == before);
  CHECK_THROWS_WITH(
      layer.create_cache({.batch_size = 1, .max_length = 2, .precision = Precision::int4}),
      "precision: expected 'float32', 'float16' or 'int8', got \"int4\"");
}

Inputs part_of(const Inputs& inputs, std::size_t begin, std::size_t end) {
  return {.queries = positions(inputs.queries, begin, end),
          .keys = positions(inputs.keys, begin, end),
          .values = positions(inputs.values, begin, end)};
}

TEST_CASE("A cache of 16 or 8 bits gives, and captures, what one of floats does") {
  const std::array<ForwardOptions, 3> passes = {
      {{},
       {.causal = Causal::top_left},
       {.causal = Causal::top_left, .window = Window{.left = 19, .right = std::nullopt}}}};
  const std::vector<std::vector<std::size_t>> splits = {
      {1, 1, 1, 1, 1}, {33, 1, 3, 1}, {7, 40, 2, 1}, {64, 1}};
  for (const Case& each : cases()) {
    MultiHeadAttention layer = make_layer(each.options, Precision::float32);
    const Inputs inputs = inputs_for(each.options, 65, 65);
    for (const auto& chunks : splits) {
      for (std::size_t which = 0; which < 6; ++which) {
        ForwardOptions options = passes.at(which % 3);
        const Precision precision = which < 3 ? Precision::float16 : Precision::int8;
        const double bound = which < 3 ? of_15_bits : 0.03;
        CAPTURE(each.name, chunks.front(), which);
        KeyValueCache floats = layer.create_cache({.batch_size = 2, .max_length = 80});
        KeyValueCache rounded =
            layer.create_cache({.batch_size = 2, .max_length = 80, .precision = precision});
        options.return_weights = true;
        std::size_t begin = 0;
        for (const std::size_t chunk : chunks) {
          const Inputs part = part_of(inputs, begin, begin + chunk);
          // Keys and values that are captured are read back as floats.
          options.capture.keys = options.capture.values = begin % 2 == 1;
          options.cache = &floats;
          const auto expected = forward(layer, part, options);
          options.cache = &rounded;
          const auto given = forward(layer, part, options);
          const auto check_near = [bound](const auto& got, const auto& wanted) {
            CHECK(max_difference(got, wanted) <= bound * largest_magnitude(wanted));
          };
          check_near(given.output, expected.output);
          if (options.capture.keys) {
            check_near(*given.captured.keys, *expected.captured.keys);
            check_near(*given.captured.values, *expected.captured.values);
          }
          CHECK(max_difference(*given.attention_weights, *expected.attention_weights) <= bound);
          begin += chunk;
        }
        CHECK(rounded.length() == begin);
      }
    }
  }
}

/// The tensor times 2 to this power, exactly but for denormal and infinite numbers.
template <typename Tensor>
Tensor scaled(const Tensor& tensor, int exponent) {
  return std::ldexp(1.0F, exponent) * tensor;
}

/// Holds `given` against `expected` times 2 to this power, computed in float64: what float32 cannot
/// hold must be infinite or NaN, and denormal numbers, as which the inputs were rounded, may be a
/// few of the least off.
void check_scaled(const Tensor<3>& given, const Tensor<3>& expected, int exponent) {
  const double factor = std::ldexp(1.0, exponent);
  const double largest = factor * largest_magnitude(expected);
  const double bound = of_15_bits * largest + 24 * static_cast<double>(0x1p-149F);
  constexpr double largest_float = std::numeric_limits<float>::max();
  for (std::size_t i = 0; i < given.size(); ++i) {
    const double exact = factor * static_cast<double>(expected.data()[i]);
    if (std::isfinite(given.data()[i]) ? std::abs(given.data()[i] - exact) > bound
                                       : largest < 0.1 * largest_float) {
      FAIL_CHECK(given.data()[i] << " is not " << exact << ", which is one of " << largest);
    }
  }
}

TEST_CASE("Rounded layers and caches give as much for numbers of any size that floats have") {
  const MultiHeadAttentionOptions linear{.num_hiddens = 24, .num_heads = 3, .seed = 1};
  MultiHeadAttentionOptions none = linear;
  none.projection = Projection::none;
  const struct {
    MultiHeadAttentionOptions options;
    Precision weights;
    Precision cache;
    int weight_exponent;  ///< of W_v, and in W_o back again
  } layers[] = {{linear, Precision::float16, Precision::float16, 0},
                {linear, Precision::int8, Precision::float32, 0},
                {linear, Precision::int8, Precision::float16, -100},
                {linear, Precision::int8, Precision::float16, 110},
                {linear, Precision::int4, Precision::float16, 0},
                {none, Precision::float32, Precision::float16, 0}};
  for (const auto& [options, weights, precision, weight_exponent] : layers) {
    MultiHeadAttention floats = make_layer(options, Precision::float32);
    MultiHeadAttention layer = make_layer(options, weights);
    floats.load_state_dict(layer.state_dict());
    StateDict dict = floats.state_dict();
    for (const auto& [name, exponent] :
         {std::pair("W_v.weight", weight_exponent), std::pair("W_o.weight", -weight_exponent)}) {
      if (dict.contains(name)) {
        dict.at(name) = scaled(dict.at(name), exponent);
      }
    }
    layer.load_state_dict(dict);
    for (const std::size_t queries : {1U, 4U, 6U}) {
      const Inputs inputs = inputs_for(options, queries, 11);
      const Tensor<3> expected = forward(floats, inputs, {}).output;
      // What stands between two maps must be a float, too, and for other factors a normal one.
      for (int exponent = weight_exponent < 0 ? -110 - weight_exponent : -149;
           exponent <= std::min(127, 120 - weight_exponent); exponent += 3) {
        CAPTURE(static_cast<int>(weights), weight_exponent, queries, exponent);
        const int of_scores = std::clamp(exponent, -100, 100);
        const Inputs far{.queries = scaled(inputs.queries, of_scores),
                         .keys = scaled(inputs.keys, -of_scores),
                         .values = scaled(inputs.values, exponent)};
        check_scaled(forward(layer, far, {}).output, expected, exponent);
        KeyValueCache cache =
            layer.create_cache({.batch_size = 2, .max_length = 11, .precision = precision});
        check_scaled(forward(layer, far, {.cache = &cache}).output, expected, exponent);
        check_scaled(layer.forward(far.queries, {.cache = &cache}).output, expected, exponent);
      }
    }
  }
}

TEST_CASE("Rounded layers give NaN or infinities where floats do, and zeros for zeros") {
  for (const Precision weights : all_rounded) {
    MultiHeadAttention layer = make_layer({.num_hiddens = 24, .num_heads = 3, .seed = 1}, weights);
    for (const std::size_t queries : {1U, 4U, 6U}) {
      Inputs inputs = inputs_for({.num_hiddens = 24}, queries, 3);
      for (const float number : {nan, infinity, -infinity}) {
        for (const std::size_t place : {0U, 7U, 8U}) {
          Inputs changed = inputs;
          changed.values(1, 2, place) = number;
          const Tensor<3> output = forward(layer, changed, {}).output;
          for (std::size_t i = 0; i < output.size(); ++i) {
            CHECK(std::isfinite(output.data()[i]) == (i < output.size() / 2));
          }
        }
      }
      inputs.values.fill(0);
      CHECK(all_equal(forward(layer, inputs, {}).output, 0));
    }
  }
}

TEST_CASE("What is masked in a cache of 8 bits may be NaN or infinite") {
  const MultiHeadAttentionOptions options{
      .num_hiddens = 12, .num_heads = 4, .projection = Projection::none, .seed = 3};
  MultiHeadAttention layer = make_layer(options, Precision::float32);
  for (const float number : {nan, infinity, -infinity}) {
    Inputs inputs = inputs_for(options, 20, 20);
    for (std::size_t sample = 0; sample < 2; ++sample) {
      inputs.keys(sample, 2, 1) = number;
      inputs.values(sample, 2, 5) = number;
      inputs.values(sample, 17, 5) = number;
    }
    KeyValueCache cache =
        layer.create_cache({.batch_size = 2, .max_length = 21, .precision = Precision::int8});
    forward(layer, inputs, {.cache = &cache});
    const Inputs part = part_of(inputs, 0, 1);
    // Keys 3 to 16 and the new one, 20, may be seen.
    auto mask = xt::xarray<bool>::from_shape({1, 21});
    for (std::size_t key = 0; key < 21; ++key) {
      mask(0, key) = key > 2 && key != 17;
    }
    CHECK(all_finite(forward(layer, part, {.mask = mask, .cache = &cache}).output));
    cache.truncate(20);
    CHECK_FALSE(all_finite(forward(layer, part, {.cache = &cache}).output));
  }
}

}  // namespace
}  // namespace headwise::test
