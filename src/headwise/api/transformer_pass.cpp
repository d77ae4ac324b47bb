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

BySide<std::span<AttentionPass>> lay_out_layers(const Transformer& model, Arena& arena) noexcept {
  BySide<std::span<AttentionPass>> layers;
  for (const Side side : all_sides) {
    const std::size_t count = model.attention_layers(side).size();
    auto* const passes = arena.take<AttentionPass>(count);
    if (passes != nullptr) {
      std::uninitialized_value_construct_n(passes, count);
      layers[side] = {passes, count};
    }
  }
  return layers;
}

void make_gate_gradients(const Transformer& model, std::size_t batch,
                         const BySide<std::span<AttentionPass>>& layers, ModelResults& results) {
  model.core().for_each_layer([&](Side side, std::size_t number, const AttentionLayer& layer) {
    layers[side][number].head_gate_gradient =
        results.of({.name = ModelResultName::head_gates, .side = side, .layer = number},
                   std::array{batch, layer.num_heads()});
  });
}

ModelPass::ModelPass(const Transformer& model, const ModelInputs& inputs)
    : model_(&model), inputs_(&inputs), pass_{validation::check_pass(model, inputs)} {
  pass_.num_threads = parallel::num_threads();
  pass_.pixels = inputs.pixels.data;
  pass_.embeddings = inputs.embeddings.data;
  const bool by_query = inputs.valid_lens.shape.size() == 2;
  pass_.valid_lens_sample_stride = by_query ? pass_.length : 1;
  pass_.valid_lens_query_stride = by_query ? 1 : 0;
  pass_.cache = inputs.cache != nullptr ? &inputs.cache->memory() : nullptr;
  pass_.quantized = inputs.cache != nullptr && pass_.cache->precision() != Precision::float32;
  for (const ActivationName name : inputs.capture) {
    pass_.probed |= bit_of(name) & buffered_captures;
  }
  for (const PatchInputs& patch : inputs.patches) {
    pass_.probed |= bit_of(patch.at);
  }
}

void ModelPass::lay_out_arguments(Arena& arena) noexcept {
  const ModelInputs& inputs = *inputs_;
  const Integers tokens(arena, inputs.tokens);
  const Integers targets(arena, inputs.targets);
  const Integers segments(arena, inputs.segments);
  const Integers source(arena, inputs.source);
  const Integers valid_lens(arena, inputs.valid_lens);
  const Integers source_valid_lens(arena, inputs.source_valid_lens);
  auto* const ranges = arena.take<KeyRange>(pass_.batch);
  auto* const source_ranges = arena.take<KeyRange>(pass_.batch);
  head_places_ = arena.take<std::int32_t>(model_->core().max_heads());
  query_places_ = arena.take<std::int32_t>(pass_.length);
  pass_.layers = lay_out_layers(*model_, arena);
  probe_.lay_out(arena, *model_, inputs, pass_);
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
    pass_.key_mask = AllowedKeys::of(inputs.key_mask.data, pass_.batch, pass_.num_keys, ranges);
  }
  if (inputs.source_key_mask.is_given()) {
    pass_.source_key_mask = AllowedKeys::of(inputs.source_key_mask.data, pass_.batch,
                                            pass_.source_length, source_ranges);
  }
  for (const Side side : all_sides) {
    const std::span<const InputTensor> gates = inputs.head_gates[static_cast<std::size_t>(side)];
    for (std::size_t layer = 0; layer < gates.size(); ++layer) {
      AttentionPass& of_layer = pass_.layers[side][layer];
      of_layer.head_gate = gates[layer].data;
      of_layer.gate_stride = gates[layer].shape.size() == 2 ? gates[layer].size() : 0;
    }
  }
  pass_.probe = probe_.probe();
}

void ModelPass::make_results(ModelResults& results) {
  using enum ModelResultName;
  const TransformerSettings& settings = model_->settings();
  const auto make = [&](ModelResultName name, std::size_t length, std::size_t size) {
    return results.of({.name = name}, std::array{pass_.batch, length, size});
  };
  if (settings.head) {
    pass_.logits = make(logits, pass_.length, settings.vocabulary_size);
  }
  pass_.hidden = make(hidden, pass_.length, settings.num_hiddens);
  if (pass_.source != nullptr) {
    pass_.encoder_hidden = make(encoder_hidden, pass_.source_length, settings.num_hiddens);
  }
  make_weights(true, results);
  make_captures(results);
}

void ModelPass::make_weights(bool with_encoder, ModelResults& results) {
  if (!inputs_->return_weights) {
    return;
  }
  const auto add_layers = [&](Side side, std::size_t queries, std::size_t keys) {
    for (std::size_t layer = 0; layer < pass_.layers[side].size(); ++layer) {
      WeightsOutput& weights = pass_.layers[side][layer].weights;
      WeightRows& rows = weights.rows;
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
      weights.to =
          results.of({.name = ModelResultName::attention_weights, .side = side, .layer = layer},
                     std::array{pass_.batch, rows.num_heads, rows.num_queries, keys});
    }
  };
  add_layers(Side::self, pass_.length, pass_.num_keys);
  add_layers(Side::cross, pass_.length, pass_.num_source_keys);
  if (pass_.source != nullptr && with_encoder) {
    add_layers(Side::encoder, pass_.source_length, pass_.source_length);
  }
}

void ModelPass::make_captures(ModelResults& results) {
  probe_.make_captures(*model_, *inputs_, pass_, results);
  pass_.probe = probe_.probe();
}

}  // namespace headwise
