#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <headwise/captures.hpp>
#include <headwise/core/models/model_parameters.hpp>
#include <headwise/core/models/transformer_options.hpp>
#include <headwise/core/models/unchecked_transformer.hpp>
#include <headwise/multi_head_attention.hpp>
#include <headwise/optimizers.hpp>
#include <headwise/state_dict.hpp>
#include <headwise/tensor.hpp>
#include <headwise/tokens.hpp>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace headwise {

struct PretrainedCheckpoint;
struct ModelInputs;
class ModelResults;
class NativePass;

/// KV caches of all layers of a model. Made by `Transformer::create_cache` and valid for that model
/// only, until any of its heads are pruned.
class ModelCache {
 public:
  explicit ModelCache(TransformerCache&& cache) noexcept : cache_(std::move(cache)) {}
  /// Copying and assignment throw `Error` (out-of-memory) and then change nothing.
  ModelCache(const ModelCache& other);
  ModelCache(ModelCache&&) = default;
  ModelCache& operator=(const ModelCache& other);
  ModelCache& operator=(ModelCache&&) = default;
  ~ModelCache() = default;

  [[nodiscard]] bool in_use() const noexcept { return static_cast<bool>(in_use_); }
  [[nodiscard]] std::size_t batch_size() const noexcept { return cache_.batch_size(); }
  [[nodiscard]] std::size_t max_length() const noexcept { return cache_.max_length(); }
  /// Positions held so far.
  [[nodiscard]] std::size_t length() const noexcept { return cache_.length(); }
  /// Removes all positions, and the source. Throws `Error` (disposed) if the cache was moved from.
  void reset();
  /// Keeps only the first `length` positions, and the source. Throws `Error` (invalid-value) if the
  /// cache holds fewer, (disposed).
  void truncate(std::int64_t length);

  /// Used by the model.
  [[nodiscard]] TransformerCache& memory() noexcept { return cache_; }
  [[nodiscard]] const TransformerCache& memory() const noexcept { return cache_; }

 private:
  InUse in_use_;
  TransformerCache cache_;
};

/// Embeddings in place of tokens: (batch, length, num_hiddens), before positions and segments are
/// added. Like captured `ActivationName::embeddings`, they are already scaled: they are not
/// multiplied by `embedding_scale`.
struct Embeddings {
  TensorView<3> values;
};

struct TransformerForwardOptions {
  /// Gates of each layer's self-attention, as in `ForwardOptions`. Empty: no gates.
  std::vector<HeadGate> head_gates = {};
  /// Whether to return the attention weights of every layer, or only those of some heads and
  /// queries. The encoder's weights are always returned whole.
  ReturnedWeights return_weights = false;
  /// Activations to return. Cross-attention has no residual streams of its own. The encoder's
  /// activations are returned if the call has a source. Default: none.
  std::vector<ActivationName> capture = {};
  /// The layers to capture, in the order of the result. Default: all.
  std::optional<std::vector<std::int64_t>> capture_layers = {};
  /// The positions to capture, in the order of the result. The encoder's activations always have
  /// all positions, and so do keys and values of a source or in a pass with a cache. Default: all.
  std::optional<std::vector<std::int64_t>> capture_positions = {};
  /// Activations to replace during the pass, in this order. Not in a pass with a loss.
  std::vector<Patch> patch = {};
  /// Which positions may be attended to: absent, (batch,) or (batch, length).
  ValidLens valid_lens = {};
  /// A tokenizer's `attention_mask`, (batch, cached tokens + length): 1 for tokens, 0 for padding,
  /// which may stand anywhere. Positions and `max_length` count tokens only; a window counts
  /// padding, too. If a cache holds padding, every later pass needs the mask. Not for models that
  /// read images. Source: Transformers, `position_ids` of left-padded batches.
  Mask key_mask = {};
  /// Segment of each token, (batch, length). Default: 0.
  std::optional<Tokens> segments = {};
  /// The encoder's tokens, (batch, source length). Only for models with an encoder.
  std::optional<Tokens> source = {};
  /// Valid lengths of the source, (batch,). A cache stores them with the source.
  ValidLens source_valid_lens = {};
  /// The `attention_mask` of the source, (batch, source length). A cache stores it with the source.
  Mask source_key_mask = {};
  std::vector<HeadGate> cross_head_gates = {};
  std::vector<HeadGate> encoder_head_gates = {};
  /// KV caches of earlier positions; the tokens are appended. If they hold a source, do not pass
  /// one.
  ModelCache* cache = nullptr;
  /// Whether to save activations for `backward`.
  bool requires_grad = false;
};

struct TransformerResult {
  Tensor<3> logits;  ///< (batch, length, vocabulary); empty for a model without logits
  /// (batch, heads, queries, keys) for each layer, or the chosen heads and queries, if requested
  std::vector<Tensor<4>> attention_weights;
  Tensor<3> hidden = {};  ///< (batch, length, num_hiddens), after the final norm
  std::optional<Tensor<3>> encoder_hidden = {};
  std::vector<Tensor<4>> cross_attention_weights = {};
  /// Weights of the encoder's layers. All results of the encoder are empty if this call has no
  /// source.
  std::vector<Tensor<4>> encoder_attention_weights = {};
  /// Captured activations; empty if none were requested.
  ModelCaptures captured = {};
  ModelCaptures cross_captured = {};
  ModelCaptures encoder_captured = {};

  /// For `const auto [logits, attention_weights] = model.forward(…)`.
  template <std::size_t Index>
  [[nodiscard]] auto&& get() && noexcept {
    return std::get<Index>(std::forward_as_tuple(std::move(logits), std::move(attention_weights)));
  }
  template <std::size_t Index>
  [[nodiscard]] const auto& get() const& noexcept {
    return std::get<Index>(std::tie(logits, attention_weights));
  }
};

/// Gradients of a model's gates and, for models that read images, of the pixels. The model holds
/// the gradients of its parameters.
struct TransformerGradients {
  /// Gradient of each layer's gates, (batch, heads). Gates that were not given count as 1.
  std::vector<Tensor<2>> head_gates;
  std::vector<Tensor<2>> cross_head_gates = {};
  std::vector<Tensor<2>> encoder_head_gates = {};
  std::optional<Tensor<4>> pixels = {};
  /// (batch, length, num_hiddens), of a forward that was given embeddings.
  std::optional<Tensor<3>> embeddings = {};
};

struct TransformerLossAndGradients {
  double loss;
  /// As in `TransformerGradients`.
  std::vector<Tensor<2>> head_gates;
  std::vector<Tensor<2>> cross_head_gates = {};
  std::vector<Tensor<2>> encoder_head_gates = {};
};

/// Gradients of a forward's results. Give at least one.
struct TransformerOutputGradients {
  std::optional<Tensor<3>> hidden = {};
  std::optional<Tensor<3>> logits = {};
};

struct GenerateOptions {
  std::int64_t max_new_tokens = 0;
  /// Divides the logits before a token is drawn. 0: take the token with the largest logit.
  double temperature = 0;
  /// Draw only among the `top_k` largest logits. Source: Fan et al. 2018.
  std::optional<std::int64_t> top_k = {};
  /// Draw only among the fewest tokens whose probabilities sum to `top_p`. Source: Holtzman et al.
  /// 2020.
  std::optional<double> top_p = {};
  /// Seed of the draws, below 2^53. Default: a random one.
  std::optional<std::uint64_t> seed = {};
  /// Tokens that end the text. The result includes the token that ended it.
  std::vector<std::int64_t> stop = {};
  /// The encoder's tokens. Only for models with an encoder.
  std::optional<std::vector<std::int64_t>> source = {};
  /// `key_mask` of the prompt, (length,) or (1, length). The last token must not be padding.
  Mask key_mask = {};
  /// Precision of the cache, as in `CacheOptions`.
  Precision cache_precision = Precision::float32;
  /// Called with each new token. Return false to stop.
  std::function<bool(std::int64_t token)> on_token = {};
};

/// New tokens, and what the model attended to when it drew each of them.
struct GeneratedText {
  std::vector<std::int64_t> tokens;
  /// For each new token, of every layer: (1, heads, 1, keys).
  std::vector<std::vector<Tensor<4>>> attention_weights = {};
  std::vector<std::vector<Tensor<4>>> cross_attention_weights = {};  ///< with an encoder
};

/// Names of the tensors of a state dict.
enum class ParameterNames : std::uint8_t {
  headwise,
  pretrained,  ///< names and layout of the checkpoint that the model was read from
};

/// How a checkpoint holds heads that were removed.
enum class PrunedHeads : std::uint8_t {
  zeroed,   ///< with zeros: full size, the same results, for any library
  removed,  ///< not at all: smaller tensors, and `pruned_heads` in the config
};

/// A checkpoint for other libraries.
struct ExportedCheckpoint {
  std::string config;  ///< the text of its `config.json`
  StateDict tensors;
};

/// Options of `from_pretrained` that no config contains, as in `TransformerOptions`.
struct PretrainedOptions {
  double dropout = 0;
  Precision weights = Precision::float32;
  std::optional<std::uint64_t> seed = {};
  AdamOptions optimizer = {};
};

/// A transformer made of `MultiHeadAttention`: a decoder, an encoder, both, or a vision
/// transformer. Sources: Vaswani et al. 2017; the papers named at each option.
///
/// Thread safety and moved-from objects are as for a layer. A layer may be replaced by another with
/// inputs and output (batch, length, num_hiddens); otherwise calls throw `Error` (invalid-option).
class Transformer {
 public:
  /// Throws `Error` (invalid-option, out-of-memory).
  explicit Transformer(const TransformerOptions& options,
                       InitialParameters initial = InitialParameters::random);

  /// The model of a checkpoint: `config` is the text of its `config.json`, `tensors` are what
  /// `load_safetensors` returned. Families: gpt2, nanogpt, mingpt, gpt_neo, gpt_neox, llama,
  /// mistral, qwen2, qwen3, gemma, gemma2, bert, roberta, distilbert, vit, bart, marian. Prefixes
  /// that wrappers add to names are ignored, and norms may be called `gamma` and `beta`. An
  /// unembedding that differs from the token embedding is used, even if the config says that they
  /// are tied. A tied embedding may have any of its names. Missing config fields get Transformers'
  /// defaults, except numbers of heads, which are required. The tensors are those of a model
  /// without the heads in `pruned_heads`, `cross_pruned_heads` and `encoder_pruned_heads`.
  ///
  /// Throws `Error`: invalid-option lists config fields that are missing, malformed or not
  /// supported; invalid-state-dict lists at most 12 tensors that are missing, unexpected, of the
  /// wrong shape, or different copies of the embedding; out-of-memory. Shapes are checked before
  /// anything is allocated. Source: Hugging Face Transformers 5.
  [[nodiscard]] static Transformer from_pretrained(std::string_view config,
                                                   const StateDict& tensors,
                                                   const PretrainedOptions& options = {});

  Transformer(Transformer&&) = default;
  Transformer& operator=(const Transformer&) = delete;
  Transformer& operator=(Transformer&&) = default;
  virtual ~Transformer() = default;

  /// A model with copies of the parameters and gradients, the same mode, and a new optimizer.
  /// Throws `Error` (out-of-memory).
  [[nodiscard]] Transformer copy() const;

  /// tokens (batch, length) from 0 to below the vocabulary's size. Throws `Error` (invalid-shape,
  /// invalid-value, invalid-option, invalid-cache, cache-full, out-of-memory); the model is then
  /// unchanged, as after any other call that throws.
  TransformerResult forward(const Tokens& tokens, const TransformerForwardOptions& options = {});
  /// pixels (batch, channels, height, width), for models that read images. A template, so that
  /// lists in braces are tokens.
  template <typename Pixels>
    requires(std::same_as<Pixels, TensorView<4>> ||
             std::floating_point<typename Pixels::value_type>)
  TransformerResult forward(const Pixels& pixels, const TransformerForwardOptions& options = {}) {
    return forward_pixels(pixels, options);
  }

  /// The same for embeddings in place of tokens. Not for models that read images.
  template <typename Input>
    requires(std::same_as<Input, Embeddings>)
  TransformerResult forward(const Input& embeddings,
                            const TransformerForwardOptions& options = {}) {
    return forward_embeddings(embeddings, options);
  }

  /// Computes all gradients of the latest successful forward with `requires_grad`, and adds those
  /// of the parameters to the existing ones. Throws `Error` (no-pending-backward, invalid-shape,
  /// out-of-memory).
  TransformerGradients backward(const TensorView<3>& grad_hidden);
  TransformerGradients backward(const TransformerOutputGradients& gradients);

  /// `cross_entropy` of the logits. Targets are tokens, or −1 for positions without a loss.
  /// `return_weights` and `capture` are ignored.
  double loss(const Tokens& tokens, const Tokens& targets,
              const TransformerForwardOptions& options = {});

  /// Also computes the gradients, and adds those of the parameters to the existing ones.
  TransformerLossAndGradients loss_and_gradients(const Tokens& tokens, const Tokens& targets,
                                                 const TransformerForwardOptions& options = {});

  /// One training step, with dropout on: `zero_gradients`, `loss_and_gradients`, and a step of the
  /// optimizer. Returns the loss before the step and restores each layer's mode. Throws `Error`
  /// (invalid-option) if the optimizer trains anything but this model's `trainables`.
  double train_step(const Tokens& tokens, const Tokens& targets, Optimizer& optimizer,
                    const TransformerForwardOptions& options = {});
  /// A training step with the model's own optimizer.
  double train_step(const Tokens& tokens, const Tokens& targets,
                    const TransformerForwardOptions& options = {});

  // The same for JavaScript; the methods above call them. Internal.
  void forward(const ModelInputs& inputs, ModelResults& results);
  /// Gradients that are not given are empty.
  void backward(const InputTensor& hidden, const InputTensor& logits, ModelResults& results);
  double loss(const ModelInputs& inputs);
  double loss_and_gradients(const ModelInputs& inputs, ModelResults& results);
  /// The optimizer trains nothing but this model and its layers.
  double train_step(const ModelInputs& inputs, UncheckedOptimizer& optimizer);

  /// The default optimizer of `train_step`: Adam with `options.optimizer`.
  [[nodiscard]] Adam& optimizer();

  /// The model's own parameters and its layers, for an optimizer. Moving the model keeps the
  /// pointers valid.
  [[nodiscard]] std::vector<Trainable*> trainables();

  /// The tokens that follow `tokens`, (length,), with a KV cache. Throws what `forward` throws.
  [[nodiscard]] std::vector<std::int64_t> generate(const std::vector<std::int64_t>& tokens,
                                                   const GenerateOptions& options);

  /// The same, with the attention weights of each new token, or those of some heads.
  [[nodiscard]] GeneratedText generate_with_weights(
      const std::vector<std::int64_t>& tokens, const GenerateOptions& options,
      const std::optional<std::vector<std::int64_t>>& heads = {});

  /// Empty caches of all layers of a causal model. Throws `Error` (invalid-option, out-of-memory).
  [[nodiscard]] ModelCache create_cache(const CacheOptions& options) const;

  /// Sums of the parameters' gradients since the last `zero_gradients`, named as in `state_dict`.
  [[nodiscard]] StateDict gradients(ParameterNames names = ParameterNames::headwise) const;
  void zero_gradients() noexcept;

  /// Bytes that the parameters and their gradients take. Weights of linear maps take 4 bytes each
  /// in float32, and 8 once they have gradients or were handed out by `trainable_parameters`; 6 in
  /// float16; in int8 1, and 4 for each output; in int4 a half, and 4 for each 32 weights. All
  /// other parameters take 4 bytes.
  [[nodiscard]] ModelMemory memory() const noexcept {
    return in_use() ? core_.memory() : ModelMemory{};
  }

  /// The parameters by name:
  /// - `embedding.weight` (vocabulary, num_hiddens), `position.weight`, `segment.weight`,
  ///   `embedding_norm.weight` and `.bias` (num_hiddens,)
  /// - in layer 0: `layers.0.attention.` and a name of the layer's `state_dict`,
  ///   `layers.0.norm.weight`; `cross_attention.` and `cross_norm.` likewise;
  ///   `layers.0.ffn_norm.weight`, `layers.0.ffn.dense1.weight` (ffn_hiddens, num_hiddens),
  ///   `layers.0.ffn.dense2.weight`, `layers.0.ffn.gate.weight`
  /// - `norm.weight` of the last norm, `unembedding.weight` (vocabulary, num_hiddens) unless it is
  ///   tied, `unembedding.bias`
  /// - in an encoder, the same names with the prefix `encoder.`
  /// - in a model that reads images: `patches.weight` (num_hiddens, channels, patch_size,
  ///   patch_size), `patches.bias`, `class_token` (num_hiddens,)
  ///
  /// Throws `Error` (invalid-option) for pretrained names if the model was not read from a
  /// checkpoint, or one of its layers was replaced by one with other parameters.
  [[nodiscard]] StateDict state_dict(ParameterNames names = ParameterNames::headwise) const;

  /// The `config.json` of the checkpoint that the model was read from, brought up to date:
  /// `tie_word_embeddings` is false if the unembedding has numbers of its own; `pruned_heads`,
  /// `cross_pruned_heads` and `encoder_pruned_heads` list removed heads by layer, numbered as
  /// before pruning. Together with `state_dict(ParameterNames::pretrained)` it is a checkpoint for
  /// `from_pretrained`. Throws `Error` (invalid-option) if the model was not read from a
  /// checkpoint; disposed, out-of-memory. Source: Hugging Face Transformers, `pruned_heads`.
  [[nodiscard]] std::string config() const;

  /// A checkpoint with the names and layout of the one that the model was read from. Throws `Error`
  /// (invalid-option) as `state_dict` does for these names; disposed, out-of-memory.
  [[nodiscard]] ExportedCheckpoint export_checkpoint(
      PrunedHeads pruned = PrunedHeads::zeroed) const;

  /// Loads all parameters, or none. Throws `Error` (invalid-state-dict) that lists every tensor
  /// that is missing, unexpected or of the wrong shape.
  void load_state_dict(const StateDict& state_dict);

  /// Removes heads for good, as `MultiHeadAttention::prune_heads` does. `heads` maps the number of
  /// a layer to its heads. An error in one layer leaves all unchanged. Throws `Error`
  /// (invalid-option) for layers and heads that do not exist, and for all heads of a layer;
  /// out-of-memory. Source: Hugging Face Transformers, `prune_heads`.
  void prune_heads(const std::map<std::int64_t, std::vector<std::int64_t>>& heads,
                   Side side = Side::self);

  /// Switches dropout on (training mode) or off (a new model). Both return the model.
  Transformer& train() noexcept;
  Transformer& eval() noexcept;
  [[nodiscard]] bool training() const noexcept {
    return num_layers() > 0 && layers_[Side::self].front().training();
  }

  [[nodiscard]] std::size_t num_layers() const noexcept { return layers_[Side::self].size(); }
  /// A layer. Its inputs and output are (batch, length, num_hiddens). Throws `Error`
  /// (invalid-option) if there is no such layer.
  [[nodiscard]] MultiHeadAttention& attention(std::size_t number);
  [[nodiscard]] const MultiHeadAttention& attention(std::size_t number) const;
  [[nodiscard]] MultiHeadAttention& cross_attention(std::size_t number);
  [[nodiscard]] MultiHeadAttention& encoder_attention(std::size_t number);
  /// All layers of a side.
  [[nodiscard]] const std::vector<MultiHeadAttention>& attention_layers(Side side) const noexcept {
    return layers_[side];
  }

  /// The options with their defaults. Throws `Error` (disposed).
  [[nodiscard]] const TransformerSettings& settings() const;
  [[nodiscard]] bool causal() const noexcept { return causal_; }
  [[nodiscard]] std::uint64_t seed() const noexcept { return seed_; }

  [[nodiscard]] bool in_use() const noexcept { return parameters_ != nullptr; }
  /// Everything but the attention layers.
  [[nodiscard]] const ModelParameters& own_parameters() const noexcept { return *parameters_; }
  /// Call it after writing parameters of the model or its layers.
  void parameters_changed() noexcept { core_.parameters_changed(); }
  /// The model without tensors and checks.
  [[nodiscard]] const UncheckedTransformer& core() const noexcept { return core_; }
  [[nodiscard]] UncheckedTransformer& core() noexcept { return core_; }

 protected:
  /// For `copy`.
  Transformer(const Transformer& other);

 private:
  GeneratedText generate_text(const std::vector<std::int64_t>& tokens,
                              const GenerateOptions& options, const ReturnedWeights& weights);
  TransformerResult forward_pass(const NativePass& given);
  TransformerResult forward_pixels(const TensorView<4>& pixels,
                                   const TransformerForwardOptions& options);
  TransformerResult forward_embeddings(const Embeddings& embeddings,
                                       const TransformerForwardOptions& options);
  TransformerGradients backward_pass(const InputTensor& hidden, const InputTensor& logits);
  [[nodiscard]] StateDict named_tensors(ParameterNames names, bool gradients) const;

  std::uint64_t seed_;
  bool causal_;
  /// On the heap, so that optimizers' pointers stay valid when the model is moved.
  std::unique_ptr<ModelParameters> parameters_;
  BySide<std::vector<MultiHeadAttention>> layers_;
  UncheckedTransformer core_;
  AdamOptions optimizer_options_;
  /// Made when it is first used.
  std::optional<Adam> optimizer_ = {};
  /// The checkpoint that the model was read from, or null.
  std::shared_ptr<const PretrainedCheckpoint> pretrained_ = {};
};

}  // namespace headwise

template <>
struct std::tuple_size<headwise::TransformerResult> : std::integral_constant<std::size_t, 2> {};
template <>
struct std::tuple_element<0, headwise::TransformerResult> {
  using type = headwise::Tensor<3>;  // NOLINT(*-identifier-naming): the standard's
};
template <>
struct std::tuple_element<1, headwise::TransformerResult> {
  using type = std::vector<headwise::Tensor<4>>;  // NOLINT(*-identifier-naming): the standard's
};
