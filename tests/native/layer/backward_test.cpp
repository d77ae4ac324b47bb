#include <catch2/catch_test_macros.hpp>
#include <cmath>

#include "compare.hpp"
#include "gradient_check.hpp"
#include "gradient_problem.hpp"
#include "rounding.hpp"

/// When a backward goes with a forward, what it leaves alone, and what it needs.
namespace headwise::test {
namespace {

constexpr InputShape shape{
    .batch = 2, .queries = 3, .keys = 5, .query_size = 6, .key_size = 4, .value_size = 7};

const ForwardOptions with_gradients{.requires_grad = true};

MultiHeadAttention make_layer(double dropout = 0) {
  return MultiHeadAttention({.num_hiddens = 8,
                             .num_heads = 2,
                             .dropout = dropout,
                             .bias = true,
                             .query_size = shape.query_size,
                             .key_size = shape.key_size,
                             .value_size = shape.value_size,
                             .seed = 3});
}

const Tensor<3> grad_output = randn<3>({shape.batch, shape.queries, 8}, 9);

NamedGradients gradients_of(MultiHeadAttention layer, const Inputs& inputs,
                            ForwardOptions options = with_gradients) {
  options.requires_grad = true;
  layer.zero_gradients();
  forward(layer, inputs, options);
  return by_name(layer.backward(grad_output), layer);
}

void check_same(const NamedGradients& a, const NamedGradients& b, double tolerance = 0) {
  REQUIRE(a.size() == b.size());
  for (const auto& [name, gradient] : a) {
    CAPTURE(name);
    CHECK(max_difference(gradient, b.at(name)) <= tolerance);
  }
}

const std::string nothing_pending =
    "no-pending-backward; backward: expected a forward with requires_grad since the last backward, "
    "got none";

TEST_CASE("A backward needs a forward of its own") {
  MultiHeadAttention layer = make_layer();
  const auto backward = [&] { return layer.backward(grad_output); };
  CHECK(error_of(backward) == nothing_pending);
  forward(layer, random_inputs(shape));
  CHECK(error_of(backward) == nothing_pending);
  forward(layer, random_inputs(shape), with_gradients);
  backward();
  const StateDict once = layer.gradients();
  CHECK(error_of(backward) == nothing_pending);
  CHECK(max_difference(layer.gradients().at("W_q.weight"), once.at("W_q.weight")) == 0);
}

TEST_CASE("Forwards without gradients, good and bad ones, leave the backward pending") {
  MultiHeadAttention layer = make_layer();
  const Inputs inputs = random_inputs(shape);
  const NamedGradients expected = gradients_of(layer, inputs);
  forward(layer, inputs, with_gradients);
  forward(layer, random_inputs(shape, 50));
  KeyValueCache cache = layer.create_cache({.batch_size = 2, .max_length = 9});
  const std::string with_cache =
      "invalid-option; requires_grad: expected no cache beside it, got both";
  CHECK(error_of([&] {
          return forward(layer, inputs, {.cache = &cache, .requires_grad = true});
        }) == with_cache);
  CHECK(cache.length() == 0);
  CHECK_THROWS_AS(forward(layer, inputs, {.valid_lens = LensBySample{9, 9}, .requires_grad = true}),
                  Error);
  check_same(by_name(layer.backward(grad_output), layer), expected);
}

TEST_CASE("A backward is for the latest of two forwards") {
  MultiHeadAttention layer = make_layer();
  InputShape other = shape;
  other.batch = 1;
  other.keys = 9;
  forward(layer, random_inputs(other, 70), with_gradients);
  const Inputs inputs = random_inputs(shape);
  forward(layer, inputs, with_gradients);
  check_same(by_name(layer.backward(grad_output), layer), gradients_of(make_layer(), inputs));
}

TEST_CASE("A gradient of another shape is an error that changes nothing") {
  MultiHeadAttention layer = make_layer();
  const Inputs inputs = random_inputs(shape);
  forward(layer, inputs, with_gradients);
  CHECK(error_of([&] { return layer.backward(randn<3>({2, 3, 7}, 1)); }) ==
        "invalid-shape; grad_output: expected (2, 3, 8), got (2, 3, 7)");
  CHECK(error_of([&] { return layer.backward(randn<2>({3, 8}, 1)); }) ==
        "invalid-shape; grad_output: expected (2, 3, 8), got (3, 8)");
  CHECK(all_equal(layer.gradients().at("W_q.weight"), 0));
  check_same(by_name(layer.backward(grad_output), layer), gradients_of(make_layer(), inputs));
}

TEST_CASE("Inputs without a batch axis have gradients without one, of gates (1, heads)") {
  MultiHeadAttention layer = make_layer();
  const auto queries = randn<2>({3, shape.query_size}, 1);
  const auto keys = randn<2>({5, shape.key_size}, 2);
  const auto values = randn<2>({5, shape.value_size}, 3);
  layer.forward(queries, keys, values, with_gradients);
  CHECK(error_of([&] { return layer.backward(randn<3>({1, 3, 8}, 1)); }) ==
        "invalid-shape; grad_output: expected (3, 8), got (1, 3, 8)");
  const BackwardResult<2> gradients = layer.backward(randn<2>({3, 8}, 1));
  CHECK(gradients.queries.shape() == queries.shape());
  CHECK(gradients.keys.shape() == keys.shape());
  CHECK(gradients.values.shape() == values.shape());
  CHECK(gradients.head_gate.shape() == std::array<std::size_t, 2>{1, 2});
}

TEST_CASE("Parameters that were loaded since the forward are an error, and the next pass works") {
  MultiHeadAttention layer = make_layer();
  const Inputs inputs = random_inputs(shape);
  forward(layer, inputs, with_gradients);
  CHECK_THROWS_AS(layer.load_state_dict({}), Error);
  layer.load_state_dict(layer.state_dict());
  CHECK(error_of([&] { return layer.backward(grad_output); }) ==
        "no-pending-backward; backward: expected a forward with requires_grad since the last "
        "backward, got one whose parameters have changed since");
  forward(layer, inputs, with_gradients);
  check_same(by_name(layer.backward(grad_output), layer), gradients_of(make_layer(), inputs));
}

TEST_CASE("Gradients of parameters add up until they are zeroed") {
  MultiHeadAttention layer = make_layer();
  CHECK(error_of([] {
          return MultiHeadAttention({.num_hiddens = 8, .num_heads = 2}).gradients();
        }).starts_with("sizes-unknown; gradients: expected known sizes"));
  CHECK(layer.gradients().size() == layer.state_dict().size());
  CHECK(all_equal(layer.gradients().at("W_o.weight"), 0));
  layer.zero_gradients();
  const Inputs inputs = random_inputs(shape);
  const NamedGradients once = gradients_of(layer, inputs);
  forward(layer, inputs, with_gradients);
  layer.backward(grad_output);
  forward(layer, inputs, with_gradients);
  layer.backward(grad_output);
  for (const auto& [name, gradient] : layer.gradients()) {
    CAPTURE(name);
    CHECK(gradient.shape() == layer.state_dict().at(name).shape());
    std::vector<double> twice = once.at(name);
    for (double& number : twice) {
      number *= 2;
    }
    CHECK(max_difference(gradient, twice) <= 1e-5);
  }
  layer.zero_gradients();
  CHECK(all_equal(layer.gradients().at("W_o.bias"), 0));
}

TEST_CASE("Requiring gradients changes no output and no weights, in training mode either") {
  MultiHeadAttention layer = make_layer(0.3);
  MultiHeadAttention twin = make_layer(0.3);
  layer.train();
  twin.train();
  const Inputs inputs = random_inputs(shape);
  for (const HeadGate& gate : {HeadGate{}, HeadGate{Tensor<1>{0.5F, -2.0F}}}) {
    const auto with =
        forward(layer, inputs, {.head_gate = gate, .return_weights = true, .requires_grad = true});
    const auto without = forward(twin, inputs, {.head_gate = gate, .return_weights = true});
    CHECK(max_difference(with.output, without.output) == 0);
    CHECK(max_difference(*with.attention_weights, *without.attention_weights) == 0);
  }
}

TEST_CASE("A backward takes the forward's own dropout, and inputs as they were") {
  MultiHeadAttention layer = make_layer(0.5);
  layer.train();
  Inputs inputs = random_inputs(shape);
  const NamedGradients expected = gradients_of(layer, inputs);
  xt::xarray<bool> mask = full<2>({3, 5}, 1);
  auto lens = LensBySample{5, 5};
  Tensor<1> gate = {1, 1};
  forward(layer, inputs,
          {.valid_lens = lens, .mask = mask, .head_gate = gate, .requires_grad = true});
  inputs.queries.fill(0);
  inputs.keys.fill(0);
  inputs.values.fill(0);
  mask.fill(false);
  lens.fill(0);
  gate.fill(0);
  layer.eval();
  forward(layer, inputs);
  check_same(by_name(layer.backward(grad_output), layer), expected);
}

TEST_CASE("A copy of a layer has a backward and gradients of its own") {
  MultiHeadAttention layer = make_layer();
  const Inputs inputs = random_inputs(shape);
  const NamedGradients expected = gradients_of(layer, inputs, {.valid_lens = LensBySample{2, 4}});
  forward(layer, inputs, {.valid_lens = LensBySample{2, 4}, .requires_grad = true});
  MultiHeadAttention copy = layer;
  layer = make_layer();
  check_same(by_name(copy.backward(grad_output), copy), expected);
  CHECK(error_of([&] { return layer.backward(grad_output); }) == nothing_pending);
  CHECK(all_equal(layer.gradients().at("W_q.weight"), 0));
}

/// Like `inputs`, but for keys and values from `length` on of sample 0, which are spoilt.
Inputs spoilt_from(Inputs inputs, std::size_t length) {
  for (std::size_t key = length; key < shape.keys; ++key) {
    for (std::size_t i = 0; i < shape.key_size; ++i) {
      inputs.keys(0, key, i) = i % 2 == 0 ? nan : infinity;
    }
    for (std::size_t i = 0; i < shape.value_size; ++i) {
      inputs.values(0, key, i) = i % 2 == 0 ? -infinity : nan;
    }
  }
  return inputs;
}

TEST_CASE("What masked memory holds reaches no gradient, and its own is 0") {
  const Inputs inputs = random_inputs(shape);
  xt::xarray<bool> mask = full<2>({3, 5}, 1);
  for (std::size_t query = 0; query < 3; ++query) {
    mask(query, 2) = mask(query, 3) = mask(query, 4) = false;
  }
  for (const ForwardOptions& options :
       {ForwardOptions{.valid_lens = LensBySample{2, 5}}, ForwardOptions{.mask = mask}}) {
    const NamedGradients expected = gradients_of(make_layer(), inputs, options);
    const NamedGradients spoilt = gradients_of(make_layer(), spoilt_from(inputs, 2), options);
    check_same(spoilt, expected);
    for (std::size_t i = 2 * shape.key_size; i < 5 * shape.key_size; ++i) {
      CHECK(spoilt.at("keys")[i] == 0);
    }
    for (std::size_t i = 2 * shape.value_size; i < 5 * shape.value_size; ++i) {
      CHECK(spoilt.at("values")[i] == 0);
    }
  }
}

TEST_CASE("What only some queries see reaches the gradients of no other") {
  // The direct split: what is masked for some is read as it lies.
  MultiHeadAttention layer({.num_hiddens = 8, .num_heads = 2, .projection = Projection::none});
  Tensor<3> X = randn<3>({1, 6, 8}, 1);
  const Tensor<3> gradient = randn<3>({1, 6, 8}, 2);
  const ForwardOptions options{.causal = Causal::top_left, .requires_grad = true};
  layer.forward(X, X, X, options);
  const auto expected = layer.backward(gradient);
  X(0, 5, 0) = nan;
  layer.forward(X, X, X, options);
  const auto spoilt = layer.backward(gradient);
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t c = 0; c < 8; ++c) {
      CAPTURE(i, c);
      CHECK(std::abs(spoilt.queries(0, i, c) - expected.queries(0, i, c)) <= 1e-6);
    }
  }
  CHECK(std::isnan(spoilt.queries(0, 5, 0)));
  // The last query sees all keys, and is NaN itself.
  CHECK(std::isnan(spoilt.keys(0, 0, 0)));
}

TEST_CASE("An empty row has no gradient, and what its query holds reaches none") {
  Inputs inputs = random_inputs(shape);
  const ForwardOptions options{.valid_lens = LensByQuery{{5, 0, 3}, {1, 2, 0}}};
  const NamedGradients expected = gradients_of(make_layer(), inputs, options);
  for (std::size_t i = 0; i < shape.query_size; ++i) {
    inputs.queries(0, 1, i) = nan;
    CHECK(expected.at("queries")[shape.query_size + i] == 0);
  }
  check_same(gradients_of(make_layer(), inputs, options), expected, 1e-6);
}

TEST_CASE("An empty row that is uniform has a gradient of values only") {
  const Inputs inputs = random_inputs(shape);
  const NamedGradients gradients = gradients_of(
      make_layer(), inputs, {.valid_lens = LensBySample{0, 0}, .empty_rows = EmptyRows::uniform});
  CHECK(all_equal(gradients.at("queries"), 0));
  CHECK(all_equal(gradients.at("keys"), 0));
  CHECK(all_equal(gradients.at("W_k.weight"), 0));
  CHECK(gradients.at("values")[0] != 0);
  CHECK(gradients.at("values").back() != 0);
}

TEST_CASE("No keys, no queries and no samples have gradients without numbers, or zeros") {
  MultiHeadAttention layer = make_layer();
  for (const InputShape& empty :
       {InputShape{2, 3, 0, 6, 4, 7}, InputShape{2, 0, 5, 6, 4, 7}, InputShape{0, 3, 5, 6, 4, 7}}) {
    forward(layer, random_inputs(empty), with_gradients);
    const auto gradients = layer.backward(randn<3>({empty.batch, empty.queries, 8}, 1));
    CHECK(gradients.queries.size() == empty.batch * empty.queries * 6);
    CHECK(gradients.keys.size() == empty.batch * empty.keys * 4);
    CHECK(all_equal(gradients.queries, 0));
    CHECK(all_equal(gradients.values, 0));
    CHECK(all_equal(gradients.head_gate, 0));
  }
}

/// A window that begins within a panel of keys, for the second block of queries.
TEST_CASE("Gradients of windows that move along the keys agree with float64") {
  for (const Pooling pooling : {Pooling::dot_product, Pooling::additive}) {
    const Configuration configuration = settled({.queries = 130,
                                                 .keys = 130,
                                                 .heads = 2,
                                                 .kv_heads = 2,
                                                 .head_size = 3,
                                                 .query_size = 4,
                                                 .key_size = 4,
                                                 .value_size = 4,
                                                 .pooling = pooling,
                                                 .window = true,
                                                 .window_left = 5,
                                                 .window_right = 2,
                                                 .gradients = true});
    const Problem problem = make_problem(configuration);
    const GradientCheck check(problem, rounding_of(problem).relative_weights);
    CHECK(check.fault_of(problem).empty());
  }
}

TEST_CASE("What a backward needs grows with queries and keys, not with their product") {
  const MultiHeadAttention layer = make_layer();
  const auto size = [&](std::size_t queries, std::size_t keys) {
    return static_cast<double>(measure([&](Arena& arena) {
      static_cast<void>(
          layer.lay_out_backward(arena, {.batch = 2, .num_queries = queries, .num_keys = keys}));
    }));
  };
  const double mixed = size(2000, 3000) - size(2000, 1000) - size(1000, 3000) + size(1000, 1000);
  // Up to what parts of it are rounded to; one float a query and key would be eight million bytes.
  CHECK(std::abs(mixed) < 10'000);
}

#if !defined(HEADWISE_SANITIZE)  // which ends the program instead of throwing
TEST_CASE("Running out of memory leaves the backward pending") {
  MultiHeadAttention layer = make_layer();
  const Inputs inputs = random_inputs(shape);
  forward(layer, inputs, with_gradients);
  // Weights of 32 TB.
  constexpr std::size_t length = 2'000'000;
  const Inputs many{.queries = full<3>({1, length, 6}, 1),
                    .keys = full<3>({1, length, 4}, 1),
                    .values = full<3>({1, length, 7}, 1)};
  CHECK_THROWS_AS(forward(layer, many, {.return_weights = true, .requires_grad = true}), Error);
  check_same(by_name(layer.backward(grad_output), layer), gradients_of(make_layer(), inputs));
}
#endif

}  // namespace
}  // namespace headwise::test
