#include <headwise/api/make_tensor.hpp>
#include <headwise/api/native_inputs.hpp>
#include <headwise/api/transformer_pass.hpp>
#include <headwise/core/parallel/for_each.hpp>

namespace headwise {
namespace {

void point_to_gates(const std::vector<HeadGate>& gates, std::vector<AttentionPass>& layers) {
  for (std::size_t layer = 0; layer < gates.size(); ++layer) {
    if (const HeadGate& gate = gates[layer]; gate.has_value()) {
      layers[layer].head_gate = gate->data();
      layers[layer].gate_stride = gate.has_two_axes() ? gate->shape(1) : 0;
    }
  }
}

}  // namespace

AttentionPassLists::AttentionPassLists(const Transformer& model)
    : self(model.attention_layers(Side::self).size()),
      cross(model.attention_layers(Side::cross).size()),
      encoder(model.attention_layers(Side::encoder).size()) {}

std::vector<Tensor<2>> make_gate_gradients(const Transformer& model, Side side, std::size_t batch,
                                           std::span<AttentionPass> layers) {
  std::vector<Tensor<2>> gradients;
  const std::vector<MultiHeadAttention>& of_side = model.attention_layers(side);
  for (std::size_t layer = 0; layer < of_side.size(); ++layer) {
    gradients.push_back(make_tensor<2>({batch, of_side[layer].num_heads()}));
    layers[layer].head_gate_gradient = gradients.back().data();
  }
  return gradients;
}

PassMemory::PassMemory(const Tokens& given, const TransformerForwardOptions& options,
                       const Transformer& model)
    : tokens(given.begin(), given.end()), layers(model) {
  pass.tokens = tokens.data();
  pass.batch = given.shape(0);
  pass.length = given.shape(1);
  read_options(options);
}

PassMemory::PassMemory(const TensorView<4>& pixels, const TransformerForwardOptions& options,
                       const Transformer& model)
    : layers(model) {
  pass.pixels = pixels.data();
  pass.batch = pixels.shape(0);
  pass.length = model.settings().max_length;
  read_options(options);
}

PassMemory::PassMemory(const Embeddings& embeddings, const TransformerForwardOptions& options,
                       const Transformer& model)
    : layers(model) {
  pass.embeddings = embeddings.values.data();
  pass.batch = embeddings.values.shape(0);
  pass.length = embeddings.values.shape(1);
  read_options(options);
}

void PassMemory::read_options(const TransformerForwardOptions& options) {
  pass.num_threads = parallel::num_threads();
  point_to_gates(options.head_gates, layers.self);
  point_to_gates(options.cross_head_gates, layers.cross);
  point_to_gates(options.encoder_head_gates, layers.encoder);
  pass.layers = layers.self;
  pass.cross_layers = layers.cross;
  pass.encoder_layers = layers.encoder;
  if (options.segments) {
    segments.assign(options.segments->begin(), options.segments->end());
    pass.segments = segments.data();
  }
  if (options.source) {
    // A null pointer would be no source, rather than an empty one.
    source.reserve(options.source->size() + 1);
    source.assign(options.source->begin(), options.source->end());
    pass.source = source.data();
    pass.source_length = options.source->shape(1);
  }
  if (options.valid_lens.has_value()) {
    const bool by_query = options.valid_lens.has_two_axes();
    valid_lens = to_int32(options.valid_lens);
    pass.valid_lens = valid_lens.data();
    pass.valid_lens_sample_stride = by_query ? pass.length : 1;
    pass.valid_lens_query_stride = by_query ? 1 : 0;
  }
  if (options.source_valid_lens.has_value()) {
    source_valid_lens = to_int32(options.source_valid_lens);
    pass.source_valid_lens = source_valid_lens.data();
  }
  if (options.key_mask.has_value()) {
    key_mask = KeptKeys(bytes_of(options.key_mask), pass.batch);
    pass.key_mask = key_mask.keys();
  }
  if (options.source_key_mask.has_value()) {
    source_key_mask = KeptKeys(bytes_of(options.source_key_mask), pass.batch);
    pass.source_key_mask = source_key_mask.keys();
  }
  pass.cache = options.cache != nullptr ? &options.cache->memory() : nullptr;
  pass.requires_grad = options.requires_grad;
}

TransformerResult PassMemory::make_results(const Transformer& model,
                                           const TransformerForwardOptions& options) {
  const TransformerSettings& settings = model.settings();
  const UncheckedTransformer::Sizes sizes = UncheckedTransformer::sizes_of(pass);
  TransformerResult result;
  result.hidden = make_tensor<3>({pass.batch, pass.length, settings.num_hiddens});
  pass.hidden = result.hidden.data();
  result.logits = make_tensor<3>({settings.head ? pass.batch : 0, settings.head ? pass.length : 0,
                                  settings.head ? settings.vocabulary_size : 0});
  pass.logits = settings.head ? result.logits.data() : nullptr;
  if (pass.source != nullptr) {
    result.encoder_hidden = make_tensor<3>({pass.batch, pass.source_length, settings.num_hiddens});
    pass.encoder_hidden = result.encoder_hidden->data();
  }
  make_weights(model, options.return_weights, true, result);
  probe.add_patches(model, options.patch, sizes);
  probe.add_captures(model, options, sizes, result);
  pass.probe = probe.probe();
  return result;
}

void PassMemory::make_weights(const Transformer& model, const ReturnedWeights& chosen,
                              bool with_encoder, TransformerResult& result) {
  if (!chosen) {
    return;
  }
  const UncheckedTransformer::Sizes sizes = UncheckedTransformer::sizes_of(pass);
  const auto add_layers = [&](Side side, std::size_t queries, std::size_t keys,
                              const ReturnedWeights& of_side, std::vector<Tensor<4>>& weights) {
    const std::vector<MultiHeadAttention>& layers_of_side = model.attention_layers(side);
    for (std::size_t number = 0; number < layers_of_side.size(); ++number) {
      AttentionPass& of_layer = layers.of(side)[number];
      of_layer.weight_rows =
          chosen_rows.emplace_back(of_side, layers_of_side[number].num_heads(), queries).rows;
      weights.push_back(make_tensor<4>(
          {pass.batch, of_layer.weight_rows.num_heads, of_layer.weight_rows.num_queries, keys}));
      of_layer.attention_weights = weights.back().data();
    }
  };
  add_layers(Side::self, pass.length, sizes.num_keys, chosen, result.attention_weights);
  add_layers(Side::cross, pass.length, sizes.num_source_keys, chosen,
             result.cross_attention_weights);
  if (pass.source != nullptr && with_encoder) {
    add_layers(Side::encoder, pass.source_length, pass.source_length, true,
               result.encoder_attention_weights);
  }
}

TransformerGradients PassMemory::make_gate_gradients(const Transformer& model) {
  const auto make = [&](Side side) {
    return headwise::make_gate_gradients(model, side, pass.batch, layers.of(side));
  };
  return {.head_gates = make(Side::self),
          .cross_head_gates = make(Side::cross),
          .encoder_head_gates = make(Side::encoder)};
}

void PassMemory::lay_out_forward(const UncheckedTransformer& core) {
  memory.emplace([&](Arena& arena) {
    core.lay_out_forward(arena, UncheckedTransformer::sizes_of(pass), pass.requires_grad);
  });
  pass.arena = &memory->arena();
}

void PassMemory::lay_out_loss(const Tokens& given, const UncheckedTransformer& core,
                              bool gradients) {
  targets.assign(given.begin(), given.end());
  pass.targets = targets.data();
  memory.emplace([&](Arena& arena) {
    core.lay_out_loss(arena, UncheckedTransformer::sizes_of(pass), gradients);
  });
  pass.arena = &memory->arena();
}

BackwardMemory::BackwardMemory(const SavedPass::Sizes& sizes, const Transformer& model)
    : layers(model),
      memory([&](Arena& arena) {
        model.core().lay_out_backward(arena, {.batch = sizes.batch,
                                              .length = sizes.length,
                                              .num_keys = sizes.length,
                                              .source_length = sizes.source_length,
                                              .num_source_keys = sizes.source_length,
                                              .num_threads = parallel::num_threads()});
      }),
      batch(sizes.batch),
      length(sizes.length),
      has_embeddings(sizes.has_embeddings) {
  pass.num_threads = parallel::num_threads();
  pass.arena = &memory.arena();
  pass.layers = layers.self;
  pass.cross_layers = layers.cross;
  pass.encoder_layers = layers.encoder;
}

TransformerGradients BackwardMemory::make_results(const Transformer& model) {
  const auto make = [&](Side side) {
    return make_gate_gradients(model, side, batch, layers.of(side));
  };
  TransformerGradients result{.head_gates = make(Side::self),
                              .cross_head_gates = make(Side::cross),
                              .encoder_head_gates = make(Side::encoder)};
  const TransformerSettings& settings = model.settings();
  if (settings.has_patches()) {
    result.pixels =
        make_tensor<4>({batch, settings.channels, settings.image_size, settings.image_size});
    pass.pixels = result.pixels->data();
  }
  if (has_embeddings) {
    result.embeddings = make_tensor<3>({batch, length, settings.num_hiddens});
    pass.embeddings = result.embeddings->data();
  }
  return result;
}

}  // namespace headwise
