#include <algorithm>
#include <array>
#include <cmath>
#include <headwise/api/model_inputs.hpp>
#include <headwise/api/validation.hpp>
#include <headwise/api/validation_models.hpp>
#include <headwise/api/validation_text.hpp>
#include <headwise/core/training/cross_entropy.hpp>
#include <headwise/transformer.hpp>
#include <string>

namespace headwise::validation {
namespace {

/// Checks a shape, whose batch axis is missing unless the pass has one.
template <std::size_t Rank>
void check_batched(std::string_view argument, Shape shape, const std::array<Axis, Rank>& expected,
                   bool has_batch_axis) {
  check_shape(argument, shape, std::span(expected).last(has_batch_axis ? Rank : Rank - 1));
}

/// Tokens of an encoder or a decoder: (batch, length), or (length,).
void check_tokens(std::string_view argument, const TransformerSettings& settings,
                  const Input<double>& tokens) {
  if (tokens.shape.size() != 1) {
    check_shape(argument, tokens.shape, std::array<Axis, 2>{"batch", "length"});
  }
  check_up_to(argument, tokens, settings.vocabulary_size - 1);
}

/// Checks that tokens or embeddings, behind `num_cached` others, have positions. Padding takes
/// none. `tokens` are null for embeddings.
void check_length(std::string_view argument, const TransformerSettings& settings, Shape shape,
                  const ModelPassSizes& sizes, const Input<double>* tokens,
                  const Input<std::uint8_t>& key_mask, std::size_t num_cached) {
  const std::size_t most = settings.max_length;
  const auto check_samples = [&](const auto& numbers, const auto& is_padding) {
    const std::size_t of_sample = numbers.size() / std::max<std::size_t>(sizes.batch, 1);
    for (std::size_t first = 0; first < numbers.size(); first += of_sample) {
      const auto padding = std::ranges::count_if(numbers.subspan(first, of_sample), is_padding);
      if (const std::size_t count = of_sample - static_cast<std::size_t>(padding); count > most) {
        fail_text(ErrorCode::invalid_shape,
                  "#: expected at most max_length (#) without padding, got #",
                  {argument, most, count});
      }
    }
  };
  const std::size_t length = shape[sizes.has_batch_axis ? 1 : 0];
  if (settings.padding_token && tokens != nullptr) {
    const auto padding = static_cast<double>(*settings.padding_token);
    check_samples(tokens->numbers(), [&](double token) { return token == padding; });
  } else if (key_mask.is_given()) {
    check_samples(key_mask.numbers(), [](std::uint8_t is_kept) { return is_kept == 0; });
  } else if (length > most) {
    const std::array<Axis, 3> axes = {"batch", "length", "num_hiddens"};
    fail_text(ErrorCode::invalid_shape, "#: expected #, length at most max_length (#), got #",
              {argument, std::span(axes).subspan(sizes.has_batch_axis ? 0 : 1, shape.size()), most,
               shape});
  } else if (num_cached + length > most) {
    fail_text(ErrorCode::invalid_shape, "#: expected at most # behind those of the cache, got #",
              {argument, most - std::min(num_cached, most), length});
  }
}

void check_head_gates(const Transformer& model, Side side, std::size_t batch,
                      std::span<const InputTensor> gates) {
  const std::string argument = name_of_side(side, "head_gates");
  const std::vector<MultiHeadAttention>& layers = model.attention_layers(side);
  if (!gates.empty() && gates.size() != layers.size()) {
    fail_text(ErrorCode::invalid_shape, "#: expected one a layer (#) or none, got #",
              {argument, layers.size(), gates.size()});
  }
  for (std::size_t layer = 0; layer < gates.size(); ++layer) {
    check_head_gate(text_of({argument, "[", layer, "]"}), gates[layer], batch,
                    layers[layer].num_heads());
  }
}

void check_cache(const Transformer& model, const ModelCache& cache, const ModelPassSizes& sizes) {
  check_in_use(cache.in_use(), "cache");
  const auto check_layers = [&](Side side, const std::vector<LayerCache>& caches) {
    const std::vector<MultiHeadAttention>& layers = model.attention_layers(side);
    for (std::size_t layer = 0; layer < layers.size(); ++layer) {
      const bool is_there = caches.size() == layers.size();
      check_made_by(is_there ? &caches[layer] : nullptr, layers[layer], "model");
    }
  };
  check_layers(Side::self, cache.memory().self);
  check_layers(Side::cross, cache.memory().cross);
  check_room(sizes.batch, sizes.length, cache.batch_size(), cache.length(), cache.max_length());
}

void check_source(const TransformerSettings& settings, const ModelInputs& inputs,
                  const ModelPassSizes& sizes) {
  const auto& source = inputs.source;
  const bool is_cached = inputs.cache != nullptr && inputs.cache->memory().has_source;
  if (settings.has_encoder() ? source.is_given() == is_cached : source.is_given()) {
    fail_option("source: expected #, got #", {!settings.has_encoder() ? "none without an encoder"
                                              : is_cached ? "none beside a cache that holds one"
                                                          : "the encoder's tokens",
                                              source.is_given() ? "tokens" : "none"});
  }
  if (!source.is_given()) {
    if (inputs.source_valid_lens.is_given()) {
      fail_option("source_valid_lens: expected a source beside them, got none", {});
    }
    if (inputs.source_key_mask.is_given()) {
      fail_option("source_key_mask: expected a source beside it, got none", {});
    }
    return;
  }
  check_tokens("source", settings, source);
  check_batched<2>("source", source.shape, {sizes.batch, "source length"}, sizes.has_batch_axis);
  check_key_mask("source_key_mask", inputs.source_key_mask, sizes.batch, source.size());
  // A cache has max_length places for a source, padding included.
  check_length("source", settings, source.shape, sizes, &source,
               inputs.cache != nullptr ? Input<std::uint8_t>() : inputs.source_key_mask, 0);
  if (inputs.source_valid_lens.is_given()) {
    check_shape("source_valid_lens", inputs.source_valid_lens.shape,
                std::array<Axis, 1>{sizes.batch});
    check_up_to("source_valid_lens", inputs.source_valid_lens, source.size());
  }
}

void check_targets(const TransformerSettings& settings, const ModelInputs& inputs,
                   const ModelPassSizes& sizes) {
  if (!settings.head) {
    fail_option("targets: expected a model that has logits, got one without", {});
  }
  if (!inputs.patches.empty()) {
    fail_option("patch: expected none in a pass with a loss, got patches", {});
  }
  if (inputs.cache != nullptr) {
    fail_option("cache: expected none in a pass with a loss, got a cache", {});
  }
  check_batched<2>("targets", inputs.targets.shape, {sizes.batch, sizes.length},
                   sizes.has_batch_axis);
  check_between("targets", inputs.targets, ignored_target,
                static_cast<std::int64_t>(settings.vocabulary_size) - 1);
}

void check_key_masks(const TransformerSettings& settings, const ModelInputs& inputs,
                     const ModelPassSizes& sizes) {
  if (settings.has_patches() && inputs.key_mask.is_given()) {
    fail_option("key_mask: expected none for a model that reads images, got a mask", {});
  }
  if (!inputs.key_mask.is_given() && inputs.cache != nullptr &&
      inputs.cache->memory().has_padding()) {
    fail_option(
        "key_mask: expected one of cached and new tokens, because the cache holds padding, got "
        "none",
        {});
  }
  check_key_mask("key_mask", inputs.key_mask, sizes.batch, sizes.num_keys);
}

}  // namespace

ModelPassSizes check_input(const Transformer& model, const ModelInputs& inputs) {
  check_model(model);
  const TransformerSettings& settings = model.settings();
  ModelPassSizes sizes;
  const auto read = [&](Shape shape, std::size_t rank) {
    sizes.has_batch_axis = shape.size() == rank;
    sizes.batch = sizes.has_batch_axis ? shape.front() : 1;
  };
  if (settings.has_patches()) {
    if (inputs.embeddings.is_given()) {
      fail_option("embeddings: expected none for a model that reads images, got embeddings", {});
    }
    if (!inputs.pixels.is_given()) {
      fail_text(ErrorCode::invalid_shape,
                "pixels: expected (batch, channels, height, width), got tokens");
    }
    const Shape shape = inputs.pixels.shape;
    constexpr std::size_t rank = 4;
    check_batched<rank>("pixels", shape,
                        {"batch", settings.channels, settings.image_size, settings.image_size},
                        shape.size() != rank - 1);
    read(shape, rank);
    sizes.length = settings.max_length;
    return sizes;
  }
  if (inputs.pixels.is_given()) {
    fail_text(ErrorCode::invalid_shape, "tokens: expected (batch, length), got pixels");
  }
  if (inputs.embeddings.is_given()) {
    const Shape shape = inputs.embeddings.shape;
    constexpr std::size_t rank = 3;
    check_batched<rank>("embeddings", shape, {"batch", "length", settings.num_hiddens},
                        shape.size() != rank - 1);
    read(shape, rank);
    sizes.length = inputs.embeddings.length();
    sizes.has_embeddings = true;
    return sizes;
  }
  check_tokens("tokens", settings, inputs.tokens);
  read(inputs.tokens.shape, 2);
  sizes.length = inputs.tokens.size();
  return sizes;
}

ModelPassSizes check_pass(const Transformer& model, const ModelInputs& inputs) {
  ModelPassSizes sizes = check_input(model, inputs);
  const TransformerSettings& settings = model.settings();
  if (inputs.targets.is_given()) {
    check_targets(settings, inputs, sizes);
  }
  const std::size_t num_cached = inputs.cache != nullptr ? inputs.cache->length() : 0;
  if (inputs.cache != nullptr) {
    if (inputs.requires_grad) {
      fail_option("requires_grad: expected no cache beside it, got both", {});
    }
    check_cache(model, *inputs.cache, sizes);
    sizes.num_source_keys = inputs.cache->memory().source_length();
  }
  sizes.num_keys = num_cached + sizes.length;
  check_key_masks(settings, inputs, sizes);
  if (inputs.tokens.is_given()) {
    check_length("tokens", settings, inputs.tokens.shape, sizes, &inputs.tokens, inputs.key_mask,
                 num_cached);
  } else if (inputs.embeddings.is_given()) {
    check_length("embeddings", settings, inputs.embeddings.shape, sizes, nullptr, inputs.key_mask,
                 num_cached);
  }
  check_valid_lens(inputs.valid_lens, {.batch = sizes.batch,
                                       .num_heads = 1,
                                       .num_queries = sizes.length,
                                       .num_keys = sizes.num_keys});
  if (inputs.segments.is_given()) {
    if (settings.segments == 0) {
      fail_option("segments: expected none for a model without, got segments", {});
    }
    check_batched<2>("segments", inputs.segments.shape, {sizes.batch, sizes.length},
                     sizes.has_batch_axis);
    check_up_to("segments", inputs.segments, settings.segments - 1);
  }
  check_source(settings, inputs, sizes);
  sizes.source_length = inputs.source.size();
  sizes.num_source_keys += sizes.source_length;
  for (const Side side : all_sides) {
    check_head_gates(model, side, sizes.batch, inputs.head_gates[static_cast<std::size_t>(side)]);
    if (side != Side::encoder) {
      for (const MultiHeadAttention& layer : model.attention_layers(side)) {
        check_chosen("return_weights.heads", "head", inputs.weight_heads, layer.num_heads());
      }
    }
  }
  check_chosen("return_weights.queries", "query", inputs.weight_queries, sizes.length);
  check_probe(model, inputs, sizes);
  return sizes;
}

ModelPassSizes check_backward(const Transformer& model, const InputTensor& hidden,
                              const InputTensor& logits) {
  check_model(model);
  const std::optional<ModelPassSizes> sizes = model.core().pending();
  if (!sizes) {
    fail_text(ErrorCode::no_pending_backward,
              "backward: expected a forward with requires_grad since the last backward, and no "
              "change of parameters, got none");
  }
  if (!hidden.is_given() && !logits.is_given()) {
    fail_option("backward: expected a gradient of hidden or logits, got none", {});
  }
  const TransformerSettings& settings = model.settings();
  if (hidden.is_given()) {
    check_batched<3>("hidden", hidden.shape, {sizes->batch, sizes->length, settings.num_hiddens},
                     sizes->has_batch_axis);
  }
  if (logits.is_given()) {
    if (!settings.head) {
      fail_option("logits: expected none for a model without, got a gradient", {});
    }
    check_batched<3>("logits", logits.shape,
                     {sizes->batch, sizes->length, settings.vocabulary_size},
                     sizes->has_batch_axis);
  }
  return *sizes;
}

void check_model_cache_options(const Transformer& model, const CacheOptions& options) {
  check_model(model);
  if (!model.causal()) {
    fail_option("create_cache: expected a causal model, got another", {});
  }
  check_cache_sizes(options.batch_size, options.max_length);
  check_cache_precision(options.precision);
}

void check_generate(const Transformer& model, const GenerateInputs& inputs) {
  check_model(model);
  const TransformerSettings& settings = model.settings();
  if (!model.causal() || !settings.head) {
    fail_option("generate: expected a causal model with logits, got another", {});
  }
  const auto check_text = [&](std::string_view argument, const Input<double>& text) {
    if (text.shape.size() != 1 && !(text.shape.size() == 2 && text.shape.front() == 1)) {
      fail_text(ErrorCode::invalid_shape, "#: expected (length,), got #", {argument, text.shape});
    }
    check_up_to(argument, text, settings.vocabulary_size - 1);
  };
  check_text("tokens", inputs.tokens);
  if (inputs.tokens.size() == 0) {
    fail_text(ErrorCode::invalid_shape, "tokens: expected at least one, got none");
  }
  check_key_mask("key_mask", inputs.key_mask, 1, inputs.tokens.size());
  const std::span<const std::uint8_t> key_mask = inputs.key_mask.numbers();
  if (!key_mask.empty() && key_mask.back() == 0) {
    fail_text(ErrorCode::invalid_value, "key_mask: expected 1 for the last token, got 0");
  }
  if (settings.has_encoder() != inputs.source.is_given()) {
    fail_option("source: expected #, got #",
                {settings.has_encoder() ? "the encoder's tokens" : "none without an encoder",
                 settings.has_encoder() ? "none" : "tokens"});
  }
  if (inputs.source.is_given()) {
    check_text("source", inputs.source);
    check_length("source", settings, inputs.source.shape.last(1), {.has_batch_axis = false},
                 &inputs.source, {}, 0);
  }
  if (!(inputs.max_new_tokens >= 0 && std::trunc(inputs.max_new_tokens) == inputs.max_new_tokens)) {
    fail_option("max_new_tokens: expected an integer from 0 on, got #", {inputs.max_new_tokens});
  }
  const auto max_length = static_cast<std::int64_t>(settings.max_length);
  const auto length = static_cast<std::int64_t>(
      inputs.key_mask.is_given() ? static_cast<std::size_t>(std::ranges::count(key_mask, 1))
                                 : inputs.tokens.size());
  const std::int64_t most = std::max<std::int64_t>(max_length - length + 1, 0);
  if (length > max_length || inputs.max_new_tokens > static_cast<double>(most)) {
    fail_option("max_new_tokens: expected at most # behind # of max_length (#), got #",
                {most, length, max_length, inputs.max_new_tokens});
  }
  check_up_to("stop", inputs.stop, settings.vocabulary_size - 1);
  check_at_least_0("temperature", inputs.temperature);
  check_size("top_k", inputs.top_k);
  if (!(inputs.top_p > 0 && inputs.top_p <= 1)) {
    fail_option("top_p: expected a number above 0, at most 1, got #", {inputs.top_p});
  }
  check_cache_precision(inputs.cache_precision);
}

}  // namespace headwise::validation
