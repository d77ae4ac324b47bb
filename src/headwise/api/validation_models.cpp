#include <algorithm>
#include <array>
#include <headwise/api/native_inputs.hpp>
#include <headwise/api/validation.hpp>
#include <headwise/api/validation_models.hpp>
#include <headwise/api/validation_state_dict.hpp>
#include <headwise/api/validation_text.hpp>
#include <headwise/api/validation_training.hpp>

namespace headwise::validation {
namespace {

std::string_view layers_name(Side side) {
  return side == Side::self ? "layers" : side == Side::cross ? "cross_layers" : "encoder_layers";
}

/// The most tokens of a sample that have a position of their own, cached ones included: those that
/// are no padding.
std::size_t count_positions(const TransformerSettings& settings, const Tokens& tokens,
                            const std::vector<std::uint8_t>& key_mask, std::size_t num_cached) {
  const std::size_t num_keys = num_cached + tokens.shape(1);
  std::size_t most = 0;
  for (std::size_t sample = 0; sample < tokens.shape(0); ++sample) {
    std::size_t count = 0;
    for (std::size_t key = 0; key < num_keys; ++key) {
      const bool is_padding = settings.padding_token
                                  ? tokens(sample, key) == *settings.padding_token
                                  : key_mask[sample * num_keys + key] == 0;
      count += is_padding ? 0 : 1;
    }
    most = std::max(most, count);
  }
  return most;
}

/// The positions of masked embeddings, which `max_length` limits.
void check_num_positions(std::string_view argument, const TransformerSettings& settings,
                         const std::vector<std::uint8_t>& key_mask, std::size_t batch) {
  for (std::size_t sample = 0; sample < batch; ++sample) {
    const std::size_t keys = key_mask.size() / batch;
    const auto first = key_mask.begin() + static_cast<std::ptrdiff_t>(sample * keys);
    const auto count = static_cast<std::size_t>(
        std::count(first, first + static_cast<std::ptrdiff_t>(keys), std::uint8_t{1}));
    if (count > settings.max_length) {
      fail(ErrorCode::invalid_shape, argument,
           {"at most max_length (", settings.max_length, ") without padding"}, {count});
    }
  }
}

/// (batch, length) of tokens of an encoder or a decoder, behind those of a cache.
void check_tokens(std::string_view argument, const Transformer& model, const Tokens& tokens,
                  const Mask& key_mask, std::size_t num_cached = 0) {
  const TransformerSettings& settings = model.settings();
  const std::size_t max_length = settings.max_length;
  const std::string most = "at most max_length (" + std::to_string(max_length) + ")";
  if (key_mask.has_value() || settings.padding_token) {
    const std::size_t count = count_positions(settings, tokens, bytes_of(key_mask), num_cached);
    if (count > max_length) {
      fail(ErrorCode::invalid_shape, argument, {most, " without padding"}, {count});
    }
  } else if (tokens.shape(1) > max_length) {
    fail(ErrorCode::invalid_shape, argument, {"(batch, length), length ", most},
         {Shape(tokens.shape())});
  } else if (num_cached + tokens.shape(1) > max_length) {
    fail(ErrorCode::invalid_shape, argument,
         {"at most ", max_length - num_cached, " behind those of the cache"}, {tokens.shape(1)});
  }
  check_symbols(argument, tokens, 0, settings.vocabulary_size);
}

void check_head_gates(std::string_view argument, const Transformer& model, Side side,
                      std::size_t batch, const std::vector<HeadGate>& head_gates) {
  const std::vector<MultiHeadAttention>& layers = model.attention_layers(side);
  if (!head_gates.empty() && head_gates.size() != layers.size()) {
    fail(ErrorCode::invalid_shape, argument, {"one a layer (", layers.size(), ") or none"},
         {head_gates.size()});
  }
  for (std::size_t layer = 0; layer < head_gates.size(); ++layer) {
    check_head_gate(std::string(argument) + "[" + std::to_string(layer) + "]",
                    input_of(head_gates[layer]), batch, layers[layer].num_heads());
  }
}

void check_cache(const Transformer& model, const ModelCache& cache, std::size_t batch,
                 std::size_t length) {
  check_in_use(cache.in_use(), "cache");
  const std::vector<LayerCache>& caches = cache.memory().self;
  const std::vector<MultiHeadAttention>& layers = model.attention_layers(Side::self);
  for (std::size_t layer = 0; layer < layers.size(); ++layer) {
    if (caches.size() != layers.size() || caches[layer].layer() != layers[layer].identity()) {
      fail(ErrorCode::invalid_cache, "cache", {"one that this model made"}, {"another model's"});
    }
    if (caches[layer].width() != layers[layer].settings().key_value_width()) {
      fail(ErrorCode::invalid_cache, "cache", {"one made since heads were pruned"},
           {"an older one"});
    }
  }
  const std::vector<MultiHeadAttention>& cross = model.attention_layers(Side::cross);
  for (std::size_t layer = 0; layer < cross.size(); ++layer) {
    if (cache.memory().cross[layer].width() != cross[layer].settings().key_value_width()) {
      fail(ErrorCode::invalid_cache, "cache", {"one made since heads were pruned"},
           {"an older one"});
    }
  }
  if (cache.batch_size() != batch) {
    fail(ErrorCode::invalid_cache, "cache", {"a batch size of ", batch}, {cache.batch_size()});
  }
  const std::size_t left = cache.max_length() - cache.length();
  if (length > left) {
    fail(ErrorCode::cache_full, "cache", {"room for ", length, " positions"},
         {left, " of ", cache.max_length()});
  }
}

void check_source(const Transformer& model, std::size_t batch,
                  const TransformerForwardOptions& options) {
  const bool has_encoder = model.settings().has_encoder();
  const bool is_cached = options.cache != nullptr && options.cache->memory().has_source;
  if (has_encoder ? options.source.has_value() == is_cached : options.source.has_value()) {
    fail(ErrorCode::invalid_option, "source",
         {!has_encoder ? "none without an encoder"
          : is_cached  ? "none beside a cache that holds one"
                       : "the encoder's tokens"},
         {options.source.has_value() ? "tokens" : "none"});
  }
  if (!options.source) {
    if (options.source_valid_lens.has_value()) {
      fail(ErrorCode::invalid_option, "source_valid_lens", {"a source beside them"}, {"none"});
    }
    if (options.source_key_mask.has_value()) {
      fail(ErrorCode::invalid_option, "source_key_mask", {"a source beside it"}, {"none"});
    }
    return;
  }
  const Tokens& source = *options.source;
  check_shape("source", source.shape(), std::array<Axis, 2>{batch, "source_length"});
  check_key_mask("source_key_mask",
                 KeyMaskInput("source_key_mask", options.source_key_mask).input(), batch,
                 source.shape(1));
  // A cache has max_length places for a source, padding included.
  check_tokens("source", model, source,
               options.cache != nullptr ? Mask() : options.source_key_mask);
  if (!options.source_valid_lens.has_value()) {
    return;
  }
  const IntegerInput given(options.source_valid_lens);
  const Input<double> lens = given.input();
  check_shape("source_valid_lens", lens.shape, std::array<Axis, 1>{batch});
  check_up_to("source_valid_lens", lens, source.shape(1));
}

/// `tokens` are null where the call gives pixels or embeddings.
void check_pass(const Transformer& model, const Tokens* tokens, std::size_t batch,
                std::size_t length, const TransformerForwardOptions& options) {
  std::size_t cached = 0;
  if (options.cache != nullptr) {
    if (options.requires_grad) {
      fail(ErrorCode::invalid_option, "requires_grad", {"no cache beside it"}, {"both"});
    }
    check_cache(model, *options.cache, batch, length);
    cached = options.cache->length();
  }
  if (model.settings().has_patches() && options.key_mask.has_value()) {
    fail(ErrorCode::invalid_option, "key_mask", {"none for a model that reads images"}, {"a mask"});
  }
  if (!options.key_mask.has_value() && options.cache != nullptr &&
      options.cache->memory().has_padding()) {
    fail(ErrorCode::invalid_option, "key_mask",
         {"one of cached and new tokens, because the cache holds padding"}, {"none"});
  }
  check_key_mask("key_mask", KeyMaskInput("key_mask", options.key_mask).input(), batch,
                 cached + length);
  if (tokens != nullptr) {
    check_tokens("tokens", model, *tokens, options.key_mask, cached);
  }
  check_valid_lens(
      IntegerInput(options.valid_lens).input(),
      {.batch = batch, .num_heads = 1, .num_queries = length, .num_keys = cached + length});
  if (options.segments) {
    if (model.settings().segments == 0) {
      fail(ErrorCode::invalid_option, "segments", {"none for a model without"}, {"segments"});
    }
    check_shape("segments", options.segments->shape(), std::array<Axis, 2>{batch, length});
    check_symbols("segments", *options.segments, 0, model.settings().segments);
  }
  check_source(model, batch, options);
  check_head_gates("head_gates", model, Side::self, batch, options.head_gates);
  check_head_gates("cross_head_gates", model, Side::cross, batch, options.cross_head_gates);
  check_head_gates("encoder_head_gates", model, Side::encoder, batch, options.encoder_head_gates);
  const IntegerInput heads(options.return_weights.heads);
  const IntegerInput queries(options.return_weights.queries);
  for (const Side side : {Side::self, Side::cross}) {
    for (const MultiHeadAttention& layer : model.attention_layers(side)) {
      check_chosen("return_weights.heads", "head", heads.input(), layer.num_heads());
      check_chosen("return_weights.queries", "query", queries.input(), length);
    }
  }
  check_probe(model, batch, length, options);
}

}  // namespace

void check_model_in_use(const Transformer& model) { check_in_use(model.in_use(), "model"); }

void check_model(const Transformer& model) {
  check_model_in_use(model);
  const std::size_t size = model.settings().num_hiddens;
  for (const Side side : {Side::self, Side::cross, Side::encoder}) {
    const std::vector<MultiHeadAttention>& layers = model.attention_layers(side);
    for (std::size_t number = 0; number < layers.size(); ++number) {
      const MultiHeadAttention& layer = layers[number];
      check_in_use(layer.in_use(), "layer");
      const std::array<std::size_t, 4> sizes = {
          layer.query_size().value_or(0), layer.key_size().value_or(0),
          layer.value_size().value_or(0), layer.settings().output_size};
      const auto other =
          std::ranges::find_if(sizes, [&](std::size_t each) { return each != size; });
      if (other != sizes.end()) {
        fail(ErrorCode::invalid_option,
             std::string(layers_name(side)) + "[" + std::to_string(number) + "]",
             {"inputs and output of num_hiddens (", size, ")"},
             {*other == 0 ? Part("unknown sizes") : Part(*other)});
      }
    }
  }
}

std::vector<std::vector<std::size_t>> check_prune_heads(
    const Transformer& model, const std::map<std::int64_t, std::vector<std::int64_t>>& heads,
    Side side) {
  check_model(model);
  const std::vector<MultiHeadAttention>& layers = model.attention_layers(side);
  const auto num_layers = static_cast<std::int64_t>(layers.size());
  std::vector<std::vector<std::size_t>> removed(layers.size());
  for (const auto& [layer, list] : heads) {
    if (num_layers == 0) {
      fail_option("heads: expected no layers, got #", {layer});
    }
    if (layer < 0 || layer >= num_layers) {
      fail_option("heads: expected layers from 0 to #, got #", {num_layers - 1, layer});
    }
    const auto number = static_cast<std::size_t>(layer);
    const std::vector<double> given(list.begin(), list.end());
    removed[number] =
        check_prune_heads(layers[number], given, "heads[" + std::to_string(layer) + "]");
  }
  return removed;
}

void check_transformer_pass(const Transformer& model, const Tokens& tokens, const Tokens* targets,
                            const TransformerForwardOptions& options) {
  check_model(model);
  if (model.settings().has_patches()) {
    fail(ErrorCode::invalid_shape, "pixels", {"(batch, channels, height, width)"}, {"tokens"});
  }
  if (targets != nullptr) {
    if (!model.settings().head) {
      fail(ErrorCode::invalid_option, "targets", {"a model that has logits"}, {"one without"});
    }
    if (!options.patch.empty()) {
      fail(ErrorCode::invalid_option, "patch", {"none in a pass with a loss"}, {"patches"});
    }
    check_shape("targets", targets->shape(), std::array<Axis, 2>{tokens.shape(0), tokens.shape(1)});
    check_targets(*targets, model.settings().vocabulary_size);
  }
  check_pass(model, &tokens, tokens.shape(0), tokens.shape(1), options);
}

void check_transformer_pass(const Transformer& model, const TensorView<4>& pixels,
                            const Tokens* /*targets*/, const TransformerForwardOptions& options) {
  check_model(model);
  const TransformerSettings& settings = model.settings();
  if (!settings.has_patches()) {
    fail(ErrorCode::invalid_shape, "tokens", {"(batch, length)"}, {"pixels"});
  }
  check_shape(
      "pixels", pixels.shape(),
      std::array<Axis, 4>{"batch", settings.channels, settings.image_size, settings.image_size});
  check_pass(model, nullptr, pixels.shape(0), settings.max_length, options);
}

void check_transformer_pass(const Transformer& model, const Embeddings& embeddings,
                            const Tokens* /*targets*/, const TransformerForwardOptions& options) {
  check_model(model);
  const TransformerSettings& settings = model.settings();
  if (settings.has_patches()) {
    fail(ErrorCode::invalid_option, "embeddings", {"none for a model that reads images"},
         {"embeddings"});
  }
  const auto& shape = embeddings.values.shape();
  check_shape("embeddings", shape, std::array<Axis, 3>{"batch", "length", settings.num_hiddens});
  const std::size_t cached = options.cache != nullptr ? options.cache->length() : 0;
  if (!options.key_mask.has_value() && cached + shape[1] > settings.max_length) {
    fail(ErrorCode::invalid_shape, "embeddings",
         {"length at most ", settings.max_length - std::min(cached, settings.max_length)},
         {shape[1]});
  }
  check_pass(model, nullptr, shape[0], shape[1], options);
  if (options.key_mask.has_value()) {
    check_num_positions("embeddings", settings, bytes_of(options.key_mask), shape[0]);
  }
}

SavedPass::Sizes check_transformer_backward(const Transformer& model,
                                            const TransformerOutputGradients& gradients) {
  check_model(model);
  const std::optional<SavedPass::Sizes> sizes = model.core().pending();
  if (!sizes) {
    fail(ErrorCode::no_pending_backward, "backward",
         {"a forward with requires_grad since the last backward, and no change of parameters"},
         {"none"});
  }
  if (!gradients.hidden && !gradients.logits) {
    fail(ErrorCode::invalid_option, "backward", {"a gradient of hidden or logits"}, {"none"});
  }
  const TransformerSettings& settings = model.settings();
  if (gradients.hidden) {
    check_shape("hidden", gradients.hidden->shape(),
                std::array<Axis, 3>{sizes->batch, sizes->length, settings.num_hiddens});
  }
  if (gradients.logits) {
    if (!settings.head) {
      fail(ErrorCode::invalid_option, "logits", {"none for a model without"}, {"a gradient"});
    }
    check_shape("logits", gradients.logits->shape(),
                std::array<Axis, 3>{sizes->batch, sizes->length, settings.vocabulary_size});
  }
  return *sizes;
}

void check_model_cache_options(const Transformer& model, const CacheOptions& options) {
  check_model(model);
  if (!model.causal()) {
    fail(ErrorCode::invalid_option, "create_cache", {"a causal model"}, {"another"});
  }
  check_cache_sizes(options.batch_size, options.max_length);
  check_cache_precision(options.precision);
}

void check_generate(const Transformer& model, const std::vector<std::int64_t>& tokens,
                    const GenerateOptions& options) {
  check_model(model);
  const TransformerSettings& settings = model.settings();
  if (!model.causal() || !settings.head) {
    fail(ErrorCode::invalid_option, "generate", {"a causal model with logits"}, {"another"});
  }
  const auto check_text = [&](std::string_view argument, const std::vector<std::int64_t>& text) {
    check_symbol_list(argument, text, 0, settings.vocabulary_size);
  };
  check_text("tokens", tokens);
  if (tokens.empty()) {
    fail(ErrorCode::invalid_shape, "tokens", {"at least one"}, {"none"});
  }
  check_key_mask("key_mask", KeyMaskInput("key_mask", options.key_mask).input(), 1, tokens.size());
  const std::vector<std::uint8_t> key_mask = bytes_of(options.key_mask);
  if (!key_mask.empty() && key_mask.back() == 0) {
    fail(ErrorCode::invalid_value, "key_mask", {"1 for the last token"}, {"0"});
  }
  if (settings.has_encoder() != options.source.has_value()) {
    fail(ErrorCode::invalid_option, "source",
         {settings.has_encoder() ? "the encoder's tokens" : "none without an encoder"},
         {settings.has_encoder() ? "none" : "tokens"});
  }
  const auto max_length = static_cast<std::int64_t>(settings.max_length);
  if (options.source) {
    check_text("source", *options.source);
    if (options.source->size() > settings.max_length) {
      fail(ErrorCode::invalid_shape, "source",
           {"(length,), length at most max_length (", max_length, ")"},
           {"(", options.source->size(), ",)"});
    }
  }
  if (options.max_new_tokens < 0) {
    fail(ErrorCode::invalid_option, "max_new_tokens", {"an integer from 0 on"},
         {options.max_new_tokens});
  }
  const auto length = static_cast<std::int64_t>(
      key_mask.empty() ? tokens.size() : static_cast<std::size_t>(std::ranges::count(key_mask, 1)));
  const std::int64_t most = std::max<std::int64_t>(max_length - length + 1, 0);
  if (length > max_length || options.max_new_tokens > most) {
    fail(ErrorCode::invalid_option, "max_new_tokens",
         {"at most ", most, " behind ", length, " of max_length (", max_length, ")"},
         {options.max_new_tokens});
  }
  check_text("stop", options.stop);
  check_at_least_0("temperature", options.temperature);
  if (options.top_k) {
    check_size("top_k", *options.top_k);
  }
  if (options.top_p && !(*options.top_p > 0 && *options.top_p <= 1)) {
    fail(ErrorCode::invalid_option, "top_p", {"a number above 0, at most 1"}, {*options.top_p});
  }
  check_layer_options({.num_hiddens = 1, .num_heads = 1, .seed = options.seed});
}

void check_transformer_state_dict(const Transformer& model, const StateDict& state_dict) {
  check_model(model);
  ExpectedParameters expected;
  for (const auto& [name, shape, offset] : model.own_parameters().parameter_table().entries()) {
    expected.emplace(name, std::vector<Axis>(shape.begin(), shape.end()));
  }
  for (const Side side : {Side::self, Side::cross, Side::encoder}) {
    const std::vector<MultiHeadAttention>& layers = model.attention_layers(side);
    for (std::size_t layer = 0; layer < layers.size(); ++layer) {
      for (auto& [name, axes] : expected_parameters(layers[layer])) {
        expected.emplace(attention_prefix(side, layer) + name, axes);
      }
    }
  }
  check_parameters(expected, state_dict);
}

}  // namespace headwise::validation
