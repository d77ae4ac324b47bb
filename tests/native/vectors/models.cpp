#include <memory>

#include "activations.hpp"
#include "compare.hpp"
#include "configuration.hpp"
#include "options.hpp"
#include "problem.hpp"
#include "transformer_call.hpp"
#include "vectors.hpp"

namespace headwise::test {
namespace {

constexpr std::size_t batch = 2;
constexpr std::size_t source_length = 5;

constexpr double share_of_model_floats = 5e-5;
constexpr double share_of_rounded_models = 4e-3;

/// A model that is run, trained, measured and pruned, with what the library gives.
class ModelCalls {
 public:
  ModelCalls(VectorFile& file, const std::string& name, const std::string& type,
             const JsonObject& options, std::unique_ptr<Transformer> model, std::uint64_t seed)
      : random_(seed),
        model_(std::move(model)),
        share_(model_->settings().weights == Precision::float32 ? share_of_model_floats
                                                                : share_of_rounded_models),
        length_(model_->settings().has_patches() ? model_->settings().max_length : 6),
        calls_(file, type + ": " + name) {
    calls_.make("model", type, options);
    calls_.call("model", "stateDict");
    calls_.gives(model_->state_dict(), 0);
    for (int round = 0; round < 2; ++round) {
      calls_.run([&] { forward(); });
      calls_.run([&] { backward(); });
      if (!settings().has_patches()) {
        calls_.run([&] { decode(); });
      }
      calls_.run([&] { generate(); });
      calls_.run([&] { measure(); });
      if (has_targets()) {
        calls_.run([&] { loss(); });
        calls_.run([&] { train(); });
      }
      calls_.run([&] { prune(); });
    }
    calls_.end();
  }

 private:
  [[nodiscard]] const TransformerSettings& settings() const { return model_->settings(); }
  [[nodiscard]] bool has_targets() const { return !settings().has_patches() && settings().head; }

  Tokens some_tokens(std::size_t length) { return random_tokens(batch, length, random_.next()); }

  Tensor<4> some_pixels() {
    const std::size_t size = settings().image_size;
    return randn<4>({batch, settings().channels, size, size}, random_.next());
  }

  Tokens some_targets() {
    Tokens targets = some_tokens(length_);
    targets(0, 0) = targets(1, 2) = -1;
    return targets;
  }

  TransformerForwardOptions some_options() {
    return random_pass(random_, *model_, batch, length_, source_length);
  }

  void choose_outputs(TransformerForwardOptions& options, std::size_t length) {
    const auto flip = [&] { return random_.chance(0.4); };
    options.return_weights = flip();
    if (flip()) {
      options.return_weights = ReturnedWeights::last_query(std::vector<std::int64_t>{0});
    }
    options.capture = names_of(settings());
    std::erase_if(options.capture, [&](ActivationName) { return random_.chance(0.8); });
    options.capture_layers = options.capture_positions = std::nullopt;
    if (!options.capture.empty() && flip()) {
      options.capture_layers = some_below(random_, model_->num_layers());
      options.capture_positions = some_below(random_, length);
    }
  }

  /// Patches with values of a pass on other tokens or pixels.
  void choose_patches(TransformerForwardOptions& options) {
    if (random_.chance(0.6)) {
      return;
    }
    TransformerForwardOptions other = options;
    other.capture = names_of(settings());
    other.capture_layers = other.capture_positions = std::nullopt;
    other.requires_grad = false;
    options.patch =
        random_patches(random_, captured_in(settings().has_patches()
                                                ? model_->forward(some_pixels(), other)
                                                : model_->forward(some_tokens(length_), other)));
  }

  JsonObject json_of_patch(const Patch& patch) {
    JsonObject json;
    json.set("at", package_name_of(patch.at))
        .set("layer", patch.layer)
        .set("side", name_of(patch.side));
    if (patch.heads.has_value()) {
      json.set("heads", *patch.heads);
    }
    if (patch.positions.has_value()) {
      json.set("positions", *patch.positions);
    }
    if (const auto* kind = std::get_if<PatchKind>(&patch.value); kind != nullptr) {
      json.set("value", *kind == PatchKind::zero ? "zero" : "mean");
    } else {
      json.set("value", calls_.tensor(std::get<xt::xarray<float>>(patch.value)));
    }
    return json;
  }

  JsonObject forward_options(const TransformerForwardOptions& options) {
    JsonObject json = json_of(calls_, options);
    std::vector<std::string> captured;
    for (const ActivationName name : options.capture) {
      captured.emplace_back(package_name_of(name));
    }
    set_outputs(json, options.return_weights, captured);
    if (options.capture_layers.has_value()) {
      json.set("captureLayers", *options.capture_layers)
          .set("capturePositions", *options.capture_positions);
    }
    std::vector<JsonObject> patches;
    for (const Patch& patch : options.patch) {
      patches.push_back(json_of_patch(patch));
    }
    if (!patches.empty()) {
      json.set("patch", patches);
    }
    json.set("requiresGrad", options.requires_grad);
    if (options.cache != nullptr) {
      json.set("cache", CallList::object("cache"));
    }
    return json;
  }

  TransformerResult pass(const TransformerForwardOptions& options) {
    if (settings().has_patches()) {
      const Tensor<4> pixels = some_pixels();
      calls_.call("model", "forward", calls_.tensor(pixels), forward_options(options));
      return model_->forward(pixels, options);
    }
    return pass(some_tokens(length_), options);
  }

  TransformerResult pass(const Tokens& tokens, const TransformerForwardOptions& options) {
    calls_.call("model", "forward", calls_.tensor(tokens), forward_options(options));
    return model_->forward(tokens, options);
  }

  /// Tensors of each layer.
  template <typename Layers>
  void gives_each(const std::string& name, const Layers& layers, double share) {
    for (std::size_t layer = 0; layer < layers.size(); ++layer) {
      calls_.gives(name + "." + std::to_string(layer), layers[layer], share);
    }
  }

  void gives_result(const TransformerResult& result, double share) {
    calls_.gives("hidden", result.hidden, share);
    if (settings().head && !settings().has_patches()) {
      calls_.gives("logits", result.logits, share);
    }
    if (result.encoder_hidden.has_value()) {
      calls_.gives("encoderHidden", *result.encoder_hidden, share);
    }
    gives_each("attentionWeights", result.attention_weights, share);
    gives_each("crossAttentionWeights", result.cross_attention_weights, share);
    gives_each("encoderAttentionWeights", result.encoder_attention_weights, share);
    for (const auto& [place, tensor] : captured_in(result)) {
      const std::string list = place.side == Side::self    ? "captured."
                               : place.side == Side::cross ? "crossCaptured."
                                                           : "encoderCaptured.";
      // Of the model, not of a layer.
      const bool is_alone = place.at >= ActivationName::embeddings;
      calls_.gives(list + std::string(package_name_of(place.at)) +
                       (is_alone ? "" : "." + std::to_string(place.layer)),
                   tensor, share);
    }
  }

  void forward() {
    TransformerForwardOptions options = some_options();
    choose_outputs(options, length_);
    choose_patches(options);
    gives_result(pass(options), share_);
  }

  void gives_gradients() {
    calls_.call("model", "gradients");
    calls_.gives(model_->gradients(), 4 * share_);
  }

  template <typename Gradients>
  void gives_gates(const Gradients& gradients) {
    gives_each("headGates", gradients.head_gates, 4 * share_);
    gives_each("crossHeadGates", gradients.cross_head_gates, 4 * share_);
    gives_each("encoderHeadGates", gradients.encoder_head_gates, 4 * share_);
  }

  void backward() {
    TransformerForwardOptions options = some_options();
    options.requires_grad = true;
    choose_patches(options);
    gives_result(pass(options), share_);
    TransformerOutputGradients given;
    JsonObject json;
    const bool of_logits = has_targets() && random_.chance(0.6);
    if (of_logits) {
      given.logits = randn<3>({batch, length_, settings().vocabulary_size}, random_.next());
      json.set("logits", calls_.tensor(*given.logits));
    }
    if (!of_logits || random_.chance(0.5)) {
      given.hidden = randn<3>({batch, length_, settings().num_hiddens}, random_.next());
      json.set("hidden", calls_.tensor(*given.hidden));
    }
    calls_.call("model", "backward", json);
    const TransformerGradients gradients = model_->backward(given);
    gives_gates(gradients);
    if (gradients.pixels.has_value()) {
      calls_.gives("pixels", *gradients.pixels, 4 * share_);
    }
    gives_gradients();
    calls_.call("model", "zeroGradients");
    model_->zero_gradients();
  }

  void loss() {
    const Tokens tokens = some_tokens(length_);
    const Tokens targets = some_targets();
    const TransformerForwardOptions options = some_options();
    const JsonObject given = json_of(calls_, options);
    const Json input = calls_.tensor(tokens);
    const Json asked = calls_.tensor(targets);
    calls_.call("model", "loss", input, asked, given);
    calls_.gives("", model_->loss(tokens, targets, options), share_);
    calls_.call("model", "lossAndGradients", input, asked, given);
    const TransformerLossAndGradients result = model_->loss_and_gradients(tokens, targets, options);
    calls_.gives("loss", result.loss, share_);
    gives_gates(result);
    gives_gradients();
  }

  void train() {
    for (int step = 0; step < 2; ++step) {
      const Tokens tokens = some_tokens(length_);
      const Tokens targets = some_targets();
      const TransformerForwardOptions options = some_options();
      calls_.call("model", "trainStep", calls_.tensor(tokens), calls_.tensor(targets),
                  json_of(calls_, options));
      calls_.gives("", model_->train_step(tokens, targets, options), share_);
    }
    calls_.call("model", "stateDict");
    calls_.gives(model_->state_dict(), 4 * share_);
  }

  void decode() {
    const CacheOptions sizes{.batch_size = static_cast<std::int64_t>(batch),
                             .max_length = 8,
                             .precision = random_.pick({Precision::float32, Precision::float16})};
    calls_.call("model", "createCache", json_of(sizes));
    ModelCache cache = model_->create_cache(sizes);
    calls_.as("cache");
    TransformerForwardOptions options;
    if (settings().has_encoder()) {
      options.source = some_tokens(source_length);
      options.source_key_mask = random_key_mask(random_, batch, source_length);
      options.source_valid_lens = LensBySample{3, 5};
    }
    const double share = sizes.precision == Precision::float32 ? share_ : share_of_rounded_models;
    for (const std::size_t chunk : {3, 1, 2}) {
      choose_outputs(options, chunk);
      options.cache = &cache;
      options.key_mask = random_key_mask(random_, batch, cache.length() + chunk);
      if (settings().segments > 0) {
        options.segments = some_tokens(chunk) % static_cast<std::int64_t>(settings().segments);
      }
      gives_result(pass(some_tokens(chunk), options), share);
      options.source.reset();
      options.source_key_mask = {};
      options.source_valid_lens = {};
      if (chunk == 1) {
        calls_.call("cache", "truncate", 2);
        cache.truncate(2);
      }
    }
    calls_.has("cache", "length", static_cast<double>(cache.length()));
    // Too many for what is left.
    pass(some_tokens(5), {.cache = &cache});
  }

  void generate() {
    GenerateOptions options{.max_new_tokens = 5};
    JsonObject json = JsonObject().set("maxNewTokens", options.max_new_tokens);
    if (random_.chance(0.5)) {
      options.temperature = 0.8;
      options.seed = random_.below(1000);
      options.top_k = static_cast<std::int64_t>(2 + random_.below(10));
      options.top_p = random_.pick({1.0, 0.7});
      json.set("temperature", options.temperature)
          .set("seed", *options.seed)
          .set("topK", *options.top_k)
          .set("topP", *options.top_p);
    }
    options.stop = {3, 4};
    json.set("stop", options.stop);
    if (settings().has_encoder()) {
      options.source = {5, 6, 7};
      json.set("source", *options.source);
    }
    if (random_.chance(0.5)) {
      options.key_mask = xt::xtensor<bool, 1>{false, true, true};
      json.set("keyMask", std::vector<int>{0, 1, 1});
    }
    const std::vector<std::int64_t> prompt = {1, 2, 3};
    calls_.call("model", "generate", prompt, json);
    const std::vector<std::int64_t> generated = model_->generate(prompt, options);
    calls_.gives("", {generated.size()}, generated, 0);
  }

  void measure() {
    for (const Side side : all_sides) {
      const HeadMeasure measure = random_.pick({HeadMeasure::gradient, HeadMeasure::ablation,
                                                HeadMeasure::confidence, HeadMeasure::entropy});
      calls_.run([&] { measure_side(side, measure); });
    }
  }

  void measure_side(Side side, HeadMeasure measure) {
    TransformerForwardOptions options = some_options();
    options.head_gates = options.cross_head_gates = options.encoder_head_gates = {};
    ModelMeasureBatch measured = measured_batch({.name = {}, .options = {}, .pass = options});
    JsonObject given = json_of(calls_, options);
    if (settings().has_patches()) {
      measured.pixels = some_pixels();
      given.set("pixels", calls_.tensor(measured.pixels));
    } else {
      measured.tokens = some_tokens(length_);
      given.set("tokens", calls_.tensor(measured.tokens));
    }
    if (has_targets()) {
      measured.targets = some_targets();
      given.set("targets", calls_.tensor(measured.targets));
    }
    JsonObject json = JsonObject()
                          .set("measure", name_of(measure))
                          .set("side", name_of(side))
                          .set("batches", std::vector{Json{given.text()}});
    OutputLoss loss;
    if (!has_targets() || random_.chance(0.3)) {
      json.set("loss", CallList::object("square"));
      loss = square_loss();
    }
    calls_.call("", "measureHeadImportance", CallList::object("model"), json);
    const auto importance =
        measure_head_importance(*model_, {measured}, {.measure = measure}, side, loss);
    for (std::size_t layer = 0; layer < importance->size(); ++layer) {
      const Tensor<1>& numbers = (*importance)[layer];
      // Ablation is a difference of losses.
      const double share = measure == HeadMeasure::ablation ? 20 * share_ : 4 * share_;
      calls_.gives(std::to_string(layer), numbers, share, 1);
    }
  }

  void prune() {
    const Side side = random_.pick({Side::self, Side::self, Side::cross, Side::encoder});
    const std::size_t layers = model_->attention_layers(side).size();
    const auto layer = static_cast<std::int64_t>(layers > 0 ? random_.below(layers) : 0);
    const std::vector<std::int64_t> heads = {0};
    calls_.call("model", "pruneHeads", JsonObject().set(std::to_string(layer), heads),
                JsonObject().set("side", name_of(side)));
    model_->prune_heads({{layer, heads}}, side);
  }

  Random random_;
  std::unique_ptr<Transformer> model_;
  double share_;
  std::size_t length_;
  CallList calls_;
};

JsonObject json_of_attention_only(const AttentionOnlyTransformerOptions& options) {
  return JsonObject()
      .set("vocabularySize", options.vocabulary_size)
      .set("maxLength", options.max_length)
      .set("numHiddens", options.num_hiddens)
      .set("numHeads", options.num_heads)
      .set("numLayers", options.num_layers)
      .set("positions", options.positions == Positions::learned ? "learned" : "sinusoidal")
      .set("causal", options.causal)
      .set("layerNorm", options.layer_norm)
      .set("bias", options.bias)
      .set("dropout", options.dropout)
      .set("weights", name_of(options.weights))
      .set("seed", *options.seed)
      .set("optimizer", json_of(options.optimizer));
}

}  // namespace

VectorFile model_vectors() {
  VectorFile file;
  Random random(1);
  const auto vary = [&](auto& options) {
    options.dropout = random.pick({0.0, 0.0, 0.3});
    options.weights = random.pick({Precision::float32, Precision::float32, Precision::float32,
                                   Precision::float16, Precision::int8, Precision::int4});
    options.optimizer = lively_adam();
  };
  std::vector<SmallTransformer> models = small_transformers();
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    models.push_back(random_transformer(seed));
  }
  for (SmallTransformer& small : models) {
    vary(small.options);
    const ModelCalls history(file, small.name, "Transformer", json_of(small.options),
                             std::make_unique<Transformer>(small.options), random.next());
  }
  for (const unsigned bits : {0U, 1U, 2U, 4U, 8U, 15U}) {
    AttentionOnlyTransformerOptions options{
        .vocabulary_size = vocabulary_size,
        .max_length = 10,
        .num_hiddens = 6,
        .num_heads = 3,
        .num_layers = 2,
        .positions = (bits & 1U) != 0 ? Positions::learned : Positions::sinusoidal,
        .causal = (bits & 2U) == 0,
        .layer_norm = (bits & 4U) != 0,
        .bias = (bits & 8U) != 0,
        .seed = bits};
    vary(options);
    const ModelCalls history(file, std::to_string(bits), "AttentionOnlyTransformer",
                             json_of_attention_only(options),
                             std::make_unique<AttentionOnlyTransformer>(options), random.next());
  }
  return file;
}

}  // namespace headwise::test
