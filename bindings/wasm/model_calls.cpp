#include "model_calls.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <headwise/api/validation.hpp>
#include <headwise/api/validation_model_options.hpp>
#include <headwise/api/validation_options.hpp>
#include <headwise/api/validation_text.hpp>
#include <headwise/core/models/pretrained/whole_heads.hpp>
#include <headwise/core/models/sampling.hpp>
#include <headwise/core/parallel/for_each.hpp>
#include <limits>
#include <optional>
#include <ranges>
#include <span>
#include <vector>

#include "layer_calls.hpp"
#include "memory.hpp"
#include "model.hpp"
#include "records.hpp"
#include "response.hpp"

namespace headwise::bindings {
namespace {

/// As in `PassKind` of model-pass.ts.
enum class PassKind : std::uint8_t { forward, loss, gradients, training, lens, heads, attribution };

std::optional<RotaryScaling> scaling_of(const ModelOptions& options) {
  if (options.scaling_type == 0) {
    return std::nullopt;
  }
  return RotaryScaling{.type = static_cast<RotaryScaling::Type>(options.scaling_type - 1),
                       .factor = options.scaling_factor,
                       .original_length = options.scaling_length,
                       .slow_turns = options.scaling_slow_turns,
                       .fast_turns = options.scaling_fast_turns,
                       .truncate = options.scaling_truncate,
                       .attention_factor = options.scaling_attention_factor};
}

TransformerOptions read_model_options(const NewModel& message) {
  const ModelOptions& given = message.options;
  TransformerOptions options{
      .vocabulary_size = given.vocabulary_size,
      .max_length = given.max_length,
      .num_hiddens = given.num_hiddens,
      .num_layers = given.num_layers,
      .num_heads = given.num_heads,
      .num_kv_heads = given.num_kv_heads,
      .head_size = given.head_size,
      .ffn_hiddens = given.ffn_hiddens,
      .activation = static_cast<Activation>(given.activation),
      .gated = given.gated,
      .norm = static_cast<Norm>(given.norm),
      .norm_first = given.norm_first,
      .parallel_residual = given.parallel_residual,
      .post_norms = given.post_norms,
      .norm_epsilon = given.norm_epsilon,
      .norm_bias = given.norm_bias,
      .final_norm = given.final_norm,
      .embedding_norm = given.embedding_norm,
      .positions = static_cast<Positions>(given.positions),
      .rotary = {.base = given.rotary_base,
                 .size = given.rotary_size,
                 .interleaved = given.rotary_interleaved,
                 .scaling = scaling_of(given)},
      .embedding_scale = given.embedding_scale,
      .qk_norm = given.qk_norm,
      .bias = given.bias,
      .qkv_bias = given.qkv_bias,
      .tied_embeddings = given.tied_embeddings,
      .logits_bias = given.logits_bias,
      .head = given.head,
      .segments = given.segments,
      .logits_softcap = given.logits_softcap,
      .causal = given.causal,
      .dropout = given.dropout,
      .softcap = given.softcap,
      .scale = given.scale,
      .weights = static_cast<Precision>(given.weights),
      .position_offset = given.position_offset,
      .padding_token = given.padding_token,
      .seed = std::uint64_t{given.seed},
  };
  if (given.has_window) {
    options.window = {.left = given.window_left, .right = given.window_right};
  }
  for (std::size_t side = 0; side < message.windows.size(); side += 2) {
    options.windows.emplace_back(
        Window{.left = message.windows[side], .right = message.windows[side + 1]});
  }
  if (given.has_encoder) {
    options.encoder = {.num_layers = given.encoder_layers,
                       .num_heads = given.encoder_heads,
                       .ffn_hiddens = given.encoder_ffn_hiddens};
  }
  if (given.has_patches) {
    options.patches = {.image_size = given.image_size,
                       .patch_size = given.patch_size,
                       .channels = given.channels,
                       .class_token = given.class_token};
  }
  return options;
}

/// JavaScript writes `LayerPass` in the layout of the library's struct.
static_assert(sizeof(AttentionPass) == sizeof(LayerPass));
static_assert(offsetof(AttentionPass, head_gate) == offsetof(LayerPass, head_gate));
static_assert(offsetof(AttentionPass, gate_stride) == offsetof(LayerPass, gate_stride));
static_assert(offsetof(AttentionPass, attention_weights) == offsetof(LayerPass, attention_weights));
static_assert(offsetof(AttentionPass, weight_rows) == offsetof(LayerPass, weight_heads));
static_assert(offsetof(AttentionPass, head_gate_gradient) ==
              offsetof(LayerPass, head_gate_gradient));

/// The layers' arguments, side by side.
struct LayerPasses {
  std::array<std::span<const AttentionPass>, all_sides.size()> of_side;

  LayerPasses(Model& model, const LayerPass* first) {
    if (first == nullptr) {
      return;
    }
    const auto* next = reinterpret_cast<const AttentionPass*>(first);
    for (std::size_t side = 0; side < all_sides.size(); ++side) {
      of_side[side] = {next, model.layers(all_sides[side]).size()};
      next += of_side[side].size();
    }
#if defined(HEADWISE_CHECKED)
    const auto count = static_cast<std::size_t>(next - of_side[0].data());
    std::ranges::for_each(std::span(first, count),
                          [](const LayerPass& layer) { check_record(layer); });
#endif
  }
};

/// Captures and patches of a record.
struct Probes {
  std::vector<ActivationCapture> captures;
  std::vector<ActivationPatch> patches;

  explicit Probes(const PassRecord& record) {
    for (const CapturePlace& place : std::span(record.captures, record.num_captures)) {
      captures.push_back({.at = static_cast<ActivationName>(place.at),
                          .side = static_cast<Side>(place.side),
                          .layer = place.layer,
                          .to = place.to});
    }
    for (const PatchPlace& place : std::span(record.patches, record.num_patches)) {
      patches.push_back({.at = static_cast<ActivationName>(place.at),
                         .side = static_cast<Side>(place.side),
                         .layer = place.layer,
                         .kind = static_cast<PatchKind>(place.kind),
                         .value = place.value,
                         .heads = place.heads,
                         .num_heads = place.num_heads,
                         .positions = place.positions,
                         .num_positions = place.num_positions});
    }
  }
};

/// The results of an attribution, one behind the other.
void attribute(UncheckedTransformer& core, const TransformerPass& pass, const PassRecord& record) {
  const std::size_t layers = core.settings().decoder.num_layers;
  float* next = record.attribution;
  const auto take = [&](std::size_t floats) {
    float* part = next;
    next += floats;
    return part;
  };
  const std::size_t of_heads = pass.batch * layers * core.max_heads();
  LogitAttribution attribution{
      .targets = record.targets, .against = record.against, .position = record.positions[0]};
  attribution.heads = take(of_heads);
  attribution.cross_heads = take(core.settings().has_encoder() ? of_heads : 0);
  attribution.mlps = take(pass.batch * layers);
  attribution.embeddings = take(pass.batch);
  attribution.biases = take(pass.batch);
  attribution.total = take(pass.batch);
  core.attribute_logits_into(pass, attribution);
}

AttentionDescription description_of(const AttentionLayer& layer) {
  const LayerSettings& settings = layer.settings();
  return {.address = address_of(&layer),
          .num_hiddens = settings.num_hiddens,
          .num_heads = settings.num_heads,
          .num_kv_heads = settings.num_kv_heads,
          .head_size = settings.head_size,
          .bias = settings.bias,
          .output_bias = settings.output_bias,
          .scale = settings.scale,
          .softcap = settings.softcap,
          .rotary_size = settings.rotary ? settings.rotary->size : 0,
          .rotary_base = settings.rotary ? settings.rotary->base : 0,
          .rotary_interleaved = settings.rotary && settings.rotary->interleaved,
          .qk_norm = settings.qk_norm.has_value(),
          .dropout = settings.dropout,
          .seed = settings.seed};
}

ModelSettings settings_of(const TransformerSettings& settings) {
  return {.vocabulary_size = settings.vocabulary_size,
          .max_length = settings.max_length,
          .num_hiddens = settings.num_hiddens,
          .num_layers = settings.decoder.num_layers,
          .ffn_hiddens = settings.decoder.ffn_hiddens,
          .encoder_ffn_hiddens = settings.encoder.ffn_hiddens,
          .has_norms = settings.norm != Norm::none,
          .norm_first = settings.norm_first,
          .final_norm = settings.final_norm,
          .parallel_residual = settings.parallel_residual,
          .padding_token = settings.padding_token.has_value()
                               ? static_cast<double>(*settings.padding_token)
                               : std::numeric_limits<double>::quiet_NaN(),
          .head = settings.head,
          .segments = settings.segments,
          .causal = settings.decoder.causal,
          .has_encoder = settings.has_encoder(),
          .has_patches = settings.has_patches(),
          .image_size = settings.image_size,
          .channels = settings.channels,
          .weights = static_cast<std::size_t>(settings.weights),
          .seed = settings.seed};
}

}  // namespace

ParameterList::ParameterList(Model& model, bool whole) {
  const auto add = [&](const std::string& prefix, Trainable& trainable, StoredParameters& stored,
                       const AttentionLayer* layer) {
    float* const gradients = trainable.parameter_gradients();
    std::size_t index = 0;
    for (const ParameterTable::Entry& entry : trainable.parameter_table().entries()) {
      parameters_.push_back({.name = prefix + entry.name,
                             .shape = whole && layer != nullptr
                                          ? whole_shape(*layer, entry.name, entry.shape)
                                          : entry.shape,
                             .stored = &stored,
                             .index = index++,
                             .gradient = gradients != nullptr ? gradients + entry.offset : nullptr,
                             .layer = layer,
                             .entry = &entry});
    }
  };
  add("", model.parameters, model.parameters.stored(), nullptr);
  for (const Side side : all_sides) {
    std::vector<MultiHeadAttention>& layers = model.layers(side);
    for (std::size_t layer = 0; layer < layers.size(); ++layer) {
      add(attention_prefix(side, layer), layers[layer], layers[layer].parameters()->stored(),
          &layers[layer]);
    }
  }
  for (const Parameter& parameter : parameters_) {
    tensors_.push_back({.name = parameter.name, .shape = parameter.shape});
  }
}

Address new_model(Address request) {
  const TransformerOptions options = read_model_options(message_at<NewModel>(request));
  validation::check_transformer_options(options);
  return address_of(new Model(options));  // NOLINT(*-owning-memory): JavaScript owns it
}

Address copy_model(Address model) {
  auto* copy = new Model(model_at(model));  // NOLINT(*-owning-memory): JavaScript owns it
  for (const Side side : all_sides) {
    for (MultiHeadAttention& layer : copy->layers(side)) {
      layer.set_training(false);
    }
  }
  return address_of(copy);
}

Address copy_layer(Address layer) {
  auto* copy =
      new MultiHeadAttention(layer_at(layer));  // NOLINT(*-owning-memory): JavaScript owns it
  copy->set_training(false);
  return address_of(copy);
}

void delete_model(Address model) { delete at<Model>(model); }

Address describe_model(Address model) {
  Model& described = model_at(model);
  const auto of_side = [&](Side side) {
    return described.layers(side) | std::views::transform(description_of);
  };
  return respond(ModelDescription{.settings = settings_of(described.parameters.settings()),
                                  .self = of_side(Side::self),
                                  .cross = of_side(Side::cross),
                                  .encoder = of_side(Side::encoder)});
}

Address model_parameters(Address model) {
  const ParameterList list(model_at(model));
  return respond(ParameterDescriptions{
      .parameters =
          list.parameters() | std::views::transform([](const ParameterList::Parameter& each) {
            return ParameterDescription{.name = each.name,
                                        .shape = each.shape,
                                        .stored = address_of(each.stored),
                                        .index = each.index,
                                        .gradient = address_of(each.gradient)};
          })});
}

Address model_memory(Address model) {
  const headwise::ModelMemory memory = model_at(model).core.memory();
  return respond(ModelMemory{.num_parameters = static_cast<double>(memory.num_parameters),
                             .parameter_bytes = static_cast<double>(memory.parameter_bytes),
                             .gradient_bytes = static_cast<double>(memory.gradient_bytes)});
}

void zero_model_gradients(Address model) { model_at(model).core.zero_gradients(); }

void model_parameters_changed(Address model) { model_at(model).core.parameters_changed(); }

double model_workspace_size(Address model, std::size_t kind, double batch, double length,
                            double num_keys, double source_length, double num_source_keys,
                            std::size_t flags, double rows) {
  return floats_of([&](Arena& arena) {
    const UncheckedTransformer::Sizes sizes{.batch = size_of(batch),
                                            .length = size_of(length),
                                            .num_keys = size_of(num_keys),
                                            .source_length = size_of(source_length),
                                            .num_source_keys = size_of(num_source_keys),
                                            .num_threads = parallel::num_threads(),
                                            .quantized = (flags & 2U) != 0,
                                            .probed = static_cast<std::uint32_t>(flags >> 2U)};
    const UncheckedTransformer& core = model_at(model).core;
    const auto of_kind = static_cast<PassKind>(kind);
    if (of_kind == PassKind::forward || of_kind == PassKind::heads) {
      core.lay_out_forward(arena, sizes, (flags & 1U) != 0);
    } else if (of_kind == PassKind::lens) {
      core.lay_out_lens(arena, sizes, size_of(rows));
    } else if (of_kind == PassKind::attribution) {
      core.lay_out_attribution(arena, sizes);
    } else {
      core.lay_out_loss(arena, sizes, of_kind != PassKind::loss);
    }
  });
}

double run_model(Address model, Address address) {
  Model& target = model_at(model);
  UncheckedTransformer& core = target.core;
  const auto& record = record_at<PassRecord>(address);
  const LayerPasses layers(target, record.layers);
  TransformerPass pass;
  pass.tokens = record.tokens;
  pass.pixels = record.pixels;
  pass.embeddings = record.embeddings;
  pass.stream = record.stream;
  pass.first_layer = record.first_layer;
  const Probes probes(record);
  pass.probe = {.captures = probes.captures,
                .patches = probes.patches,
                .positions = record.positions,
                .num_positions = record.num_positions};
  pass.segments = record.segments;
  const auto kind = static_cast<PassKind>(record.kind);
  pass.targets = kind == PassKind::attribution ? nullptr : record.targets;
  pass.batch = record.batch;
  pass.length = record.length;
  pass.valid_lens = record.valid_lens;
  pass.valid_lens_sample_stride = record.valid_lens_sample_stride;
  pass.valid_lens_query_stride = record.valid_lens_query_stride;
  pass.cache = static_cast<TransformerCache*>(record.cache);
  const std::size_t cached = pass.cache != nullptr ? pass.cache->length() : 0;
  pass.key_mask =
      AllowedKeys::of(record.key_mask, pass.batch, cached + pass.length, record.key_ranges);
  pass.source = record.source;
  pass.source_valid_lens = record.source_valid_lens;
  pass.source_length = record.source_length;
  pass.source_key_mask = AllowedKeys::of(record.source_key_mask, pass.batch, pass.source_length,
                                         record.source_key_ranges);
  pass.layers = layers.of_side[0];
  pass.cross_layers = layers.of_side[1];
  pass.encoder_layers = layers.of_side[2];
  pass.hidden = record.hidden;
  pass.logits = kind == PassKind::lens ? nullptr : record.logits;
  pass.encoder_hidden = record.encoder_hidden;
  const auto last = static_cast<std::int32_t>(pass.length) - 1;
  if (record.last_logits) {
    pass.positions = &last;
    pass.num_positions = 1;
  } else if (kind == PassKind::heads) {
    pass.positions = record.positions;
    pass.num_positions = record.num_positions;
  }
  pass.requires_grad = record.requires_grad;
  Arena arena = working_arena(record.workspace);
  pass.arena = &arena;
  pass.num_threads = parallel::num_threads();
  auto* const optimizer = static_cast<UncheckedOptimizer*>(record.optimizer);
  if (pass.cache != nullptr && pass.source != nullptr) {
    pass.cache->source_keys = KeptKeys(pass.source_key_mask, pass.batch, pass.source_length);
  }
  switch (kind) {
    case PassKind::forward:
      core.forward_into(pass, pass.requires_grad ? core.allocate(pass) : TransformerMemory{});
      return 0;
    case PassKind::loss:
      return core.loss_into(pass);
    case PassKind::gradients:
      return core.loss_and_gradients_into(pass, core.allocate(pass));
    case PassKind::training:
      return core.train_step_into(pass, *optimizer);
    case PassKind::lens:
      core.logit_lens_into(pass, {.layers = record.lens_layers,
                                  .num_layers = record.num_lens_layers,
                                  .positions = record.positions,
                                  .num_positions = record.num_positions,
                                  .logits = record.logits});
      return 0;
    case PassKind::heads:
      core.patch_heads_into(pass);
      return 0;
    case PassKind::attribution:
      attribute(core, pass, record);
      return 0;
  }
  return 0;
}

void unembed(Address model, Address features, double rows, Address logits) {
  model_at(model).core.unembed(at<const float>(features), size_of(rows), at<float>(logits),
                               parallel::num_threads());
}

std::size_t model_is_pending(Address model) {
  return model_at(model).core.pending().has_value() ? 1 : 0;
}

double model_backward_workspace_size(Address model) {
  const UncheckedTransformer& core = model_at(model).core;
  const SavedPass::Sizes sizes = core.pending().value_or(SavedPass::Sizes{});
  return floats_of([&](Arena& arena) {
    core.lay_out_backward(arena, {.batch = sizes.batch,
                                  .length = sizes.length,
                                  .num_keys = sizes.length,
                                  .source_length = sizes.source_length,
                                  .num_source_keys = sizes.source_length,
                                  .num_threads = parallel::num_threads()});
  });
}

void backward_model(Address model, Address address) {
  Model& target = model_at(model);
  const auto& record = record_at<ModelBackwardRecord>(address);
  const LayerPasses layers(target, record.layers);
  Arena arena = working_arena(record.workspace);
  target.core.backward_into({.hidden = record.hidden,
                             .logits = record.logits,
                             .layers = layers.of_side[0],
                             .cross_layers = layers.of_side[1],
                             .encoder_layers = layers.of_side[2],
                             .pixels = record.pixels,
                             .embeddings = record.embeddings,
                             .arena = &arena,
                             .num_threads = parallel::num_threads()});
}

std::size_t draw_token(Address logits, double vocabulary_size, double temperature, double top_k,
                       double top_p, double seed, double number, Address buffers) {
  const std::size_t size = size_of(vocabulary_size);
  auto* const weights = at<double>(buffers);
  return sample_token(
      at<const float>(logits), size,
      {.temperature = temperature,
       .top_k = size_of(top_k),
       .top_p = top_p,
       .seed = static_cast<std::uint64_t>(seed)},
      static_cast<std::uint64_t>(number),
      {.order = reinterpret_cast<std::uint32_t*>(weights + size), .weights = weights});
}

Address new_model_cache(Address model, double batch_size, double max_length,
                        std::size_t precision) {
  validation::check_cache_sizes(static_cast<std::int64_t>(batch_size),
                                static_cast<std::int64_t>(max_length));
  return address_of(new TransformerCache(  // NOLINT(*-owning-memory): JavaScript owns it
      model_at(model).core.make_cache(size_of(batch_size), size_of(max_length),
                                      static_cast<Precision>(precision))));
}

void delete_model_cache(Address cache) { delete at<TransformerCache>(cache); }

std::size_t model_cache_length(Address cache) { return at<TransformerCache>(cache)->length(); }

double model_cache_source_length(Address cache) {
  const auto& of = *at<TransformerCache>(cache);
  return of.has_source ? static_cast<double>(of.source_length()) : -1;
}

std::size_t model_cache_has_padding(Address cache) {
  return at<TransformerCache>(cache)->has_padding() ? 1 : 0;
}

void set_model_cache_length(Address cache, double length, std::size_t with_source) {
  auto& changed = *at<TransformerCache>(cache);
  changed.truncate(size_of(length));
  if (with_source == 0) {
    changed.remove_source();
  }
}

void prune_model(Address model, std::size_t side, Address counts, Address heads) {
  Model& pruned = model_at(model);
  const std::vector<MultiHeadAttention>& layers = pruned.layers(static_cast<Side>(side));
  std::vector<std::vector<std::size_t>> removed(layers.size());
  const auto* next = at<const double>(heads);
  for (std::size_t layer = 0; layer < layers.size(); ++layer) {
    const std::span given(next, at<const std::size_t>(counts)[layer]);
    removed[layer] = validation::check_prune_heads(layers[layer], given,
                                                   validation::text_of({"heads[", layer, "]"}));
    next += given.size();
  }
  pruned.core.remove_heads(static_cast<Side>(side), removed);
}

}  // namespace headwise::bindings
