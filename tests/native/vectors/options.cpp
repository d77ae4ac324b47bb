#include "options.hpp"

#include "problem.hpp"

namespace headwise::test {
namespace {

template <typename Enumeration>
const char* word(Enumeration value, std::initializer_list<const char*> words) {
  return words.begin()[static_cast<std::size_t>(value)];
}

template <typename Value>
void set_if_given(JsonObject& json, std::string_view name, const std::optional<Value>& value) {
  if (value.has_value()) {
    json.set(name, *value);
  }
}

JsonObject json_of(const RotaryOptions& options) {
  JsonObject json;
  json.set("base", options.base).set("interleaved", options.interleaved);
  set_if_given(json, "size", options.size);
  if (const auto& scaling = options.scaling; scaling.has_value()) {
    JsonObject of_scaling;
    of_scaling.set("type", word(scaling->type, {"linear", "llama3", "yarn"}))
        .set("factor", scaling->factor)
        .set("originalLength", scaling->original_length)
        .set("slowTurns", scaling->slow_turns)
        .set("truncate", scaling->truncate);
    set_if_given(of_scaling, "fastTurns", scaling->fast_turns);
    set_if_given(of_scaling, "attentionFactor", scaling->attention_factor);
    json.set("scaling", of_scaling);
  }
  return json;
}

JsonObject json_of(const EncoderOptions& options) {
  JsonObject json;
  json.set("numLayers", options.num_layers);
  set_if_given(json, "numHeads", options.num_heads);
  set_if_given(json, "ffnHiddens", options.ffn_hiddens);
  return json;
}

JsonObject json_of(const PatchOptions& options) {
  return JsonObject()
      .set("imageSize", options.image_size)
      .set("patchSize", options.patch_size)
      .set("channels", options.channels)
      .set("classToken", options.class_token);
}

void set_window(JsonObject& json, const std::optional<Window>& window) {
  if (window.has_value()) {
    json.set("window", std::vector{window->left, window->right});
  }
}

}  // namespace

void set_outputs(JsonObject& json, const ReturnedWeights& weights,
                 const std::vector<std::string>& captured) {
  if (weights.heads.has_value() || weights.queries.has_value() || weights.last_query_only) {
    JsonObject chosen;
    set_if_given(chosen, "heads", weights.heads);
    set_if_given(chosen, "queries", weights.queries);
    if (weights.last_query_only) {
      chosen.set("queries", "last");
    }
    json.set("returnWeights", chosen);
  } else {
    json.set("returnWeights", weights.all);
  }
  if (!captured.empty()) {
    json.set("capture", captured);
  }
}

const char* name_of(Side side) { return word(side, {"self", "cross", "encoder"}); }
const char* name_of(HeadMeasure measure) {
  return word(measure, {"gradient", "ablation", "confidence", "entropy"});
}

const char* name_of(EmptyRows empty_rows) { return word(empty_rows, {"zero", "uniform"}); }

Capture some_capture(Random& random) {
  Capture capture;
  for_each_capture(capture, [&](const char*, bool& asked) { asked = random.chance(0.4); });
  return capture;
}

AdamOptions lively_adam() {
  return {.learning_rate = 0.01, .betas = {0.8, 0.95}, .epsilon = 1e-2, .weight_decay = 0.1};
}

OutputLoss square_loss() {
  const auto sum = [](std::size_t /*batch*/, const Tensor<3>& output) -> double {
    return xt::sum(xt::square(xt::cast<double>(output)))();
  };
  const auto twice = [](std::size_t /*batch*/, const Tensor<3>& output) { return 2 * output; };
  return {.value = sum, .gradient = twice};
}

JsonObject json_of(const MultiHeadAttentionOptions& options) {
  JsonObject json;
  json.set("numHiddens", options.num_hiddens)
      .set("numHeads", options.num_heads)
      .set("dropout", options.dropout)
      .set("bias", options.bias)
      .set("pooling", word(options.pooling, {"dot-product", "additive"}))
      .set("projection", word(options.projection, {"linear", "convolution", "none"}))
      .set("softcap", options.softcap)
      .set("biasKv", options.bias_kv)
      .set("zeroAttention", options.zero_attention)
      .set("weights", name_of(options.weights));
  set_if_given(json, "outputBias", options.output_bias);
  set_if_given(json, "outputProjection", options.output_projection);
  set_if_given(json, "querySize", options.query_size);
  set_if_given(json, "keySize", options.key_size);
  set_if_given(json, "valueSize", options.value_size);
  set_if_given(json, "outputSize", options.output_size);
  set_if_given(json, "numKvHeads", options.num_kv_heads);
  set_if_given(json, "attentionHiddens", options.attention_hiddens);
  set_if_given(json, "scale", options.scale);
  set_if_given(json, "seed", options.seed);
  if (options.rotary.has_value()) {
    json.set("rotary", json_of(*options.rotary));
  }
  return json;
}

JsonObject json_of(const TransformerOptions& options) {
  JsonObject json;
  if (options.patches.has_value()) {
    json.set("patches", json_of(*options.patches));
  } else {
    json.set("vocabularySize", options.vocabulary_size)
        .set("maxLength", options.max_length)
        .set("segments", options.segments)
        .set("head", options.head);
  }
  json.set("numHiddens", options.num_hiddens)
      .set("numLayers", options.num_layers)
      .set("numHeads", options.num_heads)
      .set("activation", word(options.activation, {"relu", "gelu", "gelu-tanh", "silu"}))
      .set("gated", options.gated)
      .set("norm", word(options.norm, {"layer", "rms", "none"}))
      .set("normFirst", options.norm_first)
      .set("parallelResidual", options.parallel_residual)
      .set("postNorms", options.post_norms)
      .set("qkNorm", options.qk_norm)
      .set("logitsSoftcap", options.logits_softcap)
      .set("normEpsilon", options.norm_epsilon)
      .set("normBias", options.norm_bias)
      .set("embeddingNorm", options.embedding_norm)
      .set("positions", word(options.positions,
                             {"sinusoidal", "learned", "rotary", "none", "sinusoidal-halves"}))
      .set("embeddingScale", options.embedding_scale)
      .set("bias", options.bias)
      .set("tiedEmbeddings", options.tied_embeddings)
      .set("logitsBias", options.logits_bias)
      .set("causal", options.causal)
      .set("dropout", options.dropout)
      .set("softcap", options.softcap)
      .set("scaleByLayer", options.scale_by_layer)
      .set("weights", name_of(options.weights))
      .set("positionOffset", options.position_offset)
      .set("optimizer", json_of(options.optimizer));
  set_if_given(json, "paddingToken", options.padding_token);
  set_if_given(json, "numKvHeads", options.num_kv_heads);
  set_if_given(json, "headSize", options.head_size);
  set_if_given(json, "ffnHiddens", options.ffn_hiddens);
  set_if_given(json, "finalNorm", options.final_norm);
  set_if_given(json, "qkvBias", options.qkv_bias);
  set_if_given(json, "ffnBias", options.ffn_bias);
  set_if_given(json, "scale", options.scale);
  set_if_given(json, "seed", options.seed);
  if (options.positions == Positions::rotary) {
    json.set("rotary", json_of(options.rotary));
  }
  if (options.encoder.has_value()) {
    json.set("encoder", json_of(*options.encoder));
  }
  set_window(json, options.window);
  if (!options.windows.empty()) {
    std::vector<std::vector<std::optional<std::int64_t>>> windows;
    for (const std::optional<Window>& window : options.windows) {
      windows.push_back({window.value_or(Window{}).left, window.value_or(Window{}).right});
    }
    json.set("windows", windows);
  }
  return json;
}

JsonObject json_of(const AdamOptions& options) {
  return JsonObject()
      .set("learningRate", options.learning_rate)
      .set("betas", std::vector<double>(options.betas.begin(), options.betas.end()))
      .set("epsilon", options.epsilon)
      .set("weightDecay", options.weight_decay);
}

JsonObject json_of(const CacheOptions& options) {
  return JsonObject()
      .set("batchSize", options.batch_size)
      .set("maxLength", options.max_length)
      .set("precision", name_of(options.precision));
}

std::optional<Json> tensor_of(CallList& calls, const Mask& mask) {
  const std::vector<std::size_t> shape(mask.shape().begin(), mask.shape().end());
  if (mask.allowed() != nullptr) {
    return calls.tensor(shape, std::vector<bool>(mask.allowed(), mask.allowed() + mask.size()));
  }
  return mask.has_value() ? std::optional(calls.tensor(shape, std::span(mask.added(), mask.size())))
                          : std::nullopt;
}

JsonObject mask_options(CallList& calls, const ForwardOptions& options) {
  JsonObject json;
  if (options.causal != Causal::none) {
    json.set("causal", Json{word(options.causal, {"", "true", "\"bottom-right\""})});
  }
  set_window(json, options.window);
  set_if_given(json, "validLens", tensor_of(calls, options.valid_lens));
  set_if_given(json, "mask", tensor_of(calls, options.mask));
  set_if_given(json, "keyMask", tensor_of(calls, options.key_mask));
  return json;
}

JsonObject weights_options(CallList& calls, const ForwardOptions& options) {
  JsonObject json = mask_options(calls, options);
  json.set("emptyRows", name_of(options.empty_rows))
      .set("weightsStage", word(options.weights_stage, {"raw", "softcap", "masked", "softmax"}));
  return json;
}

JsonObject json_of(CallList& calls, const ForwardOptions& options) {
  JsonObject json = weights_options(calls, options);
  json.set("keyMass", options.key_mass).set("requiresGrad", options.requires_grad);
  set_if_given(json, "headGate", tensor_of(calls, options.head_gate));
  set_if_given(json, "positions", tensor_of(calls, options.positions));
  std::vector<std::string> captured;
  for_each_capture(options.capture, [&](const char* name, bool asked) {
    captured.insert(captured.end(), asked ? 1 : 0, name);
  });
  set_outputs(json, options.return_weights, captured);
  if (options.cache != nullptr) {
    json.set("cache", CallList::object("cache"));
  }
  return json;
}

JsonObject json_of(CallList& calls, const TransformerForwardOptions& options) {
  JsonObject json;
  const auto set_gates = [&](std::string_view name, const std::vector<HeadGate>& gates) {
    std::vector<Json> given;
    for (const HeadGate& gate : gates) {
      given.push_back(tensor_of(calls, gate).value_or(CallList::object("undefined")));
    }
    if (!given.empty()) {
      json.set(name, given);
    }
  };
  set_gates("headGates", options.head_gates);
  set_gates("crossHeadGates", options.cross_head_gates);
  set_gates("encoderHeadGates", options.encoder_head_gates);
  set_if_given(json, "validLens", tensor_of(calls, options.valid_lens));
  set_if_given(json, "sourceValidLens", tensor_of(calls, options.source_valid_lens));
  set_if_given(json, "keyMask", tensor_of(calls, options.key_mask));
  set_if_given(json, "sourceKeyMask", tensor_of(calls, options.source_key_mask));
  if (options.segments.has_value()) {
    json.set("segments", calls.tensor(*options.segments));
  }
  if (options.source.has_value()) {
    json.set("source", calls.tensor(*options.source));
  }
  return json;
}

}  // namespace headwise::test
