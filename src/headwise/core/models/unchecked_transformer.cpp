#include <algorithm>
#include <headwise/core/attention/rotary.hpp>
#include <headwise/core/kernels/dispatch.hpp>
#include <headwise/core/models/embedding.hpp>
#include <headwise/core/models/row_norms.hpp>
#include <headwise/core/models/unchecked_transformer.hpp>
#include <utility>

namespace headwise {
namespace {

/// Floats that the backward pass needs of a patch.
std::size_t kept_size(const ActivationPatch& patch, const AttentionLayer* layer,
                      const StackPass& pass, std::size_t keys) noexcept {
  if (layer == nullptr) {
    return 0;
  }
  const LayerSettings& settings = layer->settings();
  const std::size_t heads = patch.heads != nullptr ? patch.num_heads : settings.num_heads;
  const std::size_t rows = patch.positions != nullptr ? patch.num_positions : pass.length;
  return pass.batch * heads * rows * kept_floats(patch.place.at, keys, settings.head_size);
}

/// The rotary settings of a stack's layers; null without.
const RotarySettings* rotary_of(const TransformerStack& stack) noexcept {
  if (stack.self_layers().empty()) {
    return nullptr;
  }
  const auto& rotary = stack.self_layers().front()->settings().rotary;
  return rotary ? &*rotary : nullptr;
}

std::size_t rotary_size(const TransformerStack& stack) noexcept {
  const RotarySettings* rotary = rotary_of(stack);
  return rotary != nullptr ? rotary->size : 0;
}

EmbeddedTokens tokens_of(const TransformerPass& pass) noexcept {
  return {.tokens = pass.tokens,
          .segments = pass.segments,
          .pixels = pass.pixels,
          .embeddings = pass.embeddings,
          .stream = pass.stream,
          .batch = pass.batch,
          .length = pass.length,
          .num_cached = pass.num_keys - pass.length,
          .keys = pass.key_mask};
}

EmbeddedTokens source_tokens_of(const TransformerPass& pass) noexcept {
  return {.tokens = pass.source,
          .batch = pass.batch,
          .length = pass.source_length,
          .keys = pass.source_key_mask};
}

/// A mask for the queries of a decoder or an encoder, with lengths for each sample.
AttentionMask mask_of(const ModelPassSizes& sizes, std::size_t num_keys,
                      const std::int32_t* valid_lens, const AllowedKeys& key_mask) noexcept {
  return {.batch = sizes.batch,
          .num_queries = sizes.length,
          .num_keys = num_keys,
          .valid_lens = valid_lens,
          .valid_lens_sample_stride = 1,
          .key_mask = key_mask};
}

/// Unless it is `saved`, layers overwrite one stream, and the embedding is the first of it.
StackTensors lay_out_stack(Arena& arena, const TransformerStack& stack,
                           const TransformerSettings& model, const ModelPassSizes& sizes,
                           bool saved) noexcept {
  const auto take_stream = [&] { return arena.take(sizes.rows(), model.num_hiddens); };
  StackTensors tensors{};
  tensors.tokens = arena.take<std::int32_t>(saved ? sizes.rows() : 0);
  tensors.segments = arena.take<std::int32_t>(saved ? sizes.rows() : 0);
  tensors.positions = arena.take<std::int32_t>(sizes.rows());
  // Without an encoder, its length is 0.
  tensors.patches =
      arena.take(sizes.length > 0 ? sizes.batch : 0, model.num_patches(), model.patch_width());
  if (saved) {
    tensors.layers = stack.lay_out_saved(arena, sizes);
  } else {
    tensors.layers.streams = take_stream();
  }
  tensors.embedded = saved && model.embedding_norm ? take_stream() : tensors.layers.streams;
  tensors.norm_scales =
      arena.take(sizes.probes(ActivationName::final_norm_scale) ? sizes.rows() : 0);
  return tensors;
}

/// Writes the input of a stack's first layer.
void embed_inputs(const ModelParameters& parameters, const TransformerStack& stack,
                  const StackPass& pass, const EmbeddedTokens& tokens,
                  const StackTensors& tensors) noexcept {
  const TransformerSettings& model = parameters.settings();
  const std::size_t floats = pass.rows() * model.num_hiddens;
  if (tokens.stream != nullptr) {
    std::copy_n(tokens.stream, floats, tensors.layers.streams);
    return;
  }
  if (model.has_patches()) {
    cut_patches(model, tokens.pixels, pass.batch, tensors.patches);
    embed_patches(parameters, tensors.patches, pass.batch, pass.num_threads, tensors.embedded);
  } else if (tokens.embeddings != nullptr) {
    std::copy_n(tokens.embeddings, floats, tensors.embedded);
  } else {
    embed(parameters, tokens, tensors.embedded);
  }
  pass.probe.visit({ActivationName::embeddings, pass.self.side, 0},
                   stream_view(tensors.embedded, pass.batch, pass.length, model.num_hiddens));
  add_positions(parameters, stack.indices(), tokens, tensors.embedded);
  if (stack.indices().embedding_norm.exists()) {
    normalize_rows(parameters, stack.indices().embedding_norm, tensors.embedded, pass.rows(),
                   tensors.layers.streams, pass.num_threads);
  }
}

/// Embeds the tokens of an encoder or a decoder and runs its layers; returns the output of the last
/// one.
float* run_stack(const ModelParameters& parameters, TransformerStack& stack, StackPass& pass,
                 EmbeddedTokens tokens, const StackTensors& tensors, float* rotations) noexcept {
  const bool is_saved = !pass.self.memory.empty();
  const auto save = [&](const std::int32_t* numbers, std::int32_t* to) {
    numbers != nullptr ? std::copy_n(numbers, pass.rows(), to) : std::fill_n(to, pass.rows(), 0);
  };
  if (is_saved) {
    save(tokens.tokens, tensors.tokens);
    save(tokens.segments, tensors.segments);
  }
  positions_into(parameters.settings(), tokens, tensors.positions);
  tokens.positions = tensors.positions;
  embed_inputs(parameters, stack, pass, tokens, tensors);
  if (const RotarySettings* rotary = rotary_of(stack); rotary != nullptr && pass.batch > 0) {
    const std::size_t samples = pass.self.rotations_sample_stride > 0 ? pass.batch : 1;
    rotations_into(tokens.positions, 0, samples * pass.length, *rotary, rotations);
    pass.self.rotations = rotations;
  }
  return stack.forward(pass, tensors.layers.streams, is_saved ? &tensors.layers : nullptr);
}

}  // namespace

UncheckedTransformer::UncheckedTransformer(ModelParameters& parameters,
                                           BySide<std::vector<AttentionLayer*>> layers)
    : parameters_(&parameters),
      layers_(std::move(layers)),
      decoder_(parameters, parameters.decoder(), parameters.settings().decoder, layers_[Side::self],
               layers_[Side::cross]),
      encoder_(parameters, parameters.encoder(), parameters.settings().encoder,
               layers_[Side::encoder], {}) {}

StackPass UncheckedTransformer::decoder_pass(const TransformerPass& pass) const noexcept {
  const bool has_cached = pass.cache != nullptr && pass.cache->has_source;
  StackPass result{pass.sizes()};
  result.self = {.mask = mask_of(pass, pass.num_keys, pass.valid_lens, pass.key_mask),
                 .layers = pass.layers[Side::self],
                 .rules = settings().decoder.rules,
                 .num_new_keys = pass.length,
                 .rotations_sample_stride = pass.key_mask.exist() ? pass.length : 0};
  result.self.mask.valid_lens_sample_stride = pass.valid_lens_sample_stride;
  result.self.mask.valid_lens_query_stride = pass.valid_lens_query_stride;
  result.self.mask.first_position = static_cast<std::int64_t>(pass.num_keys - pass.length);
  result.cross = {
      .side = Side::cross,
      .mask = mask_of(pass, pass.num_source_keys,
                      has_cached ? pass.cache->source_valid_lens.data() : pass.source_valid_lens,
                      has_cached ? pass.cache->source_keys.keys() : pass.source_key_mask),
      .layers = pass.layers[Side::cross],
      .num_new_keys = pass.source_length};
  result.probe = pass.probe;
  result.first_layer = pass.first_layer;
  if (pass.positions != nullptr && pass.length > 0) {
    result.last_positions = {pass.positions, pass.num_positions};
  }
  result.arena = pass.arena;
  return result;
}

StackPass UncheckedTransformer::encoder_pass(const TransformerPass& pass) const noexcept {
  StackPass result{pass.of_encoder()};
  result.self = {
      .side = Side::encoder,
      .mask = mask_of(result, result.length, pass.source_valid_lens, pass.source_key_mask),
      .layers = pass.layers[Side::encoder],
      .rules = settings().encoder.rules,
      .num_new_keys = result.length,
      .rotations_sample_stride = pass.source_key_mask.exist() ? result.length : 0};
  result.probe = pass.probe;
  result.probe.positions = nullptr;
  result.arena = pass.arena;
  return result;
}

PassTensors UncheckedTransformer::lay_out_tensors(Arena& arena, const ModelPassSizes& sizes,
                                                  bool saved) const noexcept {
  PassTensors tensors{
      .decoder = lay_out_stack(arena, decoder_, settings(), sizes, saved),
      .encoder = lay_out_stack(arena, encoder_, settings(), sizes.of_encoder(), saved),
      .source = nullptr};
  tensors.source = saved ? arena.take(sizes.batch, sizes.source_length, settings().num_hiddens)
                         : tensors.encoder.layers.streams;
  return tensors;
}

PassTensors UncheckedTransformer::saved_tensors() noexcept {
  Arena arena(saved_->floats.data(), saved_->floats.size() * sizeof(float));
  return lay_out_tensors(arena, saved_->sizes, true);
}

UncheckedTransformer::ForwardBuffers UncheckedTransformer::lay_out_forward(
    Arena& arena, const ModelPassSizes& sizes, bool saved) const noexcept {
  const ForwardBuffers buffers{
      .rotations = arena.take(sizes.rows(), rotary_size(decoder_)),
      .source_rotations = arena.take(sizes.batch, sizes.source_length, rotary_size(encoder_)),
      .features = arena.take(sizes.rows(), settings().num_hiddens),
      .tensors = saved ? PassTensors{} : lay_out_tensors(arena, sizes, false)};
  {
    const Arena::Scope scope(arena);
    encoder_.lay_out_forward(arena, sizes.of_encoder());
  }
  const Arena::Scope scope(arena);
  decoder_.lay_out_forward(arena, sizes);
  return buffers;
}

TransformerMemory UncheckedTransformer::allocate(const TransformerPass& pass) const {
  TransformerMemory memory{.parameter_gradients = parameters_->allocate_gradients()};
  const StackPass decoder = decoder_pass(pass);
  const StackPass encoder = encoder_pass(pass);
  for (const AttentionPasses* passes : {&decoder.self, &decoder.cross, &encoder.self}) {
    const std::span<AttentionLayer* const> of_side = layers(passes->side);
    for (std::size_t i = 0; i < of_side.size(); ++i) {
      AttentionMask mask;
      ForwardArguments arguments = passes->arguments_of(i, mask);
      arguments.requires_grad = true;
      memory.layers[passes->side].push_back(of_side[i]->allocate(arguments));
    }
  }
  SavedPass& saved = memory.saved.emplace();
  saved.sizes = pass.sizes();
  saved.patches = KeptPatches(pass.probe.patches, [&](const ActivationPatch& patch) {
    const auto& [at, side, layer] = patch.place;
    return kept_size(patch, layer < layers(side).size() ? layers(side)[layer] : nullptr,
                     side == Side::encoder ? encoder : decoder,
                     side == Side::self ? pass.length : pass.source_length);
  });
  const std::size_t bytes =
      measure([&](Arena& arena) { static_cast<void>(lay_out_tensors(arena, saved.sizes, true)); });
  // Memory of the right size is used again.
  if (!saved_ || saved_->floats.size() != bytes / sizeof(float)) {
    saved.floats = AlignedFloats(bytes / sizeof(float));
  }
  return memory;
}

void UncheckedTransformer::keep(TransformerMemory& memory) noexcept {
  parameters_->keep_gradients(std::move(memory.parameter_gradients));
  if (memory.saved->floats.empty() && saved_) {
    memory.saved->floats = std::move(saved_->floats);
  }
  saved_ = std::move(memory.saved);
  saved_->version = parameters_->version();
  is_pending_ = true;
}

void UncheckedTransformer::final_norm(const TransformerStack& stack, const float* x,
                                      std::size_t rows, float* y,
                                      std::size_t num_threads) const noexcept {
  if (stack.indices().final_norm.exists()) {
    normalize_rows(*parameters_, stack.indices().final_norm, x, rows, y, num_threads);
  } else if (x != y) {
    std::copy_n(x, rows * settings().num_hiddens, y);
  }
}

void UncheckedTransformer::probed_final_norm(const TransformerStack& stack, const StackPass& pass,
                                             const float* x, float* scales,
                                             float* y) const noexcept {
  const ActivationPlace place{ActivationName::final_norm_scale, pass.self.side, 0};
  if (pass.probe.touches(place)) {
    norm_scales_into(*parameters_, x, pass.rows(), scales);
    pass.probe.visit(place, stream_view(scales, pass.batch, pass.length, 1));
  }
  if (pass.probe.patches_any(place)) {
    normalize_rows_by(*parameters_, stack.indices().final_norm, x, scales, pass.rows(), y);
  } else {
    final_norm(stack, x, pass.rows(), y, pass.num_threads);
  }
}

float* UncheckedTransformer::run_layers(const TransformerPass& given, ForwardBuffers& buffers,
                                        TransformerMemory& memory) noexcept {
  parameters_->stored().pack();
  TransformerPass pass = given;
  if (memory.saved) {
    keep(memory);
    pass.probe.patches = saved_->patches.patches();
    buffers.tensors = saved_tensors();
  }
  const PassTensors& tensors = buffers.tensors;
  StackPass stack = decoder_pass(pass);
  stack.self.memory = memory.layers[Side::self];
  stack.cross.memory = memory.layers[Side::cross];
  if (settings().has_encoder() && pass.source != nullptr) {
    StackPass encoder = encoder_pass(pass);
    encoder.self.memory = memory.layers[Side::encoder];
    const float* output = run_stack(*parameters_, encoder_, encoder, source_tokens_of(pass),
                                    tensors.encoder, buffers.source_rotations);
    probed_final_norm(encoder_, encoder, output, tensors.encoder.norm_scales, tensors.source);
    if (pass.encoder_hidden != nullptr) {
      std::copy_n(tensors.source, encoder.rows() * settings().num_hiddens, pass.encoder_hidden);
    }
    stack.cross.source = tensors.source;
  }
  if (pass.cache != nullptr) {
    if (pass.key_mask.exist()) {
      pass.cache->set_padding(pass.key_mask, pass.num_keys);
    }
    stack.self.caches = pass.cache->self;
    stack.cross.caches = pass.cache->cross;
    if (pass.source != nullptr) {
      pass.cache->add_source(pass.source_valid_lens, pass.source_length);
    }
  }
  return run_stack(*parameters_, decoder_, stack, tokens_of(pass), tensors.decoder,
                   buffers.rotations);
}

void UncheckedTransformer::forward_into(const TransformerPass& pass,
                                        TransformerMemory&& memory) noexcept {
  TransformerMemory kept = std::move(memory);
  const bool is_saved = kept.saved.has_value();
  const Arena::Scope scope(*pass.arena);
  ForwardBuffers buffers = lay_out_forward(*pass.arena, pass, is_saved);
  const float* x = run_layers(pass, buffers, kept);
  if (is_saved) {
    saved_->num_layer_passes = num_saved_passes();
  }
  float* const features = pass.hidden != nullptr ? pass.hidden : buffers.features;
  StackPass stack = decoder_pass(pass);
  stack.length = stack.num_last_positions();
  probed_final_norm(decoder_, stack, x, buffers.tensors.decoder.norm_scales, features);
  if (pass.logits == nullptr || pass.length == 0) {
    return;
  }
  unembed(features, stack.rows(), pass.logits, pass.num_threads);
}

void UncheckedTransformer::unembed(const float* features, std::size_t rows, float* logits,
                                   std::size_t num_threads) const noexcept {
  parameters_->stored().pack();
  const RowProjection head{.linear = parameters_->linear(parameters_->unembedding()),
                           .inputs = features,
                           .outputs = logits,
                           .rows = rows};
  project({&head, 1}, num_threads);
  if (settings().logits_softcap > 0) {
    kernels::softcap(logits, rows * settings().vocabulary_size, settings().logits_softcap);
  }
}

std::optional<ModelPassSizes> UncheckedTransformer::pending() const noexcept {
  // A layer may have been called by itself since.
  bool is_ready = is_pending_ && saved_->version == parameters_->version() &&
                  saved_->num_layer_passes == num_saved_passes();
  for_each_layer([&](auto, auto, const AttentionLayer& layer) {
    is_ready = is_ready && layer.pending_backward() == PendingBackward::ready;
  });
  return is_ready ? std::optional(saved_->sizes) : std::nullopt;
}

std::uint64_t UncheckedTransformer::num_saved_passes() const noexcept {
  std::uint64_t count = 0;
  for_each_layer(
      [&](auto, auto, const AttentionLayer& layer) { count += layer.num_saved_passes(); });
  return count;
}

void UncheckedTransformer::set_training(bool training) noexcept {
  for_each_layer([&](auto, auto, AttentionLayer& layer) { layer.set_training(training); });
}

void UncheckedTransformer::zero_gradients() noexcept {
  parameters_->zero_gradients();
  for_each_layer([](auto, auto, AttentionLayer& layer) { layer.zero_gradients(); });
}

ModelMemory UncheckedTransformer::memory() const noexcept {
  ModelMemory memory;
  const auto add = [&](const ParameterTable& table, const StoredParameters& stored,
                       bool have_gradients) {
    memory.num_parameters += table.size();
    memory.parameter_bytes += stored.bytes();
    memory.gradient_bytes += have_gradients ? table.size() * sizeof(float) : 0;
  };
  add(parameters_->parameter_table(), parameters_->stored(), parameters_->have_gradients());
  for_each_layer([&](auto, auto, const AttentionLayer& layer) {
    add(layer.parameter_table(), layer.parameters()->stored(),
        layer.parameter_gradients() != nullptr);
  });
  return memory;
}

void UncheckedTransformer::parameters_changed() noexcept {
  parameters_->parameters_changed();
  for_each_layer([](auto, auto, AttentionLayer& layer) { layer.parameters_changed(); });
}

std::vector<Trainable*> UncheckedTransformer::trainables() const {
  std::vector<Trainable*> result = {parameters_};
  for_each_layer([&](auto, auto, AttentionLayer& layer) { result.push_back(&layer); });
  return result;
}

ParameterList UncheckedTransformer::parameters() const {
  ParameterList list;
  append_parameters(parameters_->parameter_table(), &parameters_->stored(),
                    parameters_->parameter_gradients(), nullptr, "", list);
  for_each_layer([&](Side side, std::size_t number, const AttentionLayer& layer) {
    append_parameters(layer, attention_prefix(side, number), list);
  });
  return list;
}

void UncheckedTransformer::remove_heads(Side side,
                                        std::span<const std::vector<std::size_t>> heads) {
  const std::span<AttentionLayer* const> of_side = layers(side);
  std::vector<std::optional<PrunedLayer>> pruned(of_side.size());
  for (std::size_t layer = 0; layer < of_side.size(); ++layer) {
    if (!heads[layer].empty()) {
      pruned[layer] = of_side[layer]->allocate_without(heads[layer]);
    }
  }
  for (std::size_t layer = 0; layer < of_side.size(); ++layer) {
    if (pruned[layer]) {
      of_side[layer]->remove_heads(std::move(*pruned[layer]));
    }
  }
}

TransformerCache UncheckedTransformer::make_cache(std::size_t batch_size, std::size_t max_length,
                                                  Precision precision) const {
  TransformerCache cache;
  const auto add = [&](Side side, std::size_t length, std::vector<LayerCache>& caches) {
    for (const AttentionLayer* layer : layers(side)) {
      caches.emplace_back(layer->identity(),
                          LayerCache::Sizes{.batch = batch_size,
                                            .num_heads = layer->settings().num_kv_heads,
                                            .max_length = length,
                                            .head_size = layer->settings().head_size},
                          precision);
    }
  };
  add(Side::self, max_length, cache.self);
  add(Side::cross, settings().max_length, cache.cross);
  // The caches above, which are larger, have fitted into memory.
  cache.source_valid_lens.resize(cache.cross.empty() ? 0 : batch_size);
  return cache;
}

}  // namespace headwise
