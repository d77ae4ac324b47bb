#include <algorithm>
#include <array>
#include <headwise/api/transformer_pass.hpp>
#include <headwise/api/validation_models.hpp>
#include <headwise/core/parallel/for_each.hpp>
#include <memory>

namespace headwise {
namespace {

/// Writes each index's place in a list, −1 for the others.
const std::int32_t* write_places(const Input<double>& list, std::size_t count,
                                 std::int32_t* places) {
  std::fill_n(places, count, -1);
  std::int32_t place = 0;
  for (const double index : list.numbers()) {
    places[static_cast<std::size_t>(index)] = place++;
  }
  return places;
}

}  // namespace

LayerPasses::LayerPasses(const Transformer& model, Arena& arena) noexcept {
  for (const Side side : all_sides) {
    const std::size_t count = model.attention_layers(side).size();
    auto* const passes = arena.take<AttentionPass>(count);
    if (passes != nullptr) {
      std::uninitialized_value_construct_n(passes, count);
      of_side_[static_cast<std::size_t>(side)] = {passes, count};
    }
  }
}

void LayerPasses::make_gate_gradients(const Transformer& model, std::size_t batch,
                                      ModelResults& results) const {
  for (const Side side : all_sides) {
    for (std::size_t layer = 0; layer < of(side).size(); ++layer) {
      const std::array shape = {batch, model.attention_layers(side)[layer].num_heads()};
      of(side)[layer].head_gate_gradient =
          results.of({.name = ModelResultName::head_gates, .side = side, .layer = layer}, shape);
    }
  }
}

ModelPass::ModelPass(const Transformer& model, const ModelInputs& inputs)
    : model_(&model), inputs_(&inputs), sizes_(validation::check_pass(model, inputs)) {
  pass_.pixels = inputs.pixels.data;
  pass_.embeddings = inputs.embeddings.data;
  pass_.batch = sizes_.batch;
  pass_.has_batch_axis = sizes_.has_batch_axis;
  pass_.length = sizes_.length;
  pass_.source_length = sizes_.source_length;
  const bool by_query = inputs.valid_lens.shape.size() == 2;
  pass_.valid_lens_sample_stride = by_query ? sizes_.length : 1;
  pass_.valid_lens_query_stride = by_query ? 1 : 0;
  pass_.cache = inputs.cache != nullptr ? &inputs.cache->memory() : nullptr;
  pass_.requires_grad = inputs.requires_grad;
  pass_.num_threads = parallel::num_threads();
}

UncheckedTransformer::Sizes ModelPass::sizes_of_pass() const noexcept {
  UncheckedTransformer::Sizes sizes = UncheckedTransformer::sizes_of(pass_);
  for (const ActivationName name : inputs_->capture) {
    sizes.probed |= bit_of(name) & buffered_captures;
  }
  for (const PatchInputs& patch : inputs_->patches) {
    sizes.probed |= bit_of(patch.at);
  }
  return sizes;
}

void ModelPass::lay_out_arguments(Arena& arena) noexcept {
  const ModelInputs& inputs = *inputs_;
  const Integers tokens(arena, inputs.tokens);
  const Integers targets(arena, inputs.targets);
  const Integers segments(arena, inputs.segments);
  const Integers source(arena, inputs.source);
  const Integers valid_lens(arena, inputs.valid_lens);
  const Integers source_valid_lens(arena, inputs.source_valid_lens);
  auto* const ranges = arena.take<KeyRange>(sizes_.batch);
  auto* const source_ranges = arena.take<KeyRange>(sizes_.batch);
  head_places_ = arena.take<std::int32_t>(model_->core().max_heads());
  query_places_ = arena.take<std::int32_t>(sizes_.length);
  const LayerPasses layers(*model_, arena);
  probe_.lay_out(arena, *model_, inputs, sizes_);
  if (ranges == nullptr) {
    return;
  }
  pass_.tokens = tokens.copy(inputs.tokens);
  pass_.targets = targets.copy(inputs.targets);
  pass_.segments = segments.copy(inputs.segments);
  pass_.source = source.copy(inputs.source);
  pass_.valid_lens = valid_lens.copy(inputs.valid_lens);
  pass_.source_valid_lens = source_valid_lens.copy(inputs.source_valid_lens);
  if (inputs.key_mask.is_given()) {
    pass_.key_mask = AllowedKeys::of(inputs.key_mask.data, sizes_.batch, sizes_.num_keys, ranges);
  }
  if (inputs.source_key_mask.is_given()) {
    pass_.source_key_mask = AllowedKeys::of(inputs.source_key_mask.data, sizes_.batch,
                                            sizes_.source_length, source_ranges);
  }
  for (const Side side : all_sides) {
    const std::span<const InputTensor> gates = inputs.head_gates[static_cast<std::size_t>(side)];
    for (std::size_t layer = 0; layer < gates.size(); ++layer) {
      AttentionPass& of_layer = layers.of(side)[layer];
      of_layer.head_gate = gates[layer].data;
      of_layer.gate_stride = gates[layer].shape.size() == 2 ? gates[layer].size() : 0;
    }
  }
  layers.put_in(pass_);
  layers_ = layers;
  pass_.probe = probe_.probe();
}

void ModelPass::make_results(ModelResults& results) {
  using enum ModelResultName;
  const TransformerSettings& settings = model_->settings();
  const auto make = [&](ModelResultName name, std::size_t length, std::size_t size) {
    return results.of({.name = name}, std::array{sizes_.batch, length, size});
  };
  if (settings.head) {
    pass_.logits = make(logits, sizes_.length, settings.vocabulary_size);
  }
  pass_.hidden = make(hidden, sizes_.length, settings.num_hiddens);
  if (pass_.source != nullptr) {
    pass_.encoder_hidden = make(encoder_hidden, sizes_.source_length, settings.num_hiddens);
  }
  make_weights(true, results);
  make_captures(results);
}

void ModelPass::make_weights(bool with_encoder, ModelResults& results) {
  if (!inputs_->return_weights) {
    return;
  }
  const auto add_layers = [&](Side side, std::size_t queries, std::size_t keys) {
    for (std::size_t layer = 0; layer < layers_->of(side).size(); ++layer) {
      AttentionPass& of_layer = layers_->of(side)[layer];
      WeightRows& rows = of_layer.weight_rows;
      rows.num_heads = model_->attention_layers(side)[layer].num_heads();
      rows.num_queries = queries;
      const auto choose = [&](const Input<double>& list, std::size_t& count,
                              const std::int32_t*& chosen, std::int32_t* places) {
        if (list.is_given() && side != Side::encoder) {
          chosen = write_places(list, count, places);
          count = list.size();
        }
      };
      choose(inputs_->weight_heads, rows.num_heads, rows.head_places, head_places_);
      choose(inputs_->weight_queries, rows.num_queries, rows.query_places, query_places_);
      of_layer.attention_weights =
          results.of({.name = ModelResultName::attention_weights, .side = side, .layer = layer},
                     std::array{sizes_.batch, rows.num_heads, rows.num_queries, keys});
    }
  };
  add_layers(Side::self, sizes_.length, sizes_.num_keys);
  add_layers(Side::cross, sizes_.length, sizes_.num_source_keys);
  if (pass_.source != nullptr && with_encoder) {
    add_layers(Side::encoder, sizes_.source_length, sizes_.source_length);
  }
}

void ModelPass::make_captures(ModelResults& results) {
  probe_.make_captures(*model_, *inputs_, sizes_, results);
  pass_.probe = probe_.probe();
}

void ModelPass::make_gate_gradients(ModelResults& results) {
  layers_->make_gate_gradients(*model_, sizes_.batch, results);
}

}  // namespace headwise
