#include "worlds.hpp"

#include <utility>

namespace headwise::test {

MultiHeadAttentionOptions with_sizes(MultiHeadAttentionOptions options, const InputShape& shape) {
  options.query_size = static_cast<std::int64_t>(shape.query_size);
  options.key_size = static_cast<std::int64_t>(shape.key_size);
  options.value_size = static_cast<std::int64_t>(shape.value_size);
  return options;
}

namespace {

InputShape longer(InputShape shape) {
  ++shape.queries;
  ++shape.keys;
  return shape;
}

Inputs inputs_of(const InputShape& shape) { return random_inputs(shape, 11); }

Tensor<3> grad_output_of(const MultiHeadAttention& layer, const InputShape& shape) {
  return randn<3>({shape.batch, shape.queries, layer.settings().output_size}, 21);
}

}  // namespace

LayerCase LayerCase::unknown() const {
  LayerCase result = *this;
  result.name += ", sizes unknown";
  result.options.query_size = result.options.key_size = result.options.value_size = std::nullopt;
  return result;
}

std::vector<LayerCase> layer_cases() {
  const InputShape own{
      .batch = 2, .queries = 3, .keys = 4, .query_size = 5, .key_size = 6, .value_size = 7};
  const InputShape even{
      .batch = 2, .queries = 3, .keys = 4, .query_size = 8, .key_size = 8, .value_size = 8};
  const MultiHeadAttentionOptions base{.num_hiddens = 8, .num_heads = 4, .dropout = 0.5, .seed = 1};
  std::vector<LayerCase> cases;
  const auto add = [&](const std::string& name, const InputShape& shape, const auto& change) {
    cases.push_back({.name = name, .options = base, .shape = shape});
    change(cases.back().options);
  };
  add("linear", own, [](auto& o) { o.bias = true; });
  add("grouped", own, [](auto& o) {
    o.dropout = 0;
    o.output_size = 6;
    o.num_kv_heads = 2;
    o.scale = 0.7;
    o.softcap = 3;
    o.rotary = RotaryOptions{};
    o.bias_kv = o.zero_attention = true;
  });
  add("without W_o", own, [](auto& o) { o.output_projection = false; });
  add("additive", own, [](auto& o) {
    o.pooling = Pooling::additive;
    o.attention_hiddens = 3;
    o.bias_kv = true;
  });
  add("convolution", even, [](auto& o) {
    o.bias = true;
    o.projection = Projection::convolution;
  });
  add("no projection", even, [](auto& o) { o.projection = Projection::none; });
  add("additive, no projection", even, [](auto& o) {
    o.dropout = 0;
    o.pooling = Pooling::additive;
    o.projection = Projection::none;
  });
  for (LayerCase& each : cases) {
    each.options = with_sizes(each.options, each.shape);
  }
  return cases;
}

LayerWorld::LayerWorld(const LayerCase& layer_case, ForwardOptions forward_options)
    : layer(layer_case.options),
      earlier(layer_case.shape),
      inputs(inputs_of(longer(layer_case.shape))),
      grad_output(grad_output_of(layer, layer_case.shape)),
      options(std::move(forward_options)) {
  layer.train();
  if (layer.query_size().has_value()) {
    for (int times = 0; times < 2; ++times) {
      forward(layer, inputs_of(earlier), {.requires_grad = true});
      if (times == 0) {
        layer.backward(grad_output);
      }
    }
  }
}

InputShape shape_of(const Inputs& inputs) {
  return {.batch = inputs.queries.shape(0),
          .queries = inputs.queries.shape(1),
          .keys = inputs.keys.shape(1),
          .query_size = inputs.queries.shape(2),
          .key_size = inputs.keys.shape(2),
          .value_size = inputs.values.shape(2)};
}

void probe(Fingerprint& print, MultiHeadAttention& layer, const std::vector<InputShape>& shapes) {
  print.add("num_heads", layer.num_heads());
  print.add("num_hiddens", layer.num_hiddens());
  print.add("output_size", layer.settings().output_size);
  print.add("seed", layer.seed());
  print.add("training", layer.training());
  print.add("query_size", layer.query_size());
  print.add("key_size", layer.key_size());
  print.add("value_size", layer.value_size());
  print.add_outcome("state_dict", [&] { return layer.state_dict(); });
  print.add_outcome("gradients", [&] { return layer.gradients(); });
  for (const InputShape& shape : shapes) {
    const Tensor<3> grad_output = grad_output_of(layer, shape);
    print.add_outcome("pending backward", [&] { return layer.backward(grad_output); });
  }
  layer.train();
  for (const InputShape& shape : shapes) {
    const Inputs inputs = inputs_of(shape);
    print.add_outcome("next forward", [&] {
      return forward(layer, inputs, {.return_weights = true, .requires_grad = true});
    });
    const Tensor<3> grad_output = grad_output_of(layer, shape);
    print.add_outcome("next backward", [&] { return layer.backward(grad_output); });
  }
  print.add_outcome("later gradients", [&] { return layer.gradients(); });
  print.add_outcome("later state_dict", [&] { return layer.state_dict(); });
}

void probe(LayerWorld& world, Fingerprint& print) {
  probe(print, world.layer, {world.earlier, shape_of(world.inputs)});
}

void describe(Fingerprint& print, const std::string& name, const MultiHeadAttention& layer) {
  print.add(name, std::string_view("a layer"));
  MultiHeadAttention copy = layer;
  probe(print, copy, {layer_cases().front().shape, layer_cases().back().shape});
}

}  // namespace headwise::test
