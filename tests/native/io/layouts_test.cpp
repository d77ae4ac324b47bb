#include "layouts.hpp"

#include <catch2/catch_test_macros.hpp>
#include <functional>

#include "compare.hpp"
namespace headwise::test {
namespace {

void check_layer(MultiHeadAttention layer, MultiHeadAttention expected) {
  CHECK(layer.state_dict() == expected.state_dict());
  const Inputs inputs = random_inputs({.batch = 2,
                                       .queries = 3,
                                       .keys = 4,
                                       .query_size = expected.query_size().value(),
                                       .key_size = expected.key_size().value(),
                                       .value_size = expected.value_size().value()});
  const auto result = forward(layer, inputs);
  const auto expected_result = forward(expected, inputs);
  CHECK(result.output == expected_result.output);
  CHECK(*result.attention_weights == *expected_result.attention_weights);
}

/// Holds the layer made from `dict` against one with these options and parameters; then the same
/// beside a module's buffers, and among other tensors, some of whose names begin alike.
void check_layout(const StateDict& dict, const MultiHeadAttentionOptions& options,
                  const StateDict& parameters) {
  MultiHeadAttention expected(options);
  expected.load_state_dict(parameters);
  const std::int64_t num_heads = options.num_heads;
  check_layer(MultiHeadAttention::from_state_dict(dict, {.num_heads = num_heads}), expected);
  StateDict with_buffers = dict;
  with_buffers.merge(StateDict{{"position_ids", xt::ones<float>({1, 3})},
                               {"embeddings.position_ids", xt::ones<float>({1, 3})},
                               {"bias", xt::ones<float>({1, 1, 2, 2})},
                               {"attn.bias", xt::ones<float>({1, 1, 1, 1})},
                               {"masked_bias", xt::xarray<float>(1)},
                               {"rotary_emb.inv_freq", xt::ones<float>({2})},
                               {"rotary_emb.cos_cached", xt::ones<float>({1, 1, 4, 2})},
                               {"rotary_emb.sin_cached", xt::ones<float>({1, 1, 4, 2})}});
  check_layer(MultiHeadAttention::from_state_dict(with_buffers, {.num_heads = num_heads}),
              expected);

  const std::string prefix = "encoder.layers.1.self_attn";
  StateDict beside = with_prefix(dict, prefix + '.');
  beside.merge(with_prefix(dict, "encoder.layers.1.self_attn_2."));
  beside.merge(with_prefix(dict, "encoder.layers.10.self_attn."));
  beside.merge(with_prefix(random_parameters({.num_hiddens = 2,
                                              .num_heads = 1,
                                              .bias = true,
                                              .query_size = 1,
                                              .key_size = 1,
                                              .value_size = 1}),
                           ""));
  beside["encoder.layers.1.norm.weight"] = xt::xarray<float>{1, 2};
  for (const std::string& each : {prefix, prefix + '.'}) {
    CAPTURE(each);
    check_layer(
        MultiHeadAttention::from_state_dict(beside, {.num_heads = num_heads, .prefix = each}),
        expected);
  }
}

using Layout = std::function<StateDict(const StateDict& d2l)>;

void check_layout(const Layout& layout, const MultiHeadAttentionOptions& options) {
  const StateDict parameters = random_parameters(options);
  check_layout(layout(parameters), options, parameters);
}

/// Self-attention, as in most models.
MultiHeadAttentionOptions square(bool bias) {
  return {.num_hiddens = 12,
          .num_heads = 3,
          .bias = bias,
          .query_size = 12,
          .key_size = 12,
          .value_size = 12,
          .seed = 1};
}

/// Every size another.
MultiHeadAttentionOptions oblong(bool bias) {
  auto options = square(bias);
  options.query_size = 5;
  options.key_size = 7;
  options.value_size = 4;
  options.output_size = 9;
  return options;
}

Layout layout_of(const std::array<std::string, 4>& names) {
  return [=](const StateDict& parameters) { return named(parameters, names); };
}
const Layout d2l = [](const StateDict& parameters) { return parameters; };
/// The older ViT of Transformers, its newer models, and timm's ViT.
const Layout vit_old =
    layout_of({"attention.query", "attention.key", "attention.value", "output.dense"});
const Layout vit_o = layout_of({"q_proj", "k_proj", "v_proj", "o_proj"});
const Layout vit_out = layout_of({"q_proj", "k_proj", "v_proj", "out_proj"});
const Layout timm = layout_of({"qkv", "qkv", "qkv", "proj"});

TEST_CASE("Layers come from every layout") {
  for (const bool bias : {false, true}) {
    CAPTURE(bias);
    for (const Layout& layout : {d2l, Layout(torch_packed), Layout(bert), vit_old, vit_o, vit_out,
                                 timm, Layout(min_gpt)}) {
      check_layout(layout, square(bias));
    }
    check_layout(d2l, oblong(bias));
    auto grouped = oblong(bias);
    grouped.num_hiddens = 24;
    grouped.num_heads = 6;
    for (const std::int64_t num_kv_heads : {1, 2, 3, 6}) {
      grouped.num_kv_heads = num_kv_heads;
      check_layout(d2l, grouped);
    }
    grouped.bias_kv = true;
    check_layout(d2l, grouped);
    auto square_grouped = square(bias);
    square_grouped.num_hiddens = 24;
    square_grouped.num_heads = 6;
    square_grouped.num_kv_heads = 2;
    check_layout(vit_o, square_grouped);

    auto without_output = oblong(bias);
    without_output.output_size = {};
    without_output.output_projection = false;
    check_layout(d2l, without_output);
    auto additive = oblong(bias);
    additive.pooling = Pooling::additive;
    for (const std::int64_t attention_hiddens : {1, 4, 5}) {
      additive.attention_hiddens = attention_hiddens;
      check_layout(d2l, additive);
    }
    auto convolution = square(bias);
    convolution.projection = Projection::convolution;
    check_layout(d2l, convolution);
    convolution.query_size = 6;
    convolution.key_size = 3;
    convolution.value_size = 9;
    convolution.output_size = 5;
    convolution.bias_kv = true;
    check_layout(d2l, convolution);

    auto separate = square(bias);
    separate.key_size = 7;
    separate.value_size = 9;
    check_layout(torch_separate, separate);
    separate.bias_kv = true;
    check_layout(torch_separate, separate);
    auto packed = square(bias);
    packed.bias_kv = true;
    check_layout(torch_packed, packed);
  }
  // Heads of BERT that were pruned: narrower than the model.
  auto pruned = square(true);
  pruned.query_size = pruned.key_size = pruned.value_size = pruned.output_size = 16;
  check_layout(bert, pruned);
  StateDict old_names = bert(random_parameters(pruned));
  for (const char* name : {"weight", "bias"}) {
    old_names.erase(std::string("output.LayerNorm.") + name);
  }
  old_names["output.LayerNorm.gamma"] = old_names["output.LayerNorm.beta"] = xt::xarray<float>{1};
  check_layout(old_names, pruned, random_parameters(pruned));
}

TEST_CASE("The shapes of GPT-2's and nanoGPT's weights tell which of them is transposed") {
  for (const bool bias : {false, true}) {
    struct Sizes {
      std::int64_t inputs, outputs, hiddens, heads;
    };
    for (const auto& [inputs, outputs, hiddens, heads] :
         {Sizes{12, 12, 12, 3}, Sizes{8, 7, 12, 3}, Sizes{1, 1, 1, 1}, Sizes{3, 1, 1, 1},
          Sizes{1, 3, 1, 1}, Sizes{36, 36, 12, 3}, Sizes{12, 12, 4, 1}, Sizes{4, 4, 12, 3},
          Sizes{9, 5, 3, 1}, Sizes{5, 9, 3, 1}, Sizes{12, 36, 12, 3}}) {
      CAPTURE(bias, inputs, outputs, hiddens);
      auto options = square(bias);
      options.num_hiddens = hiddens;
      options.num_heads = heads;
      options.query_size = options.key_size = options.value_size = inputs;
      options.output_size = outputs;
      check_layout(gpt2, options);
      // What takes three times what it gives may be either; no model does.
      if (inputs != 3 * outputs) {
        check_layout(min_gpt, options);
      }
    }
  }
}

/// The dict without some of its biases, held against a layer where they are zero.
void check_zeros(const Layout& layout, const std::vector<std::string>& left_out,
                 const std::vector<std::string>& zero) {
  const auto options = square(true);
  StateDict parameters = random_parameters(options);
  StateDict dict = layout(parameters);
  for (const std::string& name : left_out) {
    CAPTURE(name);
    REQUIRE(dict.erase(name) == 1);
  }
  for (const std::string& name : zero) {
    parameters.at(name).fill(0);
  }
  check_layout(dict, options, parameters);
}

TEST_CASE("Biases that only some projections have are zero in the others") {
  const std::vector<std::string> inputs = {"W_q.bias", "W_k.bias", "W_v.bias"};
  check_zeros(timm, {"qkv.bias"}, inputs);
  check_zeros(timm, {"proj.bias"}, {"W_o.bias"});
  check_zeros(vit_o, {"o_proj.bias"}, {"W_o.bias"});
  check_zeros(vit_o, {"q_proj.bias", "k_proj.bias", "v_proj.bias"}, inputs);
  check_zeros(vit_old, {"attention.query.bias", "attention.key.bias", "attention.value.bias"},
              inputs);
  check_zeros(bert, {"output.dense.bias"}, {"W_o.bias"});
  // Softmax cancels what a bias of the keys adds, so Whisper and BEiT have none.
  check_zeros(vit_o, {"k_proj.bias"}, {"W_k.bias"});
  check_zeros(vit_old, {"attention.key.bias"}, {"W_k.bias"});
}

TEST_CASE("A layer's own state dict keeps which maps have a bias") {
  for (const bool of_output : {false, true}) {
    MultiHeadAttentionOptions options = square(!of_output);
    options.output_bias = of_output;
    check_layout(random_parameters(options), options, random_parameters(options));
  }
}

TEST_CASE("What a state dict does not settle is an option") {
  auto options = square(true);
  options.dropout = 0.5;
  options.scale = 0.7;
  options.softcap = 3;
  options.zero_attention = true;
  options.seed = 17;
  const StateDict parameters = random_parameters(options);
  MultiHeadAttention expected(options);
  expected.load_state_dict(parameters);
  auto layer =
      MultiHeadAttention::from_state_dict(torch_packed(parameters), {.num_heads = 3,
                                                                     .dropout = 0.5,
                                                                     .scale = 0.7,
                                                                     .softcap = 3,
                                                                     .zero_attention = true,
                                                                     .seed = 17});
  CHECK_FALSE(layer.training());
  CHECK(layer.seed() == 17);
  check_layer(layer, expected);
  check_layer(layer.train(), expected.train());
}

TEST_CASE("Of many layers, up to 100 are named") {
  StateDict layers;
  const auto add = [&](int layer) {
    layers.merge(with_prefix(random_parameters(square(false)), std::to_string(layer) + '.'));
  };
  const auto error = [&] {
    return error_of([&] { return MultiHeadAttention::from_state_dict(layers, {.num_heads = 3}); });
  };
  for (int layer = 1000; layer < 1100; ++layer) {
    add(layer);
  }
  CHECK(error().ends_with(", '1098', '1099'"));
  add(1100);
  CHECK(error().ends_with(", '1098', '1099', …"));
}

}  // namespace
}  // namespace headwise::test
