#include <array>
#include <catch2/catch_test_macros.hpp>

#include "compare.hpp"
#include "oracle_case.hpp"
#include "problem.hpp"

/// What the layer and the pooling functions give beyond d2l's own forward pass, held against
/// PyTorch.
namespace headwise::test {
namespace {

Inputs inputs_of(const OracleCase& oracle, const std::array<std::string, 3>& names) {
  return {.queries = oracle.tensor("in." + names[0]),
          .keys = oracle.tensor("in." + names[1]),
          .values = oracle.tensor("in." + names[2])};
}

const std::array<std::string, 3> d2l_names = {"queries", "keys", "values"};
const std::array<std::string, 3> torch_names = {"query", "key", "value"};
const std::array<std::string, 3> self_attention = {"x", "x", "x"};

/// Output, weights and, where the case has them, the heads side by side before W_o.
void check_layer(const OracleCase& oracle, MultiHeadAttentionOptions options, StateDict parameters,
                 const Inputs& inputs, ForwardOptions forward_options = {}) {
  forward_options.return_weights = true;
  MultiHeadAttention layer(options);
  layer.load_state_dict(parameters);
  const auto result = forward(layer, inputs, forward_options);
  check_against_oracle(oracle, "out.output", result.output);
  if (oracle.tensors.contains("out.attention")) {
    check_against_oracle(oracle, "out.attention", *result.attention_weights);
  }
  if (oracle.tensors.contains("out.concat")) {
    options.output_projection = false;
    parameters.erase("W_o.weight");
    parameters.erase("W_o.bias");
    MultiHeadAttention heads(options);
    heads.load_state_dict(parameters);
    check_against_oracle(oracle, "out.concat", forward(heads, inputs, forward_options).output);
  }
}

/// Rows [first, first + count) of a matrix or a vector.
xt::xarray<float> rows(const xt::xarray<float>& tensor, std::size_t first, std::size_t count) {
  std::vector<std::size_t> shape(tensor.shape().begin(), tensor.shape().end());
  const std::size_t size = tensor.size() / shape.at(0);
  shape.at(0) = count;
  xt::xarray<float> result = xt::xarray<float>::from_shape(shape);
  std::copy_n(tensor.data() + first * size, count * size, result.data());
  return result;
}

/// nn.MultiheadAttention's parameters under d2l's names.
StateDict from_torch(const StateDict& torch, std::size_t embed_dim) {
  StateDict result = {{"W_o.weight", torch.at("out_proj.weight")},
                      {"W_o.bias", torch.at("out_proj.bias")}};
  const std::array<std::string, 3> names = {"q", "k", "v"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto separate = torch.find(names.at(i) + "_proj_weight");
    result["W_" + names.at(i) + ".weight"] =
        separate != torch.end() ? separate->second
                                : rows(torch.at("in_proj_weight"), i * embed_dim, embed_dim);
    result["W_" + names.at(i) + ".bias"] = rows(torch.at("in_proj_bias"), i * embed_dim, embed_dim);
  }
  return result;
}

TEST_CASE("The layer agrees with PyTorch's nn.MultiheadAttention") {
  for (const OracleCase& oracle : oracle_cases("torch_mha", 2)) {
    const std::int64_t embed_dim = oracle.number("embed_dim");
    const std::int64_t num_heads = oracle.number("num_heads");
    const Inputs inputs = inputs_of(oracle, torch_names);
    ForwardOptions options;
    if (oracle.tensors.contains("in.attn_mask")) {
      // A float mask, added in both; (batch · heads, queries, keys) there.
      xt::xarray<float> mask = oracle.tensor("in.attn_mask");
      mask.reshape({inputs.queries.shape(0), static_cast<std::size_t>(num_heads), mask.shape(1),
                    mask.shape(2)});
      options.mask = mask;
    }
    check_layer(oracle, {.num_hiddens = embed_dim, .num_heads = num_heads, .bias = true},
                from_torch(oracle.parameters(), static_cast<std::size_t>(embed_dim)), inputs,
                options);
  }
}

TEST_CASE("scaled_dot_product_attention agrees with PyTorch's for grouped heads") {
  for (const OracleCase& oracle : oracle_cases("sdpa", 1)) {
    const auto [output, weights] =
        scaled_dot_product_attention(oracle.tensor("in.query"), oracle.tensor("in.key"),
                                     oracle.tensor("in.value"), {.return_weights = true});
    check_against_oracle(oracle, "out.output", output);
    check_against_oracle(oracle, "out.attention", *weights);
  }
}

TEST_CASE("The layer agrees with PyTorch for grouped heads") {
  for (const OracleCase& oracle : oracle_cases("gqa_mha", 1)) {
    check_layer(oracle,
                {.num_hiddens = oracle.number("num_hiddens"),
                 .num_heads = oracle.number("num_heads"),
                 .bias = true,
                 .num_kv_heads = oracle.number("num_kv_heads")},
                oracle.parameters(), inputs_of(oracle, self_attention));
  }
}

TEST_CASE("The layer agrees with d2l's AdditiveAttention in each head") {
  for (const OracleCase& oracle : oracle_cases("d2l_mha_additive", 1)) {
    check_layer(oracle,
                {.num_hiddens = oracle.number("num_hiddens"),
                 .num_heads = oracle.number("num_heads"),
                 .pooling = Pooling::additive,
                 .attention_hiddens = oracle.number("attention_hiddens")},
                oracle.parameters(), inputs_of(oracle, d2l_names),
                {.valid_lens = stored_valid_lens(oracle.tensors)});
  }
}

TEST_CASE("The layer agrees with PyTorch's grouped 1×1 convolutions") {
  for (const OracleCase& oracle : oracle_cases("conv_heads", 1)) {
    check_layer(oracle,
                {.num_hiddens = oracle.number("out_channels"),
                 .num_heads = oracle.number("num_heads"),
                 .bias = true,
                 .projection = Projection::convolution},
                oracle.parameters(), inputs_of(oracle, self_attention));
  }
}

TEST_CASE("The layer agrees with PyTorch for inputs split directly") {
  for (const OracleCase& oracle : oracle_cases("split_heads", 1)) {
    check_layer(oracle,
                {.num_hiddens = oracle.number("num_hiddens"),
                 .num_heads = oracle.number("num_heads"),
                 .projection = Projection::none},
                {}, inputs_of(oracle, d2l_names));
  }
}

/// What a full cache holds, (batch, key-value heads, max_length, head size).
Tensor<4> contents(const HeadsView<float>& cached, const std::array<std::size_t, 4>& shape) {
  auto result = Tensor<4>::from_shape(shape);
  std::copy_n(cached.data, result.size(), result.data());
  return result;
}

TEST_CASE("Decoding in the chunks of the oracle gives its causal pass and its cache") {
  for (const OracleCase& oracle : oracle_cases("kv_decode", 1)) {
    const Inputs inputs = inputs_of(oracle, self_attention);
    const MultiHeadAttentionOptions options{.num_hiddens = oracle.number("num_hiddens"),
                                            .num_heads = oracle.number("num_heads"),
                                            .bias = true,
                                            .num_kv_heads = oracle.number("num_kv_heads")};
    check_layer(oracle, options, oracle.parameters(), inputs, {.causal = Causal::top_left});
    MultiHeadAttention layer(options);
    layer.load_state_dict(oracle.parameters());
    const std::vector<std::vector<std::size_t>> splits = {
        {1, 1, 1, 1, 1, 1, 1, 1, 1}, {5, 1, 1, 1, 1}, {4, 3, 2}};
    for (const auto& chunks : splits) {
      KeyValueCache cache = layer.create_cache({.batch_size = 2, .max_length = 9});
      auto output = full<3>({2, 9, 20}, 0);
      std::size_t begin = 0;
      for (const std::size_t chunk : chunks) {
        const Tensor<3> x = positions(inputs.queries, begin, begin + chunk);
        const auto part =
            layer.forward(x, x, x, {.causal = Causal::top_left, .cache = &cache}).output;
        for (std::size_t b = 0; b < 2; ++b) {
          std::copy_n(&part(b, 0, 0), chunk * 20, &output(b, begin, 0));
        }
        begin += chunk;
      }
      check_against_oracle(oracle, "out.output", output);
      check_against_oracle(oracle, "out.cache_key", contents(cache.keys(), {2, 4, 9, 5}));
      check_against_oracle(oracle, "out.cache_value", contents(cache.values(), {2, 4, 9, 5}));
    }
  }
}

TEST_CASE("Heads gated at 0 give the output of the layer without them") {
  for (const OracleCase& oracle : oracle_cases("prune_heads", 1)) {
    MultiHeadAttention layer({.num_hiddens = 100, .num_heads = 5, .bias = true});
    layer.load_state_dict(oracle.parameters());
    const Inputs inputs = inputs_of(oracle, d2l_names);
    const ValidLens valid_lens = stored_valid_lens(oracle.tensors);
    const auto gated = forward(
        layer, inputs,
        {.valid_lens = valid_lens, .head_gate = Tensor<1>{1, 0, 1, 0, 1}, .return_weights = true});
    check_against_oracle(oracle, "out.output", gated.output);
    check_against_oracle(oracle, "out.full_output",
                         forward(layer, inputs, {.valid_lens = valid_lens}).output);
    const Tensor<4>& weights = *gated.attention_weights;
    auto kept = full<4>({2, 3, 4, 6}, 0);
    for (std::size_t b = 0; b < 2; ++b) {
      for (std::size_t h = 0; h < 3; ++h) {
        std::copy_n(&weights(b, 2 * h, 0, 0), 24, &kept(b, h, 0, 0));
      }
    }
    check_against_oracle(oracle, "out.attention_kept", kept);
  }
}

TEST_CASE("The forward pass of head importance, with gates left out and at 1") {
  for (const OracleCase& oracle : oracle_cases("head_importance", 1)) {
    const MultiHeadAttentionOptions options{.num_hiddens = 20, .num_heads = 5};
    const Inputs inputs = inputs_of(oracle, d2l_names);
    check_layer(oracle, options, oracle.parameters(), inputs);
    check_layer(oracle, options, oracle.parameters(), inputs, {.head_gate = full<2>({4, 5}, 1)});
  }
}

}  // namespace
}  // namespace headwise::test
