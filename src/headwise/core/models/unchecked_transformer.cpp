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
  return pass.batch * heads * rows * kept_floats(patch.at, keys, settings.head_size);
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

/// Points the pass of a stack with rotary layers to the rotations of the tokens, which it writes.
void rotate_into(const TransformerStack& stack, const EmbeddedTokens& tokens, float* rotations,
                 StackPass& pass) noexcept {
  if (const RotarySettings* rotary = rotary_of(stack); rotary != nullptr && tokens.batch > 0) {
    const std::size_t samples = pass.rotations_sample_stride > 0 ? tokens.batch : 1;
    rotations_into(tokens.positions, 0, samples * tokens.length, *rotary, rotations);
    pass.rotations = rotations;
  }
}

}  // namespace

UncheckedTransformer::UncheckedTransformer(ModelParameters& parameters, AttentionLayers layers)
    : parameters_(&parameters),
      decoder_(parameters, parameters.decoder(), parameters.settings().decoder,
               std::move(layers.self), std::move(layers.cross)),
      encoder_(parameters, parameters.encoder(), parameters.settings().encoder,
               std::move(layers.encoder), {}) {}

std::span<AttentionLayer* const> UncheckedTransformer::layers(Side side) const noexcept {
  switch (side) {
    case Side::self:
      return decoder_.self_layers();
    case Side::cross:
      return decoder_.cross_layers();
    case Side::encoder:
      break;
  }
  return encoder_.self_layers();
}

UncheckedTransformer::Sizes UncheckedTransformer::sizes_of(const TransformerPass& pass) noexcept {
  const std::size_t cached = pass.cache != nullptr ? pass.cache->length() : 0;
  const std::size_t cached_source = pass.cache != nullptr ? pass.cache->source_length() : 0;
  return {.batch = pass.batch,
          .length = pass.length,
          .num_keys = cached + pass.length,
          .source_length = pass.source_length,
          .num_source_keys = cached_source + pass.source_length,
          .num_threads = pass.num_threads,
          .quantized = pass.cache != nullptr && pass.cache->precision() != Precision::float32,
          .probed = pass.probe.names()};
}

StackPass UncheckedTransformer::decoder_pass(const TransformerPass& pass) const noexcept {
  const Sizes sizes = sizes_of(pass);
  const TransformerSettings& model = settings();
  StackPass result;
  result.batch = pass.batch;
  result.length = pass.length;
  result.self = {
      .mask = {.batch = pass.batch,
               .num_queries = pass.length,
               .num_keys = sizes.num_keys,
               .valid_lens = pass.valid_lens,
               .valid_lens_sample_stride = pass.valid_lens_sample_stride,
               .valid_lens_query_stride = pass.valid_lens_query_stride,
               .key_mask = pass.key_mask,
               .first_position = static_cast<std::int64_t>(sizes.num_keys - pass.length)},
      .layers = pass.layers,
      .rules = model.decoder.rules};
  result.rotations_sample_stride = pass.key_mask.exist() ? pass.length : 0;
  if (model.has_encoder()) {
    const bool cached = pass.cache != nullptr && pass.cache->has_source;
    const std::int32_t* lens =
        cached ? pass.cache->source_valid_lens.data() : pass.source_valid_lens;
    result.cross = {
        .mask = {.batch = pass.batch,
                 .num_queries = pass.length,
                 .num_keys = sizes.num_source_keys,
                 .valid_lens = lens,
                 .valid_lens_sample_stride = 1,
                 .key_mask = cached ? pass.cache->source_keys.keys() : pass.source_key_mask},
        .layers = pass.cross_layers};
  }
  result.source_length = pass.source_length;
  result.probe = pass.probe;
  result.first_layer = pass.first_layer;
  if (pass.positions != nullptr && pass.length > 0) {
    result.last_positions = {pass.positions, pass.num_positions};
  }
  result.arena = pass.arena;
  result.num_threads = pass.num_threads;
  return result;
}

StackPass UncheckedTransformer::encoder_pass(const TransformerPass& pass) const noexcept {
  StackPass result;
  result.batch = pass.batch;
  result.length = pass.source_length;
  result.self = {.mask = {.batch = pass.batch,
                          .num_queries = pass.source_length,
                          .num_keys = pass.source_length,
                          .valid_lens = pass.source_valid_lens,
                          .valid_lens_sample_stride = 1,
                          .key_mask = pass.source_key_mask},
                 .layers = pass.encoder_layers,
                 .rules = settings().encoder.rules};
  result.rotations_sample_stride = pass.source_key_mask.exist() ? pass.source_length : 0;
  result.probe = pass.probe;
  result.probe.positions = nullptr;
  result.side = Side::encoder;
  result.arena = pass.arena;
  result.num_threads = pass.num_threads;
  return result;
}

EmbeddedTokens UncheckedTransformer::tokens_of(const TransformerPass& pass) noexcept {
  return {.tokens = pass.tokens,
          .segments = pass.segments,
          .batch = pass.batch,
          .length = pass.length,
          .num_cached = pass.cache != nullptr ? pass.cache->length() : 0,
          .keys = pass.key_mask};
}

EmbeddedTokens UncheckedTransformer::source_tokens_of(const TransformerPass& pass) noexcept {
  return {.tokens = pass.source,
          .batch = pass.batch,
          .length = pass.source_length,
          .keys = pass.source_key_mask};
}

SavedPass::Tensors UncheckedTransformer::lay_out_saved(
    Arena& arena, const SavedPass::Sizes& sizes) const noexcept {
  const TransformerSettings& model = settings();
  const std::size_t normed = model.embedding_norm ? sizes.batch : 0;
  SavedPass::Tensors tensors{};
  tensors.patches = arena.take(sizes.batch, model.num_patches(), model.patch_width());
  tensors.embedded = arena.take(normed, sizes.length, model.num_hiddens);
  tensors.source_embedded = arena.take(normed, sizes.source_length, model.num_hiddens);
  tensors.encoder =
      encoder_.lay_out_saved(arena, {.batch = sizes.batch, .length = sizes.source_length});
  tensors.source = arena.take(sizes.batch, sizes.source_length, model.num_hiddens);
  tensors.decoder = decoder_.lay_out_saved(arena, {.batch = sizes.batch, .length = sizes.length});
  const std::size_t scaled = sizes.has_norm_scales ? sizes.batch : 0;
  tensors.norm_scales = arena.take(scaled, sizes.length);
  tensors.source_norm_scales = arena.take(scaled, sizes.source_length);
  return tensors;
}

SavedPass::Tensors UncheckedTransformer::saved_tensors() noexcept {
  Arena arena(saved_->floats.data(), saved_->floats.size() * sizeof(float));
  return lay_out_saved(arena, saved_->sizes);
}

UncheckedTransformer::ForwardBuffers UncheckedTransformer::lay_out_forward(
    Arena& arena, const Sizes& sizes, bool saved) const noexcept {
  const TransformerSettings& model = settings();
  const std::size_t kept = saved ? 0 : sizes.batch;
  const std::size_t scaled =
      (sizes.probed & bit_of(ActivationName::final_norm_scale)) != 0 ? sizes.batch : 0;
  const ForwardBuffers buffers{
      .positions = arena.take<std::int32_t>(sizes.batch, sizes.length),
      .source_positions = arena.take<std::int32_t>(sizes.batch, sizes.source_length),
      .rotations = arena.take(sizes.batch, sizes.length, rotary_size(decoder_)),
      .source_rotations = arena.take(sizes.batch, sizes.source_length, rotary_size(encoder_)),
      .patches = arena.take(kept, model.num_patches(), model.patch_width()),
      .x = arena.take(kept, sizes.length, model.num_hiddens),
      .source = arena.take(kept, sizes.source_length, model.num_hiddens),
      .features = arena.take(sizes.batch, sizes.length, model.num_hiddens),
      .norm_scales = arena.take(scaled, sizes.length),
      .source_norm_scales = arena.take(scaled, sizes.source_length)};
  {
    const Arena::Scope scope(arena);
    encoder_.lay_out_forward(arena, {.batch = sizes.batch,
                                     .length = sizes.source_length,
                                     .num_keys = sizes.source_length,
                                     .source_length = 0,
                                     .num_threads = sizes.num_threads,
                                     .probed = sizes.probed});
  }
  const Arena::Scope scope(arena);
  decoder_.lay_out_forward(arena, {.batch = sizes.batch,
                                   .length = sizes.length,
                                   .num_keys = sizes.num_keys,
                                   .source_length = sizes.num_source_keys,
                                   .num_threads = sizes.num_threads,
                                   .quantized = sizes.quantized,
                                   .probed = sizes.probed});
  return buffers;
}

TransformerMemory UncheckedTransformer::allocate(const TransformerPass& pass) const {
  TransformerMemory memory;
  memory.parameter_gradients = parameters_->allocate_gradients();
  const auto allocate_layers = [&](std::span<AttentionLayer* const> layers,
                                   const AttentionPasses& passes, std::size_t num_keys,
                                   std::size_t rotations_sample_stride,
                                   std::vector<ForwardMemory>& into) {
    into = std::vector<ForwardMemory>(layers.size());
    for (std::size_t i = 0; i < layers.size(); ++i) {
      const AttentionPass attention = passes.layers.empty() ? AttentionPass{} : passes.layers[i];
      const AttentionMask mask = passes.mask_of(i);
      into[i] = layers[i]->allocate({.num_new_keys = num_keys,
                                     .positions_sample_stride = rotations_sample_stride,
                                     .mask = &mask,
                                     .head_gate = attention.head_gate,
                                     .gate_stride = attention.gate_stride,
                                     .requires_grad = true});
    }
  };
  const StackPass decoder = decoder_pass(pass);
  const StackPass encoder = encoder_pass(pass);
  allocate_layers(decoder_.self_layers(), decoder.self, pass.length,
                  decoder.rotations_sample_stride, memory.self);
  allocate_layers(decoder_.cross_layers(), decoder.cross, pass.source_length, 0, memory.cross);
  allocate_layers(encoder_.self_layers(), encoder.self, pass.source_length,
                  encoder.rotations_sample_stride, memory.encoder);
  SavedPass saved;
  saved.sizes = {.batch = pass.batch,
                 .length = pass.length,
                 .source_length = pass.source_length,
                 .has_norm_scales = std::ranges::any_of(pass.probe.patches,
                                                        [](const ActivationPatch& patch) {
                                                          return patch.at ==
                                                                 ActivationName::final_norm_scale;
                                                        }),
                 .has_embeddings = pass.embeddings != nullptr,
                 .has_batch_axis = pass.has_batch_axis};
  saved.patches = KeptPatches(pass.probe.patches, [&](const ActivationPatch& patch) {
    const StackPass& stack = patch.side == Side::encoder ? encoder : decoder;
    const std::size_t keys =
        patch.side == Side::self ? pass.length : std::size_t{pass.source_length};
    const std::span<AttentionLayer* const> of_side = layers(patch.side);
    return kept_size(patch, patch.layer < of_side.size() ? of_side[patch.layer] : nullptr, stack,
                     keys);
  });
  const auto copy = [](const std::int32_t* numbers, std::size_t count) {
    return numbers != nullptr ? std::vector(numbers, numbers + count) : std::vector<std::int32_t>();
  };
  saved.tokens = copy(pass.tokens, pass.batch * pass.length);
  saved.segments = copy(pass.segments, pass.batch * pass.length);
  saved.source = copy(pass.source, pass.batch * pass.source_length);
  saved.positions.resize(pass.batch * pass.length);
  saved.source_positions.resize(saved.source.size());
  const std::size_t bytes =
      measure([&](Arena& arena) { static_cast<void>(lay_out_saved(arena, saved.sizes)); });
  // Memory of the right size is used again.
  if (!saved_ || saved_->floats.size() != bytes / sizeof(float)) {
    saved.floats = AlignedFloats(bytes / sizeof(float));
  }
  memory.saved = std::move(saved);
  return memory;
}

void UncheckedTransformer::keep(TransformerMemory& memory) noexcept {
  if (!memory.saved) {
    return;
  }
  parameters_->keep_gradients(std::move(memory.parameter_gradients));
  if (memory.saved->floats.empty() && saved_) {
    memory.saved->floats = std::move(saved_->floats);
  }
  saved_ = std::move(memory.saved);
  saved_->version = parameters_->version();
  is_pending_ = true;
}

float* UncheckedTransformer::embed_inputs(const TransformerPass& pass, const EmbeddedTokens& tokens,
                                          const ForwardBuffers& buffers,
                                          const SavedPass::Tensors* saved) noexcept {
  float* const x = saved != nullptr ? saved->decoder.streams : buffers.x;
  if (pass.stream != nullptr) {
    std::copy_n(pass.stream, tokens.rows() * settings().num_hiddens, x);
    return x;
  }
  float* const embedded = saved != nullptr && settings().embedding_norm ? saved->embedded : x;
  if (settings().has_patches()) {
    float* patches = saved != nullptr ? saved->patches : buffers.patches;
    cut_patches(settings(), pass.pixels, pass.batch, patches);
    embed_patches(*parameters_, patches, pass.batch, pass.num_threads, embedded);
  } else if (pass.embeddings != nullptr) {
    std::copy_n(pass.embeddings, tokens.rows() * settings().num_hiddens, embedded);
  } else {
    embed(*parameters_, tokens, embedded);
  }
  pass.probe.visit(ActivationName::embeddings, Side::self, 0,
                   stream_view(embedded, pass.batch, pass.length, settings().num_hiddens));
  add_positions(*parameters_, decoder_.indices(), tokens, embedded);
  normalize_embedding(decoder_, embedded, pass.batch * pass.length, x, pass.num_threads);
  return x;
}

void UncheckedTransformer::normalize_embedding(const TransformerStack& stack, const float* embedded,
                                               std::size_t rows, float* x,
                                               std::size_t num_threads) const noexcept {
  if (stack.indices().embedding_norm.exists()) {
    normalize_rows(*parameters_, stack.indices().embedding_norm, embedded, rows, x, num_threads);
  }
}

/// The encoder's output, (batch, source length, num_hiddens).
const float* UncheckedTransformer::run_encoder(const TransformerPass& pass,
                                               const ForwardBuffers& buffers,
                                               TransformerMemory& memory,
                                               const SavedPass::Tensors* saved) noexcept {
  const std::size_t rows = pass.batch * pass.source_length;
  float* const x = saved != nullptr ? saved->encoder.streams : buffers.source;
  float* const embedded =
      saved != nullptr && settings().embedding_norm ? saved->source_embedded : x;
  EmbeddedTokens tokens = source_tokens_of(pass);
  std::int32_t* positions =
      saved != nullptr ? saved_->source_positions.data() : buffers.source_positions;
  positions_into(settings(), tokens, positions);
  tokens.positions = positions;
  embed(*parameters_, tokens, embedded);
  StackPass stack = encoder_pass(pass);
  stack.probe.visit(ActivationName::embeddings, Side::encoder, 0,
                    stream_view(embedded, pass.batch, pass.source_length, settings().num_hiddens));
  add_positions(*parameters_, encoder_.indices(), tokens, embedded);
  normalize_embedding(encoder_, embedded, rows, x, pass.num_threads);
  stack.self.memory = memory.encoder;
  rotate_into(encoder_, tokens, buffers.source_rotations, stack);
  const float* output = encoder_.forward(stack, x, saved != nullptr ? &saved->encoder : nullptr);
  float* const source = saved != nullptr ? saved->source : buffers.source;
  probed_final_norm(encoder_, stack, output,
                    saved != nullptr && saved_->sizes.has_norm_scales ? saved->source_norm_scales
                                                                      : buffers.source_norm_scales,
                    source);
  if (pass.encoder_hidden != nullptr) {
    std::copy_n(source, rows * settings().num_hiddens, pass.encoder_hidden);
  }
  return source;
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
  constexpr ActivationName name = ActivationName::final_norm_scale;
  if (pass.probe.touches(name, pass.side, 0)) {
    norm_scales_into(*parameters_, x, pass.rows(), scales);
    pass.probe.visit(name, pass.side, 0, stream_view(scales, pass.batch, pass.length, 1));
  }
  if (pass.probe.patches_any(name, pass.side, 0)) {
    normalize_rows_by(*parameters_, stack.indices().final_norm, x, scales, pass.rows(), y);
  } else {
    final_norm(stack, x, pass.rows(), y, pass.num_threads);
  }
}

float* UncheckedTransformer::run_layers(const TransformerPass& given, const ForwardBuffers& buffers,
                                        TransformerMemory& memory) noexcept {
  parameters_->stored().pack();
  const bool is_saved = memory.saved.has_value();
  keep(memory);
  TransformerPass pass = given;
  if (is_saved) {
    pass.probe.patches = saved_->patches.patches();
  }
  SavedPass::Tensors tensors{};
  if (is_saved) {
    tensors = saved_tensors();
  }
  const SavedPass::Tensors* saved = is_saved ? &tensors : nullptr;
  StackPass stack = decoder_pass(pass);
  if (settings().has_encoder() && pass.source != nullptr) {
    stack.source = run_encoder(pass, buffers, memory, saved);
  }
  EmbeddedTokens tokens = tokens_of(pass);
  std::int32_t* positions = is_saved ? saved_->positions.data() : buffers.positions;
  positions_into(settings(), tokens, positions);
  tokens.positions = positions;
  float* const x = embed_inputs(pass, tokens, buffers, saved);
  rotate_into(decoder_, tokens, buffers.rotations, stack);
  stack.self.memory = memory.self;
  stack.cross.memory = memory.cross;
  if (pass.cache != nullptr) {
    if (pass.key_mask.exist()) {
      pass.cache->set_padding(pass.key_mask, pass.cache->length() + pass.length);
    }
    stack.self.caches = pass.cache->self;
    stack.cross.caches = pass.cache->cross;
    if (pass.source != nullptr) {
      pass.cache->add_source(pass.source_valid_lens, pass.source_length);
    }
  }
  return decoder_.forward(stack, x, is_saved ? &tensors.decoder : nullptr);
}

void UncheckedTransformer::forward_into(const TransformerPass& pass,
                                        TransformerMemory&& memory) noexcept {
  TransformerMemory kept = std::move(memory);
  const Arena::Scope scope(*pass.arena);
  const ForwardBuffers buffers =
      lay_out_forward(*pass.arena, sizes_of(pass), kept.saved.has_value());
  const float* x = run_layers(pass, buffers, kept);
  float* scales = buffers.norm_scales;
  if (pass.requires_grad) {
    saved_->num_layer_passes = num_saved_passes();
    if (saved_->sizes.has_norm_scales) {
      scales = saved_tensors().norm_scales;
    }
  }
  float* const features = pass.hidden != nullptr ? pass.hidden : buffers.features;
  StackPass stack = decoder_pass(pass);
  stack.length = stack.num_last_positions();
  probed_final_norm(decoder_, stack, x, scales, features);
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

std::optional<SavedPass::Sizes> UncheckedTransformer::pending() const noexcept {
  const auto is_ready = [](const AttentionLayer* layer) {
    return layer->pending_backward() == PendingBackward::ready;
  };
  // A layer may have been called by itself since.
  const bool ready = is_pending_ && saved_->version == parameters_->version() &&
                     saved_->num_layer_passes == num_saved_passes() &&
                     std::ranges::all_of(layers(Side::self), is_ready) &&
                     std::ranges::all_of(layers(Side::cross), is_ready) &&
                     std::ranges::all_of(layers(Side::encoder), is_ready);
  return ready ? std::optional(saved_->sizes) : std::nullopt;
}

std::uint64_t UncheckedTransformer::num_saved_passes() const noexcept {
  std::uint64_t count = 0;
  for_each_layer([&](const AttentionLayer& layer) { count += layer.num_saved_passes(); });
  return count;
}

void UncheckedTransformer::set_training(bool training) noexcept {
  for_each_layer([&](AttentionLayer& layer) { layer.set_training(training); });
}

void UncheckedTransformer::zero_gradients() noexcept {
  parameters_->zero_gradients();
  for_each_layer([](AttentionLayer& layer) { layer.zero_gradients(); });
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
  for_each_layer([&](const AttentionLayer& layer) {
    add(layer.parameter_table(), layer.parameters()->stored(),
        layer.parameter_gradients() != nullptr);
  });
  return memory;
}

void UncheckedTransformer::parameters_changed() noexcept {
  parameters_->parameters_changed();
  for_each_layer([](AttentionLayer& layer) { layer.parameters_changed(); });
}

std::vector<Trainable*> UncheckedTransformer::trainables() const {
  std::vector<Trainable*> result = {parameters_};
  for (const Side side : all_sides) {
    for (AttentionLayer* layer : layers(side)) {
      result.push_back(layer);
    }
  }
  return result;
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
