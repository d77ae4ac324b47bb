#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstdio>
#include <string>

#include "compare.hpp"
#include "records.hpp"
#include "reference.hpp"
#include "safetensors.hpp"

namespace headwise::test {
namespace {

struct OracleCase {
  Record record;
  StoredTensors tensors;
};

std::vector<OracleCase> oracle_cases(const std::string& op) {
  std::vector<OracleCase> cases;
  for (const Record& record : read_records("oracle/index.txt")) {
    if (record.text("op") == op) {
      cases.push_back(
          {.record = record, .tensors = read_safetensors("oracle/" + record.text("file"))});
    }
  }
  return cases;
}

/// The tolerance of the tensor `name`.
double atol(const Record& record, const std::string& name) {
  for (const std::string& line : record.all("atol")) {
    const auto words = Record::words(line);
    if (words.at(0) == name) {
      return std::stod(words.at(1));
    }
  }
  FAIL("the oracle has no tolerance for " << name);
  return 0;
}

template <typename Result>
void check_against_oracle(const OracleCase& oracle, const std::string& name, const Result& result) {
  const double largest = max_difference(result, oracle.tensors.at(name).values);
  const double allowed = atol(oracle.record, name);
  std::printf("%-24s %-14s largest difference %.2e of %.2e\n", oracle.record.text("name").c_str(),
              name.c_str(), largest, allowed);
  CAPTURE(oracle.record.text("name"), name);
  CHECK(largest <= allowed);
}

MultiHeadAttention layer_of(const OracleCase& oracle) {
  MultiHeadAttention layer({.num_hiddens = oracle.record.number<std::int64_t>("num_hiddens"),
                            .num_heads = oracle.record.number<std::int64_t>("num_heads"),
                            .dropout = oracle.record.number<double>("dropout"),
                            .bias = oracle.record.number<int>("bias") != 0});
  layer.load_state_dict(stored_parameters(oracle.tensors));
  return layer;
}

Inputs inputs_of(const OracleCase& oracle) {
  const auto input = [&](const std::string& name) {
    return to_tensor<float, 3>(oracle.tensors.at("in." + name));
  };
  return {.queries = input("queries"), .keys = input("keys"), .values = input("values")};
}

TEST_CASE("The layer agrees with d2l's in PyTorch") {
  const auto cases = oracle_cases("d2l_mha");
  REQUIRE(cases.size() == 5);
  for (const OracleCase& oracle : cases) {
    MultiHeadAttention layer = layer_of(oracle);
    const auto [output, weights] =
        forward(layer, inputs_of(oracle),
                {.valid_lens = stored_valid_lens(oracle.tensors), .return_weights = true});
    check_against_oracle(oracle, "out.output", output);
    check_against_oracle(oracle, "out.attention", *weights);
  }
}

/// Valid lengths for each head of each sample, as d2l repeats them.
ValidLens repeat_by_head(const ValidLens& valid_lens, std::size_t batch, std::size_t num_heads,
                         std::size_t num_queries, std::size_t num_keys) {
  auto repeated = LensByQuery::from_shape({batch * num_heads, num_queries});
  for (std::size_t head = 0; head < batch * num_heads; ++head) {
    for (std::size_t query = 0; query < num_queries; ++query) {
      const std::size_t length = valid_len(valid_lens, head / num_heads, query, num_keys);
      repeated(head, query) = static_cast<std::int64_t>(length);
    }
  }
  return repeated;
}

TEST_CASE("The chapter's own functions, put together as it does, give d2l's concatenated heads") {
  for (const OracleCase& oracle : oracle_cases("d2l_mha")) {
    const StateDict parameters = stored_parameters(oracle.tensors);
    const auto num_heads = oracle.record.number<std::int64_t>("num_heads");
    const Inputs inputs = inputs_of(oracle);
    const auto heads_of = [&](const std::string& name, const Tensor<3>& x) {
      const Doubles projected = project(parameters, name, Doubles(x.begin(), x.end()));
      auto tensor =
          Tensor<3>::from_shape({x.shape(0), x.shape(1), parameters.at(name + ".weight").shape(0)});
      std::transform(projected.begin(), projected.end(), tensor.begin(),
                     [](double number) { return static_cast<float>(number); });
      return transpose_qkv(tensor, num_heads);
    };
    const auto pooled = dot_product_attention(
        heads_of("W_q", inputs.queries), heads_of("W_k", inputs.keys),
        heads_of("W_v", inputs.values),
        {.valid_lens = repeat_by_head(stored_valid_lens(oracle.tensors), inputs.queries.shape(0),
                                      static_cast<std::size_t>(num_heads), inputs.queries.shape(1),
                                      inputs.keys.shape(1))});
    check_against_oracle(oracle, "out.concat", transpose_output(pooled.output, num_heads));
  }
}

// The library draws its own mask and takes none, so two tests share this case: here the float64
// reference is held against the given mask, in dropout_test.cpp the library against the reference.
TEST_CASE("The reference agrees with d2l's dropout for a given mask") {
  const auto cases = oracle_cases("d2l_mha_dropout_mask");
  REQUIRE(cases.size() == 1);
  for (const OracleCase& oracle : cases) {
    const Inputs inputs = inputs_of(oracle);
    const ValidLens valid_lens = stored_valid_lens(oracle.tensors);
    Doubles factors = oracle.tensors.at("in.keep").values;
    for (double& factor : factors) {
      factor /= 1 - oracle.record.number<double>("dropout");
    }
    const Pooled expected = multi_head_attention(
        stored_parameters(oracle.tensors), oracle.record.number<std::size_t>("num_heads"),
        inputs.queries, inputs.keys, inputs.values, {.valid_lens = valid_lens}, factors);
    check_against_oracle(oracle, "out.output", expected.output);
    check_against_oracle(oracle, "out.attention", expected.weights);

    // The weights that the layer returns are those before dropout.
    MultiHeadAttention layer = layer_of(oracle);
    const auto result =
        forward(layer.train(), inputs, {.valid_lens = valid_lens, .return_weights = true});
    check_against_oracle(oracle, "out.attention", *result.attention_weights);
  }
}

}  // namespace
}  // namespace headwise::test
