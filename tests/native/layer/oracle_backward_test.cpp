#include <catch2/catch_test_macros.hpp>

#include "gradient_problem.hpp"
#include "oracle_case.hpp"

/// Gradients of the layer, held against PyTorch's.
namespace headwise::test {
namespace {

using Names = std::map<std::string, std::string>;

const Names d2l_names = {{"queries", "queries"}, {"keys", "keys"}, {"values", "values"}};
const Names torch_names = {{"queries", "query"}, {"keys", "key"}, {"values", "value"}};

Inputs inputs_of(const OracleCase& oracle, const Names& names) {
  return {.queries = oracle.tensor("in." + names.at("queries")),
          .keys = oracle.tensor("in." + names.at("keys")),
          .values = oracle.tensor("in." + names.at("values"))};
}

void check_gradient(const OracleCase& oracle, const std::string& name,
                    const std::vector<double>& gradient) {
  check_values_against_oracle(oracle, name, oracle.tensors.at(name).shape, gradient);
}

/// The gradients of the layer for the case's cotangent.
NamedGradients layer_gradients(const OracleCase& oracle, const MultiHeadAttentionOptions& options,
                               const StateDict& parameters, const Inputs& inputs,
                               ForwardOptions forward_options = {}) {
  MultiHeadAttention layer(options);
  layer.load_state_dict(parameters);
  forward_options.requires_grad = true;
  const auto result = forward(layer, inputs, forward_options);
  check_against_oracle(oracle, "out.output", result.output);
  return by_name(layer.backward(Tensor<3>(oracle.tensor("cotangent"))), layer);
}

/// Inputs by `names`, parameters by their own.
void check_gradients(const OracleCase& oracle, const NamedGradients& gradients, const Names& names,
                     const StateDict& parameters) {
  for (const auto& [ours, theirs] : names) {
    check_gradient(oracle, "grad.in." + theirs, gradients.at(ours));
  }
  for (const auto& [name, parameter] : parameters) {
    check_gradient(oracle, "grad.param." + name, gradients.at(name));
  }
}

MultiHeadAttentionOptions options_of(const OracleCase& oracle) {
  return {.num_hiddens = oracle.number("num_hiddens"),
          .num_heads = oracle.number("num_heads"),
          .dropout = oracle.record.number<double>("dropout"),
          .bias = oracle.number("bias") != 0};
}

TEST_CASE("Gradients agree with those of d2l's layer in PyTorch") {
  std::size_t count = 0;
  for (const OracleCase& oracle : oracle_cases("d2l_mha", 5)) {
    if (oracle.tensors.contains("cotangent")) {
      ++count;
      check_gradients(oracle,
                      layer_gradients(oracle, options_of(oracle), oracle.parameters(),
                                      inputs_of(oracle, d2l_names),
                                      {.valid_lens = stored_valid_lens(oracle.tensors)}),
                      d2l_names, oracle.parameters());
    }
  }
  CHECK(count == 3);
}

TEST_CASE("Gradients agree with those of d2l's AdditiveAttention in each head") {
  for (const OracleCase& oracle : oracle_cases("d2l_mha_additive", 1)) {
    auto options = options_of(oracle);
    options.pooling = Pooling::additive;
    options.attention_hiddens = oracle.number("attention_hiddens");
    check_gradients(
        oracle,
        layer_gradients(oracle, options, oracle.parameters(), inputs_of(oracle, d2l_names),
                        {.valid_lens = stored_valid_lens(oracle.tensors)}),
        d2l_names, oracle.parameters());
  }
}

TEST_CASE("Gradients agree with PyTorch's for inputs split directly") {
  for (const OracleCase& oracle : oracle_cases("split_heads", 1)) {
    auto options = options_of(oracle);
    options.projection = Projection::none;
    check_gradients(oracle, layer_gradients(oracle, options, {}, inputs_of(oracle, d2l_names)),
                    d2l_names, {});
  }
}

std::vector<double> sum_of(const std::vector<const std::vector<double>*>& lists) {
  std::vector<double> sum(lists.front()->size(), 0.0);
  for (const auto* list : lists) {
    std::transform(list->begin(), list->end(), sum.begin(), sum.begin(), std::plus<>());
  }
  return sum;
}

TEST_CASE("Gradients agree with PyTorch's grouped 1×1 convolutions of one input") {
  for (const OracleCase& oracle : oracle_cases("conv_heads", 1)) {
    const Inputs inputs = inputs_of(oracle, {{"queries", "x"}, {"keys", "x"}, {"values", "x"}});
    const NamedGradients gradients = layer_gradients(oracle,
                                                     {.num_hiddens = oracle.number("out_channels"),
                                                      .num_heads = oracle.number("num_heads"),
                                                      .bias = true,
                                                      .projection = Projection::convolution},
                                                     oracle.parameters(), inputs);
    // Each of the three has a gradient of its own.
    check_gradient(
        oracle, "grad.in.x",
        sum_of({&gradients.at("queries"), &gradients.at("keys"), &gradients.at("values")}));
    check_gradients(oracle, gradients, {}, oracle.parameters());
  }
}

std::vector<double> concatenated(const NamedGradients& gradients,
                                 const std::vector<std::string>& names) {
  std::vector<double> result;
  for (const std::string& name : names) {
    result.insert(result.end(), gradients.at(name).begin(), gradients.at(name).end());
  }
  return result;
}

TEST_CASE("Gradients agree with those of PyTorch's nn.MultiheadAttention") {
  for (const OracleCase& oracle : oracle_cases("torch_mha", 2)) {
    const std::int64_t num_heads = oracle.number("num_heads");
    const Inputs inputs = inputs_of(oracle, torch_names);
    ForwardOptions options{.requires_grad = true};
    if (oracle.tensors.contains("in.attn_mask")) {
      xt::xarray<float> mask = oracle.tensor("in.attn_mask");
      mask.reshape({inputs.queries.shape(0), static_cast<std::size_t>(num_heads), mask.shape(1),
                    mask.shape(2)});
      options.mask = mask;
    }
    auto layer = MultiHeadAttention::from_state_dict(oracle.parameters(), {.num_heads = num_heads});
    forward(layer, inputs, options);
    const NamedGradients gradients =
        by_name(layer.backward(Tensor<3>(oracle.tensor("cotangent"))), layer);
    check_gradients(oracle, gradients, torch_names, {});
    check_gradient(oracle, "grad.param.in_proj_bias",
                   concatenated(gradients, {"W_q.bias", "W_k.bias", "W_v.bias"}));
    check_gradient(oracle, "grad.param.out_proj.weight", gradients.at("W_o.weight"));
    check_gradient(oracle, "grad.param.out_proj.bias", gradients.at("W_o.bias"));
    if (oracle.tensors.contains("grad.param.in_proj_weight")) {
      check_gradient(oracle, "grad.param.in_proj_weight",
                     concatenated(gradients, {"W_q.weight", "W_k.weight", "W_v.weight"}));
    } else {
      check_gradient(oracle, "grad.param.q_proj_weight", gradients.at("W_q.weight"));
      check_gradient(oracle, "grad.param.k_proj_weight", gradients.at("W_k.weight"));
      check_gradient(oracle, "grad.param.v_proj_weight", gradients.at("W_v.weight"));
    }
  }
}

/// (batch, heads, length, d) → (batch, length, heads · d)
Tensor<3> side_by_side(const xt::xarray<float>& heads) {
  auto result =
      Tensor<3>::from_shape({heads.shape(0), heads.shape(2), heads.shape(1) * heads.shape(3)});
  copy_heads(separate_heads_view(heads.data(), heads.shape(1), heads.shape(2), heads.shape(3)),
             split_heads_view(result.data(), heads.shape(2), heads.shape(1), heads.shape(3)),
             heads.shape(0), heads.shape(1), heads.shape(2), heads.shape(3));
  return result;
}

xt::xarray<float> identity(std::size_t size) {
  xt::xarray<float> matrix = full<2>({size, size}, 0);
  for (std::size_t i = 0; i < size; ++i) {
    matrix(i, i) = 1;
  }
  return matrix;
}

// The layer with projections that change nothing is the pooling function.
TEST_CASE("Gradients agree with PyTorch's scaled_dot_product_attention for grouped heads") {
  for (const OracleCase& oracle : oracle_cases("sdpa", 1)) {
    const auto queries = oracle.tensor("in.query");
    const auto keys = oracle.tensor("in.key");
    const std::size_t width = queries.shape(1) * queries.shape(3);
    const std::size_t kv_width = keys.shape(1) * keys.shape(3);
    MultiHeadAttention layer({.num_hiddens = static_cast<std::int64_t>(width),
                              .num_heads = static_cast<std::int64_t>(queries.shape(1)),
                              .output_projection = false,
                              .num_kv_heads = static_cast<std::int64_t>(keys.shape(1))});
    layer.load_state_dict({{"W_q.weight", identity(width)},
                           {"W_k.weight", identity(kv_width)},
                           {"W_v.weight", identity(kv_width)}});
    layer.forward(side_by_side(queries), side_by_side(keys),
                  side_by_side(oracle.tensor("in.value")), {.requires_grad = true});
    const auto gradients = layer.backward(side_by_side(oracle.tensor("cotangent")));
    const auto check = [&](const std::string& name, const Tensor<3>& gradient,
                           std::size_t num_heads) {
      check_against_oracle(oracle, name,
                           split_heads(gradient, static_cast<std::int64_t>(num_heads)));
    };
    check("grad.in.query", gradients.queries, queries.shape(1));
    check("grad.in.key", gradients.keys, keys.shape(1));
    check("grad.in.value", gradients.values, keys.shape(1));
  }
}

TEST_CASE("Gradients of head gates agree with those of head importance, given at 1 or left out") {
  for (const OracleCase& oracle : oracle_cases("head_importance", 1)) {
    for (const HeadGate& gate :
         {HeadGate{}, HeadGate{full<1>({5}, 1)}, HeadGate{full<2>({4, 5}, 1)}}) {
      MultiHeadAttention layer({.num_hiddens = 20, .num_heads = 5});
      layer.load_state_dict(oracle.parameters());
      forward(layer, inputs_of(oracle, d2l_names), {.head_gate = gate, .requires_grad = true});
      const auto gradients = layer.backward(Tensor<3>(oracle.tensor("in.cotangent")));
      check_against_oracle(oracle, "out.gate_grad", gradients.head_gate);
    }
  }
}

// The library draws its own dropout mask and takes none, so this holds the reference against the
// given mask; gradient_check.cpp holds the library against the reference.
TEST_CASE("The reference's gradients agree with d2l's for a given dropout mask") {
  for (const OracleCase& oracle : oracle_cases("d2l_mha_dropout_mask", 1)) {
    const Inputs inputs = inputs_of(oracle, d2l_names);
    auto options = options_of(oracle);
    reference::Doubles<4> factors = oracle.tensor("in.keep");
    for (double& factor : factors) {
      factor /= 1 - options.dropout;
    }
    const auto gradients =
        by_name(reference::gradients({.layer = options,
                                      .parameters = oracle.parameters(),
                                      .queries = inputs.queries,
                                      .keys = inputs.keys,
                                      .values = inputs.values,
                                      .options = {.valid_lens = stored_valid_lens(oracle.tensors)},
                                      .dropout_factors = factors,
                                      .grad_output = oracle.tensor("cotangent")}));
    check_gradients(oracle, gradients, d2l_names, oracle.parameters());
  }
}

}  // namespace
}  // namespace headwise::test
