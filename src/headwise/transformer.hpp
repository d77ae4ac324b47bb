#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <headwise/core/models/model_parameters.hpp>
#include <headwise/core/models/transformer_core.hpp>
#include <headwise/core/models/transformer_options.hpp>
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

/// KV caches of all layers of a model. Made by `Transformer::create_cache` and valid for that model
/// only, until heads of it are pruned.
class ModelCache {
 public:
  explicit ModelCache(TransformerCache&& cache) noexcept : cache_(std::move(cache)) {}
  /// Throws `Error` (out-of-memory), as assignment does, which then changes nothing.
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
  /// Keeps the first `length` positions only, and the source. Throws `Error` (invalid-value) for
  /// more than it holds, (disposed).
  void truncate(std::int64_t length);

  /// For the model only.
  [[nodiscard]] TransformerCache& memory() noexcept { return cache_; }
  [[nodiscard]] const TransformerCache& memory() const noexcept { return cache_; }

 private:
  InUse in_use_;
  TransformerCache cache_;
};

struct TransformerForwardOptions {
  /// Gates of each layer's self-attention, as in `ForwardOptions`; empty for none at all.
  std::vector<HeadGate> head_gates = {};
  /// Whether to return the attention weights of every layer, or of which heads and queries; of the
  /// encoder's layers then all.
  ReturnedWeights return_weights = false;
  /// What else of every layer to return. Default: nothing.
  Capture capture = {};
  /// Which positions may be attended to: absent, (batch,) or (batch, length).
  ValidLens valid_lens = {};
  /// Which tokens may be attended to, (batch, cached tokens + length): a tokenizer's
  /// `attention_mask`. The others are padding, before, behind or among them: positions count real
  /// tokens only, of which there may be `max_length`. A window counts places, padding included.
  /// With a cache that holds padding, every pass needs it. Not for models that read images. Source:
  /// Transformers, `position_ids` of left-padded batches.
  Mask key_mask = {};
  /// Of each token the kind of its segment, (batch, length). Default: 0.
  std::optional<Tokens> segments = {};
  /// The encoder's tokens, (batch, source length), of a model that has one.
  std::optional<Tokens> source = {};
  /// (batch,): how many positions of the source may be attended to. A cache keeps them with it.
  ValidLens source_valid_lens = {};
  /// As `key_mask`, (batch, source length). A cache keeps it with the source.
  Mask source_key_mask = {};
  std::vector<HeadGate> cross_head_gates = {};
  std::vector<HeadGate> encoder_head_gates = {};
  /// KV caches of earlier positions, to which the tokens are appended. With a source that they
  /// hold, none is given.
  ModelCache* cache = nullptr;
  /// Whether to save activations for `backward`.
  bool requires_grad = false;
};

struct TransformerResult {
  Tensor<3> logits;  ///< (batch, length, vocabulary); empty for a model without
  /// (batch, heads, queries, keys) for each layer, or the chosen heads and queries, if requested
  std::vector<Tensor<4>> attention_weights;
  Tensor<3> hidden = {};  ///< (batch, length, num_hiddens), after the final norm
  std::optional<Tensor<3>> encoder_hidden = {};
  std::vector<Tensor<4>> cross_attention_weights = {};
  /// Of the encoder's layers; empty without a source in this call, as all of the encoder's.
  std::vector<Tensor<4>> encoder_attention_weights = {};
  /// What was captured of each layer, if anything was to be.
  std::vector<CapturedTensors<3>> captured = {};
  std::vector<CapturedTensors<3>> cross_captured = {};
  std::vector<CapturedTensors<3>> encoder_captured = {};

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

/// Gradients of a model's gates and, if it reads images, of the pixels. Those of the parameters are
/// in the model.
struct TransformerGradients {
  /// Of each layer's gates, (batch, heads); at gate 1 where none was given.
  std::vector<Tensor<2>> head_gates;
  std::vector<Tensor<2>> cross_head_gates = {};
  std::vector<Tensor<2>> encoder_head_gates = {};
  std::optional<Tensor<4>> pixels = {};
};

struct TransformerLossAndGradients {
  double loss;
  /// As in `TransformerGradients`.
  std::vector<Tensor<2>> head_gates;
  std::vector<Tensor<2>> cross_head_gates = {};
  std::vector<Tensor<2>> encoder_head_gates = {};
};

/// Gradients of a forward's results; at least one is given.
struct TransformerOutputGradients {
  std::optional<TensorView<3>> hidden = {};
  std::optional<Tensor<3>> logits = {};
};

struct GenerateOptions {
  std::int64_t max_new_tokens = 0;
  /// Logits are divided by it before a token is drawn; 0 takes the token of the largest logit.
  double temperature = 0;
  /// Only the tokens of the `top_k` largest logits are drawn. Source: Fan et al. 2018.
  std::optional<std::int64_t> top_k = {};
  /// Only the fewest tokens whose probabilities sum to `top_p` are drawn. Source: Holtzman et al.
  /// 2020.
  std::optional<double> top_p = {};
  /// Seed of the draws, below 2^53; drawn at random when left out.
  std::optional<std::uint64_t> seed = {};
  /// Tokens that end the text. The one that does is the last that is returned.
  std::vector<std::int64_t> stop = {};
  /// The encoder's tokens, of a model that has one.
  std::optional<std::vector<std::int64_t>> source = {};
  /// Which of the tokens are no padding, (length,) or (1, length), as `key_mask` of a forward. The
  /// last one must be none.
  Mask key_mask = {};
  /// Precision of the cache, as in `CacheOptions`.
  Precision cache_precision = Precision::float32;
  /// Called with every new token; returns whether to go on.
  std::function<bool(std::int64_t token)> on_token = {};
};

/// Names of the tensors of a state dict.
enum class ParameterNames : std::uint8_t {
  headwise,
  pretrained,  ///< those of the checkpoint that the model was read from, in its layout
};

/// Options of a model that is read from a checkpoint, as in `TransformerOptions`.
struct PretrainedOptions {
  double dropout = 0;
  Precision weights = Precision::float32;
  std::optional<std::uint64_t> seed = {};
  AdamOptions optimizer = {};
};

/// A transformer: decoder, encoder, both, or a reader of images, made of `MultiHeadAttention`.
/// Sources: Vaswani et al. 2017; the papers named at each option.
///
/// Thread safety and moved-from objects are as for a layer. Inputs and output of every layer must
/// stay (batch, length, num_hiddens): a call throws `Error` (invalid-option) where one was replaced
/// by another.
class Transformer {
 public:
  /// Throws `Error` (invalid-option, out-of-memory).
  explicit Transformer(const TransformerOptions& options);

  /// The model of a checkpoint: `config` is the text of its `config.json`, `tensors` are what
  /// `load_safetensors` gave. Families: gpt2, nanogpt, mingpt, llama, mistral, qwen2, bert,
  /// roberta, distilbert, vit, bart, marian. Parts of names that wrappers add are left out,
  /// wherever they stand; `gamma` and `beta` of norms are read. An unembedding of other numbers
  /// than the token embedding is used, whatever the config says of tying; a tied one may have any
  /// of its names. Fields that the config leaves out are Transformers' defaults, but numbers of
  /// heads are needed. Heads that its `pruned_heads`, `cross_pruned_heads` and
  /// `encoder_pruned_heads` list are removed first, so that the tensors are those of a pruned
  /// model.
  ///
  /// Throws `Error` (invalid-option) that names every field of the config that is missing,
  /// malformed or not supported; (invalid-state-dict) that names tensors that are missing,
  /// unexpected, of the wrong shape, or copies of the embedding that differ, at most 12 of them;
  /// out-of-memory. Nothing is allocated for a model that the tensors do not fit. Source: Hugging
  /// Face Transformers 5.
  [[nodiscard]] static Transformer from_pretrained(std::string_view config,
                                                   const StateDict& tensors,
                                                   const PretrainedOptions& options = {});

  Transformer(Transformer&&) = default;
  Transformer& operator=(const Transformer&) = delete;
  Transformer& operator=(Transformer&&) = default;
  virtual ~Transformer() = default;

  /// A model of the same parameters, gradients and mode, with a fresh optimizer of its own. Throws
  /// `Error` (out-of-memory).
  [[nodiscard]] Transformer copy() const;

  /// tokens (batch, length) from 0 to below the vocabulary's size. Throws `Error` (invalid-shape,
  /// invalid-value, invalid-option, invalid-cache, cache-full, out-of-memory); the model is then
  /// unchanged, as after any other call that throws.
  TransformerResult forward(const Tokens& tokens, const TransformerForwardOptions& options = {});
  /// pixels (batch, channels, height, width) of a model that reads images. A template, so that
  /// lists in braces are tokens.
  template <typename Pixels>
    requires(std::same_as<Pixels, TensorView<4>> ||
             std::floating_point<typename Pixels::value_type>)
  TransformerResult forward(const Pixels& pixels, const TransformerForwardOptions& options = {}) {
    return forward_pixels(pixels, options);
  }

  /// The gradients of everything, for the latest forward that succeeded with `requires_grad`. Those
  /// of the parameters are added to the existing ones. Throws `Error` (no-pending-backward,
  /// invalid-shape, out-of-memory).
  TransformerGradients backward(const TensorView<3>& grad_hidden);
  TransformerGradients backward(const TransformerOutputGradients& gradients);

  /// `cross_entropy` of the logits. Targets are tokens, or −1 for positions excluded from the loss.
  /// Weights are not returned, and nothing is captured.
  double loss(const Tokens& tokens, const Tokens& targets,
              const TransformerForwardOptions& options = {});

  /// The loss and its gradients. Those of the parameters are added to the existing ones.
  TransformerLossAndGradients loss_and_gradients(const Tokens& tokens, const Tokens& targets,
                                                 const TransformerForwardOptions& options = {});

  /// One step of training, in training mode: `zero_gradients`, `loss_and_gradients`, a step of the
  /// optimizer. Returns the loss before the step. Afterwards every layer is in the mode that it was
  /// in. The optimizer is one over `trainables`, or some of them; one that trains anything else
  /// throws `Error` (invalid-option).
  double train_step(const Tokens& tokens, const Tokens& targets, Optimizer& optimizer,
                    const TransformerForwardOptions& options = {});
  /// A step with the model's own optimizer.
  double train_step(const Tokens& tokens, const Tokens& targets,
                    const TransformerForwardOptions& options = {});

  /// The optimizer of `train_step` where none is given: Adam by `options.optimizer`.
  [[nodiscard]] Adam& optimizer() noexcept { return optimizer_; }

  /// What an optimizer trains: the model's own parameters, then its layers. The pointers stay valid
  /// when the model is moved.
  [[nodiscard]] std::vector<Trainable*> trainables();

  /// The tokens that follow `tokens`, (length,), with a KV cache. Throws what `forward` throws.
  [[nodiscard]] std::vector<std::int64_t> generate(const std::vector<std::int64_t>& tokens,
                                                   const GenerateOptions& options);

  /// Empty caches of all layers of a causal model. Throws `Error` (invalid-option, out-of-memory).
  [[nodiscard]] ModelCache create_cache(const CacheOptions& options) const;

  /// Sums of the parameters' gradients since the last `zero_gradients`, named as in `state_dict`.
  [[nodiscard]] StateDict gradients(ParameterNames names = ParameterNames::headwise) const;
  void zero_gradients() noexcept;

  /// The parameters by name: `embedding.weight` (vocabulary, num_hiddens), `position.weight`,
  /// `segment.weight`, `embedding_norm.weight` and `.bias` (num_hiddens,); of each layer
  /// `layers.0.attention.` and a name of the layer's `state_dict`, `layers.0.norm.weight`, likewise
  /// `cross_attention.` and `cross_norm.`; of its feed-forward layer `layers.0.ffn_norm.weight`,
  /// `layers.0.ffn.dense1.weight` (ffn_hiddens, num_hiddens), `layers.0.ffn.dense2.weight`,
  /// `layers.0.ffn.gate.weight`; `norm.weight` of the last norm, `unembedding.weight` (vocabulary,
  /// num_hiddens) unless it is tied, `unembedding.bias`; the same of an encoder with `encoder.`
  /// before; of models that read images `patches.weight` (num_hiddens, channels, patch_size,
  /// patch_size), `patches.bias` and `class_token` (num_hiddens,). With pretrained names, throws
  /// `Error` (invalid-option) for a model that was not read from a checkpoint.
  [[nodiscard]] StateDict state_dict(ParameterNames names = ParameterNames::headwise) const;

  /// The text of the `config.json` of the checkpoint that the model was read from, in which
  /// `tie_word_embeddings` is false if the tensors had an unembedding of their own, and
  /// `pruned_heads`, `cross_pruned_heads` and `encoder_pruned_heads` list the heads that were
  /// removed, by layer and as the whole model counted them, where any were. With the tensors of
  /// `state_dict` in pretrained names it is a checkpoint that `from_pretrained` reads. Throws
  /// `Error` (invalid-option) for a model that was not read from a checkpoint; disposed,
  /// out-of-memory. Source: Hugging Face Transformers, `pruned_heads`.
  [[nodiscard]] std::string config() const;

  /// Loads the parameters in `state_dict`, all or none. Throws `Error` (invalid-state-dict) that
  /// lists every name that is missing, unexpected or of the wrong shape.
  void load_state_dict(const StateDict& state_dict);

  /// Removes heads of layers for good, as `prune_heads` of a layer does: `heads` by the number of
  /// their layer. An error in one layer leaves all unchanged. Throws `Error` (invalid-option) for
  /// layers and heads that the model does not have, and for all heads of a layer; out-of-memory.
  /// Source: Hugging Face Transformers, `prune_heads`.
  void prune_heads(const std::map<std::int64_t, std::vector<std::int64_t>>& heads,
                   Side side = Side::self);

  /// Switches dropout on (training mode) or off (a new model). Both return the model.
  Transformer& train() noexcept;
  Transformer& eval() noexcept;
  [[nodiscard]] bool training() const noexcept {
    return !layers_.self.empty() && layers_.self.front().training();
  }

  [[nodiscard]] std::size_t num_layers() const noexcept { return layers_.self.size(); }
  /// A layer, for example to look at its heads. Its inputs and output are (batch, length,
  /// num_hiddens). Throws `Error` (invalid-option) if there is no such layer.
  [[nodiscard]] MultiHeadAttention& attention(std::size_t number);
  [[nodiscard]] const MultiHeadAttention& attention(std::size_t number) const;
  [[nodiscard]] MultiHeadAttention& cross_attention(std::size_t number);
  [[nodiscard]] MultiHeadAttention& encoder_attention(std::size_t number);
  /// All layers of a side.
  [[nodiscard]] const std::vector<MultiHeadAttention>& attention_layers(Side side) const noexcept {
    return layers_.of(side);
  }

  /// The options with their defaults. Throws `Error` (disposed).
  [[nodiscard]] const TransformerSettings& settings() const;
  [[nodiscard]] bool causal() const noexcept { return causal_; }
  [[nodiscard]] std::uint64_t seed() const noexcept { return seed_; }

  [[nodiscard]] bool in_use() const noexcept { return parameters_ != nullptr; }
  /// Everything but the attention layers.
  [[nodiscard]] const ModelParameters& own_parameters() const noexcept { return *parameters_; }
  /// Must be called after parameters of the model or its layers were written.
  void parameters_changed() noexcept { core_.parameters_changed(); }
  /// The model without tensors and checks.
  [[nodiscard]] const TransformerCore& core() const noexcept { return core_; }

 protected:
  struct Layers {
    std::vector<MultiHeadAttention> self;
    std::vector<MultiHeadAttention> cross;
    std::vector<MultiHeadAttention> encoder;

    [[nodiscard]] std::vector<MultiHeadAttention>& of(Side side) noexcept {
      return side == Side::self ? self : side == Side::cross ? cross : encoder;
    }
    [[nodiscard]] const std::vector<MultiHeadAttention>& of(Side side) const noexcept {
      return side == Side::self ? self : side == Side::cross ? cross : encoder;
    }
  };
  /// Of `copy`.
  Transformer(const Transformer& other);

 private:
  TransformerResult forward_pixels(const TensorView<4>& pixels,
                                   const TransformerForwardOptions& options);
  template <typename Input>
  TransformerResult checked_forward(const Input& input, const TransformerForwardOptions& options);

  std::uint64_t seed_;
  bool causal_;
  /// On the heap, so that optimizers' pointers stay valid when the model is moved, as do those to
  /// layers.
  std::unique_ptr<ModelParameters> parameters_;
  Layers layers_;
  TransformerCore core_;
  Adam optimizer_;
  /// What ties the model to the checkpoint that it was read from; null for none.
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
