#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "compare.hpp"
#include "gradient_check.hpp"
#include "problem.hpp"
#include "table.hpp"

/// The layer held against PyTorch.
namespace headwise::test {
namespace {

/// A case of tests/data/oracle: what PyTorch gives.
struct OracleCase {
  Record record;
  StoredTensors tensors;

  [[nodiscard]] std::int64_t number(const std::string& attribute) const {
    return record.number<std::int64_t>(attribute);
  }
  /// The stored tensor of this name, of any rank.
  [[nodiscard]] xt::xarray<float> tensor(const std::string& name) const {
    return xt::cast<float>(tensors.at(name));
  }
  /// All tensors `param.…`, without the prefix.
  [[nodiscard]] StateDict parameters() const {
    const std::string prefix = "param.";
    StateDict result;
    for (const auto& [name, stored] : tensors) {
      if (name.starts_with(prefix)) {
        result[name.substr(prefix.size())] = tensor(name);
      }
    }
    return result;
  }
  [[nodiscard]] double tolerance(const std::string& name) const {
    for (const std::string& line : record.all("atol")) {
      const auto words = Record::words(line);
      if (words.at(0) == name) {
        return std::stod(words.at(1));
      }
    }
    FAIL("the oracle has no tolerance for " << name);
    return 0;
  }
};

/// The cases of this kind; the test fails if there are not so many.
std::vector<OracleCase> oracle_cases(const std::string& op, std::size_t count) {
  std::vector<OracleCase> cases;
  for (const Record& record : read_records("oracle/index.txt")) {
    if (record.text("op") == op) {
      cases.push_back(
          {.record = record, .tensors = read_safetensors("oracle/" + record.text("file"))});
    }
  }
  REQUIRE(cases.size() == count);
  return cases;
}

/// Holds a tensor against the stored one `name`.
template <typename Tensor>
void check_against_oracle(const OracleCase& oracle, const std::string& name, const Tensor& result) {
  CAPTURE(oracle.record.text("name"), name);
  const xt::xarray<double>& expected = oracle.tensors.at(name);
  CHECK(std::ranges::equal(result.shape(), expected.shape()));
  CHECK(max_difference(result, expected) <= oracle.tolerance(name));
}

/// The names that an oracle gives queries, keys and values.
std::array<std::string, 3> input_names(const OracleCase& oracle) {
  const auto has = [&](const char* name) { return oracle.tensors.contains(name); };
  return has("in.x")       ? std::array<std::string, 3>{"x", "x", "x"}
         : has("in.query") ? std::array<std::string, 3>{"query", "key", "value"}
                           : std::array<std::string, 3>{"queries", "keys", "values"};
}

Inputs inputs_of(const OracleCase& oracle) {
  const auto [queries, keys, values] = input_names(oracle);
  return {.queries = oracle.tensor("in." + queries),
          .keys = oracle.tensor("in." + keys),
          .values = oracle.tensor("in." + values)};
}

/// The layer's options; what an operation means beside its attributes is in the table below.
MultiHeadAttentionOptions layer_options(const OracleCase& oracle, const std::string& op) {
  MultiHeadAttentionOptions options = options_of(oracle.record);
  if (op == "d2l_mha_additive") {
    options.pooling = Pooling::additive;
  } else if (op == "conv_heads") {
    options.projection = Projection::convolution;
    options.num_hiddens = oracle.number("out_channels");
  } else if (op == "split_heads") {
    options.projection = Projection::none;
  }
  return options;
}

MultiHeadAttention layer_of(const OracleCase& oracle, const MultiHeadAttentionOptions& options,
                            const std::string& op) {
  if (op == "torch_mha") {
    return MultiHeadAttention::from_state_dict(oracle.parameters(),
                                               {.num_heads = options.num_heads});
  }
  MultiHeadAttention layer(options);
  layer.load_state_dict(oracle.parameters());
  return layer;
}

ForwardOptions forward_options(const OracleCase& oracle, const std::string& op) {
  ForwardOptions options{
      .return_weights = true, .capture = {.pooled = true}, .requires_grad = true};
  if (oracle.tensors.contains("in.valid_lens")) {
    options.valid_lens = xt::cast<std::int64_t>(oracle.tensors.at("in.valid_lens"));
  }
  if (op == "kv_decode") {
    options.causal = Causal::top_left;
  }
  if (oracle.tensors.contains("in.attn_mask")) {
    // A float mask, added in both; (batch · heads, queries, keys) there.
    xt::xarray<float> mask = oracle.tensor("in.attn_mask");
    const auto num_heads = static_cast<std::size_t>(oracle.number("num_heads"));
    mask.reshape({mask.shape(0) / num_heads, num_heads, mask.shape(1), mask.shape(2)});
    options.mask = mask;
  }
  return options;
}

/// What the oracle's gradient `name` is made of: for torch's names, one or three of ours.
std::vector<std::string> own_names(const std::string& name) {
  const std::string kind = name.substr(name.rfind('_') + 1);
  if (name.starts_with("in_proj_")) {
    return {"W_q." + kind, "W_k." + kind, "W_v." + kind};
  }
  if (name.starts_with("out_proj.")) {
    return {"W_o." + name.substr(name.rfind('.') + 1)};
  }
  if (name.ends_with("_proj_weight")) {
    return {"W_" + name.substr(0, 1) + ".weight"};
  }
  return {name};
}

/// Every gradient that the case has.
void check_gradients(const OracleCase& oracle, const NamedTensors& gradients) {
  const std::array<std::string, 3> inputs = {"queries", "keys", "values"};
  const auto names = input_names(oracle);
  for (const auto& [name, stored] : oracle.tensors) {
    xt::xarray<double> gradient;
    if (name.starts_with("grad.param.")) {
      const std::vector<std::string> own = own_names(name.substr(11));
      gradient = gradients.at(own[0]);
      for (std::size_t i = 1; i < own.size(); ++i) {
        gradient = xt::concatenate(xt::xtuple(xt::xarray<double>(gradient), gradients.at(own[i])));
      }
    } else if (name.starts_with("grad.in.")) {
      gradient = xt::zeros<double>(stored.shape());
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        // An input that is all three has three gradients.
        if (name.substr(8) == names[i]) {
          gradient += gradients.at(inputs[i]);
        }
      }
    } else {
      continue;
    }
    check_against_oracle(oracle, name, gradient);
  }
}

TEST_CASE("Outputs, weights, heads before W_o and gradients agree with PyTorch") {
  const std::vector<std::pair<std::string, std::size_t>> operations = {
      {"d2l_mha", 5},    {"d2l_mha_additive", 1}, {"torch_mha", 2}, {"gqa_mha", 1},
      {"conv_heads", 1}, {"split_heads", 1},      {"kv_decode", 1}, {"head_importance", 1}};
  std::size_t num_backwards = 0;
  for (const auto& [op, count] : operations) {
    for (const OracleCase& oracle : oracle_cases(op, count)) {
      const MultiHeadAttentionOptions options = layer_options(oracle, op);
      MultiHeadAttention layer = layer_of(oracle, options, op);
      const ForwardOptions call = forward_options(oracle, op);
      const auto result = forward(layer, inputs_of(oracle), call);
      check_against_oracle(oracle, "out.output", result.output);
      if (oracle.tensors.contains("out.attention")) {
        check_against_oracle(oracle, "out.attention", *result.attention_weights);
      }
      if (oracle.tensors.contains("out.concat")) {
        const Tensor<4>& heads = *result.captured.pooled;
        check_against_oracle(oracle, "out.concat", reference::join(heads, heads.shape(2)));
      }
      if (op == "head_importance") {
        const auto gradients = layer.backward(Tensor<3>(oracle.tensor("in.cotangent")));
        check_against_oracle(oracle, "out.gate_grad", gradients.head_gate);
      } else if (oracle.tensors.contains("cotangent")) {
        ++num_backwards;
        const auto inputs = layer.backward(Tensor<3>(oracle.tensor("cotangent")));
        check_gradients(oracle, by_name(inputs, layer.gradients()));
      }
    }
  }
  CHECK(num_backwards == 8);
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

}  // namespace
}  // namespace headwise::test
