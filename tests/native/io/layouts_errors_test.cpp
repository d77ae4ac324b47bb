#include <catch2/catch_test_macros.hpp>

#include "compare.hpp"
#include "layouts.hpp"

/// State dicts that no layer can be read from.
namespace headwise::test {
namespace {

using Names = std::vector<std::string>;
using Shapes = std::map<std::string, std::vector<std::size_t>>;

std::string error_of_dict(const StateDict& dict, std::int64_t num_heads = 3,
                          const std::string& prefix = "") {
  return error_of([&] {
    return MultiHeadAttention::from_state_dict(dict, {.num_heads = num_heads, .prefix = prefix});
  });
}

/// What is said of a dict with some tensors left out and some of other shapes, new ones among them.
std::string error_of_changed(StateDict dict, const Names& left_out, const Shapes& shapes = {},
                             std::int64_t num_heads = 3) {
  REQUIRE(error_of_dict(dict, num_heads) == "no error");
  for (const std::string& name : left_out) {
    CAPTURE(name);
    REQUIRE(dict.erase(name) == 1);
  }
  for (const auto& [name, shape] : shapes) {
    dict[name] = xt::xarray<float>::from_shape(shape);
    dict[name].fill(1);
  }
  return error_of_dict(dict, num_heads);
}

MultiHeadAttentionOptions options() {
  return {.num_hiddens = 12,
          .num_heads = 3,
          .bias = true,
          .query_size = 12,
          .key_size = 12,
          .value_size = 12,
          .seed = 1};
}

const std::string start = "invalid-state-dict; state_dict: ";

TEST_CASE("A state dict of d2l's layout lists what does not fit") {
  const StateDict d2l = random_parameters(options());
  CHECK(error_of_changed(d2l, {"W_q.weight"}) == start + "missing W_q.weight");
  CHECK(error_of_changed(d2l, {"W_k.weight", "W_v.bias"}) ==
        start + "missing W_k.weight, W_v.bias");
  CHECK(error_of_changed(d2l, {"W_o.weight"}) == start + "missing W_o.weight");
  CHECK(error_of_changed(d2l, {"W_o.bias"}) == start + "missing W_o.bias");
  CHECK(error_of_changed(d2l, {}, {{"W_x.weight", {1}}, {"attention.W_x", {2}}}) ==
        start + "unexpected W_x.weight, attention.W_x");
  CHECK(error_of_changed(d2l, {"W_q.bias", "W_k.bias"}, {{"extra", {}}, {"W_o.bias", {1, 12}}}) ==
        start +
            "missing W_q.bias, W_k.bias; unexpected extra; "
            "W_o.bias: expected (12,), got (1, 12)");
  CHECK(error_of_changed(d2l, {}, {{"W_k.weight", {11, 5}}, {"W_v.bias", {}}}) ==
        start + "W_k.weight: expected (12, 5), got (11, 5); W_v.bias: expected (12,), got ()");
  CHECK(error_of_changed(d2l, {}, {{"W_o.weight", {12, 11}}, {"W_o.bias", {12}}}) ==
        start + "W_o.weight: expected (12, 12), got (12, 11)");
  CHECK(error_of_changed(d2l, {}, {{"W_o.weight", {12}}}) ==
        start + "W_o.weight: expected 2 axes of at least 1, got (12,)");
  CHECK(error_of_changed(d2l, {}, {{"W_q.weight", {12, 0}}}) ==
        start + "W_q.weight: expected 2 axes of at least 1, got (12, 0)");
  CHECK(error_of_changed(d2l, {}, {{"W_q.weight", {12, 12, 1, 1}}}) ==
        start + "W_q.weight: expected 2 axes of at least 1, got (12, 12, 1, 1)");
  CHECK(error_of_changed(d2l, {}, {{"W_q.weight", {12, 4, 1}}}) ==
        start + "W_k.weight: expected 3 axes of at least 1, got (12, 12)");
}

TEST_CASE("A state dict of convolution heads lists what does not fit") {
  auto convolution = options();
  convolution.projection = Projection::convolution;
  const StateDict dict = random_parameters(convolution);
  CHECK(error_of_changed(dict, {}, {{"W_q.weight", {12, 4, 2}}}) ==
        start + "W_q.weight: expected (12, 4, 1), got (12, 4, 2)");
  CHECK(error_of_changed(dict, {}, {{"W_v.weight", {6, 4, 1}}}) ==
        start + "W_v.weight: expected (12, 4, 1), got (6, 4, 1)");
}

TEST_CASE("A state dict of grouped heads lists what does not fit") {
  auto grouped = options();
  grouped.num_hiddens = 24;
  grouped.num_heads = 6;
  grouped.num_kv_heads = 2;
  grouped.bias_kv = true;
  const StateDict dict = random_parameters(grouped);
  CHECK(error_of_changed(dict, {}, {{"W_v.weight", {12, 12}}}, 6) ==
        start + "W_v.weight: expected (8, 12), got (12, 12)");
  CHECK(error_of_changed(dict, {}, {{"bias_v", {1, 1, 24}}}, 6) ==
        start + "bias_v: expected (1, 1, 8), got (1, 1, 24)");
  CHECK(error_of_changed(dict, {"bias_k"}, {}, 6) == start + "missing bias_k");
  CHECK(error_of_changed(dict, {"bias_v"}, {}, 6) == start + "missing bias_v");
  // Rows that are no number of heads, or of heads that cannot share: all heads have keys.
  CHECK(error_of_changed(dict, {"W_k.bias", "bias_k", "bias_v"},
                         {{"W_k.weight", {9, 12}}, {"W_k.bias", {9}}}, 6) ==
        start +
            "W_k.weight: expected (24, 12), got (9, 12); "
            "W_k.bias: expected (24,), got (9,); "
            "W_v.weight: expected (24, 12), got (8, 12); W_v.bias: expected (24,), got (8,)");
  CHECK(error_of_changed(dict, {"bias_k", "bias_v"}, {{"W_k.weight", {16, 12}}}, 6)
            .starts_with(start + "W_k.weight: expected (24, 12), got (16, 12); "));
}

TEST_CASE("A state dict of additive pooling lists what does not fit") {
  auto additive = options();
  additive.pooling = Pooling::additive;
  const StateDict dict = random_parameters(additive);
  CHECK(error_of_changed(dict, {"attention.W_k.weight"}) == start + "missing attention.W_k.weight");
  CHECK(error_of_changed(dict, {"attention.W_q.weight"}) == start + "missing attention.W_q.weight");
  CHECK(error_of_changed(dict, {},
                         {{"attention.W_q.weight", {4, 5}}, {"attention.w_v.weight", {4, 1}}}) ==
        start +
            "attention.W_q.weight: expected (4, 4), got (4, 5); "
            "attention.w_v.weight: expected (1, 4), got (4, 1)");
  CHECK(error_of_changed(dict, {}, {{"attention.W_q.weight", {4}}}) ==
        start + "attention.W_q.weight: expected 2 axes of at least 1, got (4,)");
}

TEST_CASE("State dicts of other layouts list what does not fit, by their own names") {
  const StateDict d2l = random_parameters(options());
  CHECK(error_of_changed(torch_packed(d2l), {"out_proj.weight"}) ==
        start + "missing out_proj.weight");
  CHECK(error_of_changed(torch_packed(d2l), {"in_proj_bias"}) == start + "missing in_proj_bias");
  CHECK(error_of_changed(torch_packed(d2l), {"out_proj.bias"}) == start + "missing out_proj.bias");
  CHECK(error_of_changed(torch_packed(d2l), {}, {{"in_proj_weight", {37, 12}}}) ==
        start + "in_proj_weight: expected (36, 12), got (37, 12)");
  CHECK(error_of_changed(torch_packed(d2l), {}, {{"in_proj_weight", {2, 12}}}, 1) ==
        start +
            "out_proj.weight: expected (12, 1), got (12, 12); "
            "in_proj_weight: expected (3, 12), got (2, 12); "
            "in_proj_bias: expected (3,), got (36,)");
  CHECK(error_of_changed(torch_packed(d2l), {}, {{"in_proj_bias", {12}}}) ==
        start + "in_proj_bias: expected (36,), got (12,)");
  CHECK(error_of_changed(torch_separate(d2l), {"q_proj_weight"}) ==
        start + "missing q_proj_weight");
  CHECK(error_of_changed(torch_separate(d2l), {}, {{"in_proj_weight", {36, 12}}}) ==
        start + "unexpected in_proj_weight");
  CHECK(error_of_changed(bert(d2l), {"self.query.bias"}, {{"output.dropout", {1}}}) ==
        start + "missing self.query.bias; unexpected output.dropout");
  CHECK(error_of_changed(bert(d2l), {"self.query.bias", "self.value.bias"}) ==
        start + "missing self.query.bias, self.value.bias");
  CHECK(error_of_changed(bert(d2l), {"output.dense.weight"}) ==
        start + "missing output.dense.weight");
  CHECK(error_of_changed(vit_old(d2l), {"attention.value.weight"}) ==
        start + "missing attention.value.weight");
  CHECK(error_of_changed(vit_new(d2l), {"v_proj.bias"}) == start + "missing v_proj.bias");
  CHECK(error_of_changed(vit_new(d2l), {"o_proj.weight"}) == start + "missing o_proj.weight");
  CHECK(error_of_changed(vit_new(d2l), {}, {{"out_proj.weight", {12, 12}}}) ==
        start + "unexpected out_proj.weight");
  CHECK(error_of_changed(timm(d2l), {"proj.weight"}) == start + "missing proj.weight");
  CHECK(error_of_changed(timm(d2l), {}, {{"q_norm.weight", {4}}}) ==
        start + "unexpected q_norm.weight");
  CHECK(error_of_changed(gpt2(d2l), {"c_attn.bias"}) == start + "missing c_attn.bias");
  CHECK(error_of_changed(gpt2(d2l), {}, {{"c_attn.weight", {12, 28}}}) ==
        start +
            "c_proj.weight: expected (9, 12), got (12, 12); "
            "c_attn.weight: expected (12, 27), got (12, 28); "
            "c_attn.bias: expected (27,), got (36,)");
  CHECK(error_of_changed(gpt2(d2l), {}, {{"c_attn.weight", {36}}}) ==
        start + "c_attn.weight: expected 2 axes of at least 1, got (36,)");
}

TEST_CASE("Behind a prefix, errors have whole names and other tensors are none of them") {
  StateDict dict = with_prefix(random_parameters(options()), "layer.0.");
  dict.erase("layer.0.W_k.bias");
  dict["layer.0.extra"] = xt::xarray<float>{1};
  dict["layer.1.extra"] = xt::xarray<float>{1};
  CHECK(error_of_dict(dict, 3, "layer.0") ==
        start + "missing layer.0.W_k.bias; unexpected layer.0.extra");
}

TEST_CASE("A state dict of no known layout says what it has") {
  const std::string expected =
      start + "expected names of d2l, nn.MultiheadAttention, BERT, ViT or GPT-2";
  const auto ones = [](const Names& names) {
    StateDict dict;
    for (const std::string& name : names) {
      dict[name] = xt::xarray<float>{1};
    }
    return dict;
  };
  CHECK(error_of_dict({}) == expected + ", got none");
  CHECK(error_of_dict({}, 3, "a") == expected + " behind a., got none");
  CHECK(error_of_dict(ones({"x"})) == expected + ", got x");
  CHECK(error_of_dict(ones({"x", "y", "z"})) == expected + ", got x, y, z");
  CHECK(error_of_dict(ones({"w", "x", "y", "z"})) == expected + ", got w, x, y, …");
  CHECK(error_of_dict(ones({"a.x", "ab.W_q.weight", "b"}), 3, "a") ==
        expected + " behind a., got a.x");
  const StateDict d2l = random_parameters(options());
  CHECK(error_of_dict(d2l, 3, "W_q") ==
        expected + " behind W_q., got W_q.bias, W_q.weight; they stand behind ''");
  CHECK(error_of_dict(with_prefix(d2l, "a."), 3, "b.") ==
        expected + " behind b., got none; they stand behind 'a'");
  StateDict layers;
  for (int layer = 1000; layer < 1100; ++layer) {
    layers.merge(with_prefix(d2l, std::to_string(layer) + '.'));
  }
  CHECK(error_of_dict(layers).ends_with(", '1098', '1099'"));
  layers.merge(with_prefix(d2l, "1100."));
  CHECK(error_of_dict(layers).ends_with(", '1098', '1099', …"));
}

TEST_CASE("The number of heads must fit a state dict") {
  const StateDict d2l = random_parameters(options());
  auto convolution = options();
  convolution.projection = Projection::convolution;
  const std::vector<StateDict> dicts = {
      d2l, random_parameters(convolution), torch_packed(d2l), gpt2(d2l), {}};
  for (const StateDict& dict : dicts) {
    for (const std::int64_t num_heads : {std::int64_t{0}, std::int64_t{-3}, std::int64_t{1} << 31U,
                                         std::numeric_limits<std::int64_t>::min()}) {
      CHECK(error_of_dict(dict, num_heads) ==
            "invalid-option; num_heads: expected an integer from 1 to 2147483647, got " +
                std::to_string(num_heads));
    }
    if (!dict.empty()) {
      for (const std::int64_t num_heads : {5, 13, 24, 2'147'483'647}) {
        CHECK(error_of_dict(dict, num_heads) ==
              "invalid-option; num_heads: expected a divisor of num_hiddens (12), got " +
                  std::to_string(num_heads));
      }
    }
  }
}

TEST_CASE("Options that go with other layers than the state dict's are refused") {
  const StateDict d2l = random_parameters(options());
  auto additive = options();
  additive.pooling = Pooling::additive;
  const StateDict pooled = random_parameters(additive);
  CHECK(error_of([&] {
          return MultiHeadAttention::from_state_dict(d2l, {.num_heads = 3, .dropout = 2});
        }) == "invalid-option; dropout: expected a number from 0 to 1, got 2");
  CHECK(error_of([&] {
          return MultiHeadAttention::from_state_dict(pooled, {.num_heads = 3, .softcap = 1});
        }) == "invalid-option; softcap: expected pooling 'dot-product' beside it, got 'additive'");
}

}  // namespace
}  // namespace headwise::test
