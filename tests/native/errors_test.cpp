#include <catch2/catch_test_macros.hpp>
#include <functional>
#include <map>

#include "compare.hpp"
#include "table.hpp"

namespace headwise::test {
namespace {

template <std::size_t Rank>
Tensor<Rank> tensor_of(const Record& record, const std::string& key) {
  return randn<Rank>(shape_of<Rank>(record, key), 1);
}

StateDict state_dict_of(const Record& record) {
  StateDict dict;
  for (const std::string& line : record.all("parameter")) {
    const auto words = Record::words(line);
    std::vector<std::size_t> shape;
    for (std::size_t i = 1; i < words.size(); ++i) {
      shape.push_back(std::stoul(words[i]));
    }
    auto& parameter = dict[words.at(0)] = xt::xarray<float>::from_shape(shape);
    parameter.fill(1);
  }
  return dict;
}

DotProductAttentionOptions pooling_options_of(const Record& record) {
  return {.valid_lens = valid_lens_of(record)};
}

using LayerCall = std::function<void(const Record&, MultiHeadAttention&)>;
using Call = std::function<void(const Record&)>;

const std::map<std::string, LayerCall> layer_calls = {
    {"forward",
     [](const Record& record, MultiHeadAttention& layer) {
       layer.forward(tensor_of<3>(record, "queries"), tensor_of<3>(record, "keys"),
                     tensor_of<3>(record, "values"),
                     {.valid_lens = valid_lens_of(record), .return_weights = true});
     }},
    {"state_dict",
     [](const Record&, MultiHeadAttention& layer) { static_cast<void>(layer.state_dict()); }},
    {"load_state_dict", [](const Record& record, MultiHeadAttention& layer) {
       layer.load_state_dict(state_dict_of(record));
     }}};

const std::map<std::string, Call> other_calls = {
    {"construct", [](const Record& record) { const MultiHeadAttention layer(options_of(record)); }},
    {"masked_softmax",
     [](const Record& record) {
       static_cast<void>(masked_softmax(tensor_of<3>(record, "scores"), valid_lens_of(record)));
     }},
    {"scaled_dot_product_attention",
     [](const Record& record) {
       static_cast<void>(scaled_dot_product_attention(
           tensor_of<4>(record, "queries"), tensor_of<4>(record, "keys"),
           tensor_of<4>(record, "values"), pooling_options_of(record)));
     }},
    {"transpose_qkv",
     [](const Record& record) {
       static_cast<void>(
           transpose_qkv(tensor_of<3>(record, "X"), record.number<std::int64_t>("num_heads")));
     }},
    {"transpose_output", [](const Record& record) {
       static_cast<void>(
           transpose_output(tensor_of<3>(record, "X"), record.number<std::int64_t>("num_heads")));
     }}};

void check_fails(const Record& record, const auto& call) {
  CHECK(error_of(call) == record.text("code") + "; " + record.text("message"));
}

/// A pass in training mode that fits the layer's sizes, those that are still unknown taken as 6:
/// no bad call of the table has that size, so an inferred one shows.
AttentionResult good_forward(MultiHeadAttention& layer) {
  return forward(layer.train(), random_inputs({.batch = 2,
                                               .queries = 3,
                                               .keys = 4,
                                               .query_size = layer.query_size().value_or(6),
                                               .key_size = layer.key_size().value_or(6),
                                               .value_size = layer.value_size().value_or(6)}));
}

void check_layer_call(const Record& record, const LayerCall& call) {
  auto options = options_of(record);
  options.dropout = 0.5;
  MultiHeadAttention layer(options);
  MultiHeadAttention twin(options);
  check_fails(record, [&] { call(record, layer); });
  CHECK(layer.query_size() == twin.query_size());
  CHECK(layer.key_size() == twin.key_size());
  CHECK(layer.value_size() == twin.value_size());
  const auto result = good_forward(layer);
  const auto expected = good_forward(twin);
  CHECK(max_difference(result.output, expected.output) == 0);
  CHECK(max_difference(*result.attention_weights, *expected.attention_weights) == 0);

  // Once more, with sizes and parameters that must not change.
  if (record.text("call") != "state_dict") {
    CHECK_THROWS_AS(call(record, layer), Error);
    CHECK(max_difference(good_forward(layer).output, good_forward(twin).output) == 0);
  }
}

TEST_CASE("Every bad call of the table fails with its code and text and changes nothing") {
  for (const Record& record : read_records("errors.txt")) {
    CAPTURE(record.text("name"));
    const std::string& name = record.text("call");
    if (const auto call = layer_calls.find(name); call != layer_calls.end()) {
      check_layer_call(record, call->second);
    } else {
      check_fails(record, [&] { other_calls.at(name)(record); });
    }
  }
}

TEST_CASE("dot_product_attention checks as its sister with heads does") {
  const Tensor<3> queries = randn<3>({2, 3, 4}, 1);
  const Tensor<3> keys = randn<3>({2, 5, 4}, 1);
  CHECK(error_of([&] { return dot_product_attention(queries, randn<3>({2, 5, 3}, 1), keys); }) ==
        "invalid-shape; keys: expected (2, keys, 4), got (2, 5, 3)");
  CHECK(error_of([&] { return dot_product_attention(queries, randn<3>({1, 5, 4}, 1), keys); }) ==
        "invalid-shape; keys: expected (2, keys, 4), got (1, 5, 4)");
  CHECK(error_of([&] { return dot_product_attention(queries, keys, queries); }) ==
        "invalid-shape; values: expected (2, 5, value_size), got (2, 3, 4)");
  CHECK(error_of([&] {
          return dot_product_attention(randn<3>({2, 3, 0}, 1), randn<3>({2, 5, 0}, 1), keys);
        }) == "invalid-shape; queries: expected a head size of at least 1, got (2, 3, 0)");
  CHECK(error_of([&] {
          return dot_product_attention(queries, keys, keys, {.valid_lens = LensBySample{6, 1}});
        }) == "invalid-value; valid_lens: expected integers from 0 to 5, got 6");
}

TEST_CASE("Errors are those of invalid arguments, for callers who catch the standard's") {
  CHECK_THROWS_AS(MultiHeadAttention({.num_hiddens = 8, .num_heads = 3}), std::invalid_argument);
}

}  // namespace
}  // namespace headwise::test
