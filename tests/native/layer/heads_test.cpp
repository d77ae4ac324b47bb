#include <catch2/catch_test_macros.hpp>
#include <cmath>

#include "attention_reference.hpp"
#include "compare.hpp"

/// How heads are formed, shared, gated and given extra slots.
namespace headwise::test {
namespace {

constexpr InputShape shape{
    .batch = 2, .queries = 3, .keys = 5, .query_size = 12, .key_size = 12, .value_size = 12};

TEST_CASE("Heads that share a key-value head are neighbours") {
  // Rows of W_k and W_v repeated for every query head make the same layer without sharing.
  MultiHeadAttention shared({.num_hiddens = 12,
                             .num_heads = 6,
                             .bias = true,
                             .query_size = 12,
                             .key_size = 12,
                             .value_size = 12,
                             .num_kv_heads = 2,
                             .seed = 1});
  MultiHeadAttention separate({.num_hiddens = 12, .num_heads = 6, .bias = true, .seed = 1});
  StateDict parameters = shared.state_dict();
  CHECK(parameters.at("W_k.weight").shape(0) == 4);
  for (const char* name : {"W_k.weight", "W_v.weight", "W_k.bias", "W_v.bias"}) {
    const xt::xarray<float> few = parameters.at(name);
    const std::size_t columns = few.dimension() == 2 ? few.shape(1) : 1;
    std::vector<std::size_t> many_shape(few.shape().begin(), few.shape().end());
    many_shape.at(0) = 12;
    xt::xarray<float> many = xt::xarray<float>::from_shape(many_shape);
    for (std::size_t row = 0; row < 12; ++row) {
      const std::size_t head = row / 2;
      const std::size_t row_of_few = head / 3 * 2 + row % 2;
      for (std::size_t e = 0; e < columns; ++e) {
        many.data()[row * columns + e] = few.data()[row_of_few * columns + e];
      }
    }
    parameters[name] = many;
  }
  separate.load_state_dict(parameters);
  const Inputs inputs = random_inputs(shape);
  const auto expected = forward(separate, inputs);
  const auto result = forward(shared, inputs);
  CHECK(max_difference(result.output, expected.output) <= 1e-6);
  CHECK(max_difference(*result.attention_weights, *expected.attention_weights) <= 1e-6);
}

TEST_CASE("Without a projection the layer is the chapter's functions, put together") {
  MultiHeadAttention layer({.num_hiddens = 12, .num_heads = 3, .projection = Projection::none});
  CHECK(layer.state_dict().empty());
  const Inputs inputs = random_inputs(shape);
  const auto result =
      forward(layer, inputs, {.valid_lens = LensBySample{3, 5}, .return_weights = true});
  const auto pooled = scaled_dot_product_attention(
      split_heads(inputs.queries, 3), split_heads(inputs.keys, 3), split_heads(inputs.values, 3),
      {.valid_lens = LensBySample{3, 5}, .return_weights = true});
  CHECK(max_difference(*result.attention_weights, *pooled.attention_weights) == 0);
  Tensor<3> by_head(std::array<std::size_t, 3>{6, 3, 4});
  std::copy(pooled.output.begin(), pooled.output.end(), by_head.begin());
  CHECK(max_difference(result.output, transpose_output(by_head, 3)) == 0);
}

TEST_CASE("A convolution's head sees its own slice of the input and nothing else") {
  MultiHeadAttention layer(
      {.num_hiddens = 12, .num_heads = 3, .projection = Projection::convolution, .seed = 1});
  const Inputs inputs = random_inputs(shape);
  const auto expected = forward(layer, inputs);
  Inputs changed = inputs;
  for (std::size_t sample = 0; sample < shape.batch; ++sample) {
    for (std::size_t e = 4; e < 8; ++e) {
      changed.queries(sample, 0, e) += 1;
    }
  }
  const auto result = forward(layer, changed);
  for (std::size_t sample = 0; sample < shape.batch; ++sample) {
    for (std::size_t head = 0; head < 3; ++head) {
      double difference = 0;
      for (std::size_t key = 0; key < shape.keys; ++key) {
        difference += std::abs((*result.attention_weights)(sample, head, 0, key) -
                               (*expected.attention_weights)(sample, head, 0, key));
      }
      CHECK((difference > 1e-3) == (head == 1));
    }
  }
}

TEST_CASE("Extra slots come after the keys, bias_k first, the zero slot last") {
  MultiHeadAttention layer({.num_hiddens = 2,
                            .num_heads = 1,
                            .query_size = 2,
                            .key_size = 2,
                            .value_size = 2,
                            .output_projection = false,
                            .scale = 1,
                            .bias_kv = true,
                            .zero_attention = true});
  const xt::xarray<float> identity = {{1, 0}, {0, 1}};
  layer.load_state_dict({{"W_q.weight", identity},
                         {"W_k.weight", identity},
                         {"W_v.weight", identity},
                         {"bias_k", {{{2, 0}}}},
                         {"bias_v", {{{5, 7}}}}});
  const Tensor<3> queries = {{{1, 0}}};
  const Tensor<3> keys = {{{3, 9}, {-1, 9}}};
  const Tensor<3> values = {{{1, 0}, {0, 1}}};
  const auto stage = [&](WeightsStage weights_stage, ForwardOptions options = {}) {
    options.return_weights = true;
    options.weights_stage = weights_stage;
    return layer.forward(queries, keys, values, options);
  };
  const Tensor<4> scores = {{{{3, -1, 2, 0}}}};
  CHECK(max_difference(*stage(WeightsStage::raw).attention_weights, scores) == 0);
  CHECK(max_difference(*stage(WeightsStage::softcap).attention_weights, scores) == 0);
  CHECK(max_difference(*stage(WeightsStage::masked).attention_weights, scores) == 0);
  const double sum = std::exp(3.0) + std::exp(-1.0) + std::exp(2.0) + 1;
  const std::vector<double> weights = {std::exp(3.0) / sum, std::exp(-1.0) / sum,
                                       std::exp(2.0) / sum, 1 / sum};
  const auto whole = stage(WeightsStage::softmax);
  CHECK(max_difference(*whole.attention_weights, weights) <= 1e-6);
  CHECK(max_difference(whole.output, std::vector<double>{weights[0] + 5 * weights[2],
                                                         weights[1] + 7 * weights[2]}) <= 1e-5);

  // Masks speak of the keys; a query without keys still has the slots and is not an empty row.
  for (const EmptyRows empty_rows : {EmptyRows::zero, EmptyRows::uniform}) {
    for (ForwardOptions options :
         {ForwardOptions{.valid_lens = LensBySample{0}},
          ForwardOptions{.mask = xt::xarray<bool>{false, false}},
          ForwardOptions{.mask = xt::xarray<float>{-infinity, -infinity}}}) {
      options.empty_rows = empty_rows;
      const Tensor<4> masked = {{{{-infinity, -infinity, 2, 0}}}};
      CHECK(max_difference(*stage(WeightsStage::masked, options).attention_weights, masked) == 0);
      CHECK(max_difference(*stage(WeightsStage::raw, options).attention_weights, scores) == 0);
      const double slot = std::exp(2.0) / (std::exp(2.0) + 1);
      const auto result = stage(WeightsStage::softmax, options);
      CHECK(max_difference(*result.attention_weights, std::vector<double>{0, 0, slot, 1 - slot}) <=
            1e-6);
      CHECK(max_difference(result.output, std::vector<double>{5 * slot, 7 * slot}) <= 1e-5);
    }
  }
  const auto no_keys = full<3>({1, 0, 2}, 0);
  CHECK(layer.forward(queries, no_keys, no_keys, {.return_weights = true})
            .attention_weights->shape() == std::array<std::size_t, 4>{1, 1, 1, 2});
}

TEST_CASE("Each extra slot alone") {
  for (const bool bias_kv : {true, false}) {
    MultiHeadAttention layer({.num_hiddens = 12,
                              .num_heads = 3,
                              .bias_kv = bias_kv,
                              .zero_attention = !bias_kv,
                              .seed = 1});
    const Inputs inputs = random_inputs(shape);
    const auto result = forward(layer, inputs);
    CHECK(result.attention_weights->shape() == std::array<std::size_t, 4>{2, 3, 3, 6});
    const auto expected = reference::multi_head_attention(
        {.num_hiddens = 12, .num_heads = 3, .bias_kv = bias_kv, .zero_attention = !bias_kv},
        layer.state_dict(), inputs.queries, inputs.keys, inputs.values, {});
    CHECK(max_difference(result.output, expected.output) <= 2e-6);
    CHECK(max_difference(*result.attention_weights, expected.weights) <= 2e-6);
  }
}

TEST_CASE("A gate multiplies its head before W_o, the bias of W_o stays") {
  const MultiHeadAttentionOptions options{
      .num_hiddens = 12, .num_heads = 3, .bias = true, .seed = 1};
  MultiHeadAttention layer(options);
  const Inputs inputs = random_inputs(shape);
  const auto plain = forward(layer, inputs);
  const StateDict parameters = layer.state_dict();
  const std::vector<float> factors = {0, 1, -2};

  // The same by scaling the columns of W_o that read each head.
  StateDict scaled = parameters;
  for (std::size_t row = 0; row < 12; ++row) {
    for (std::size_t column = 0; column < 12; ++column) {
      scaled.at("W_o.weight")(row, column) *= factors.at(column / 4);
    }
  }
  MultiHeadAttention expected(options);
  expected.load_state_dict(scaled);
  const auto gated =
      forward(layer, inputs, {.head_gate = Tensor<1>{0, 1, -2}, .return_weights = true});
  CHECK(max_difference(gated.output, forward(expected, inputs).output) <= 1e-6);
  CHECK(max_difference(*gated.attention_weights, *plain.attention_weights) == 0);

  const auto none = forward(layer, inputs, {.head_gate = Tensor<1>{0, 0, 0}}).output;
  for (std::size_t i = 0; i < none.size(); ++i) {
    CHECK(none.data()[i] == parameters.at("W_o.bias")(i % 12));
  }
  const auto open =
      forward(layer, inputs, {.head_gate = Tensor<1>{1, 1, 1}, .return_weights = true});
  CHECK(max_difference(open.output, plain.output) == 0);
}

TEST_CASE("A gate by sample is for that sample only") {
  MultiHeadAttention layer({.num_hiddens = 12, .num_heads = 3, .seed = 1});
  const Inputs inputs = random_inputs(shape);
  const Tensor<2> gates = {{1, 0, 0.5F}, {-1, 2, 1}};
  const auto result = forward(layer, inputs, {.head_gate = gates}).output;
  for (std::size_t sample = 0; sample < 2; ++sample) {
    const Tensor<1> own = {gates(sample, 0), gates(sample, 1), gates(sample, 2)};
    const auto expected = forward(layer, inputs, {.head_gate = own}).output;
    for (std::size_t query = 0; query < shape.queries; ++query) {
      for (std::size_t e = 0; e < 12; ++e) {
        CHECK(result(sample, query, e) == expected(sample, query, e));
      }
    }
  }
}

TEST_CASE("Without an output projection the gated heads stand side by side") {
  MultiHeadAttention layer(
      {.num_hiddens = 12, .num_heads = 3, .output_projection = false, .seed = 1});
  const Inputs inputs = random_inputs(shape);
  const auto plain = layer.forward(inputs.queries, inputs.keys, inputs.values).output;
  const auto gated = forward(layer, inputs, {.head_gate = Tensor<1>{1, 0, 3}}).output;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    const float factor = std::array{1.0F, 0.0F, 3.0F}.at(i % 12 / 4);
    CHECK(gated.data()[i] == plain.data()[i] * factor);
  }
}

TEST_CASE("The output has the size asked for") {
  MultiHeadAttention layer({.num_hiddens = 12, .num_heads = 3, .output_size = 7, .seed = 1});
  const auto result = forward(layer, random_inputs(shape));
  CHECK(result.output.shape() == std::array<std::size_t, 3>{2, 3, 7});
  CHECK(layer.state_dict().at("W_o.weight").shape(0) == 7);
}

}  // namespace
}  // namespace headwise::test
