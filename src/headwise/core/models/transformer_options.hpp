#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <headwise/core/attention/attention_mask.hpp>
#include <headwise/core/attention/layer_options.hpp>
#include <headwise/core/training/unchecked_optimizer.hpp>
#include <optional>
#include <vector>

namespace headwise {

/// How a model encodes positions.
enum class Positions : std::uint8_t {
  sinusoidal,         ///< d2l's `positional_encoding`: sines and cosines in turn
  learned,            ///< a parameter, `position.weight`
  rotary,             ///< queries and keys are rotated, see `RotaryOptions`
  none,               ///< not at all, except by a causal mask
  sinusoidal_halves,  ///< all sines before all cosines; source: Junczys-Dowmunt et al. 2018
};

/// Which attention layers of a model: the decoder's self-attention, its cross-attention, or the
/// encoder's self-attention. Models without cross-attention have `self` only.
enum class Side : std::uint8_t { self, cross, encoder };
inline constexpr std::array all_sides = {Side::self, Side::cross, Side::encoder};

/// A value for each side.
template <typename Value>
struct BySide : std::array<Value, all_sides.size()> {
  using std::array<Value, all_sides.size()>::operator[];
  [[nodiscard]] constexpr Value& operator[](Side side) noexcept {
    return (*this)[static_cast<std::size_t>(side)];
  }
  [[nodiscard]] constexpr const Value& operator[](Side side) const noexcept {
    return (*this)[static_cast<std::size_t>(side)];
  }
};

/// The one of a side.
template <typename Value>
[[nodiscard]] constexpr Value& by_side(Side side, Value& self, Value& cross,
                                       Value& encoder) noexcept {
  return side == Side::self ? self : side == Side::cross ? cross : encoder;
}

/// The activation function of feed-forward layers.
enum class Activation : std::uint8_t {
  relu,
  gelu,       ///< x · Φ(x); source: Hendrycks and Gimpel 2016
  gelu_tanh,  ///< GELU approximated by tanh, as in GPT-2
  silu,       ///< x · σ(x), also called swish
};

/// How rows are normalized.
enum class Norm : std::uint8_t {
  layer,  ///< source: Ba et al. 2016
  rms,    ///< by the root mean square; source: Zhang and Sennrich 2019
  none,
};

/// The encoder of an encoder–decoder model. Defaults are the decoder's.
struct EncoderOptions {
  std::int64_t num_layers = 1;
  std::optional<std::int64_t> num_heads = {};
  std::optional<std::int64_t> ffn_hiddens = {};
};

/// Square images, cut into square patches. Source: Dosovitskiy et al. 2021.
struct PatchOptions {
  std::int64_t image_size = 0;  ///< pixels of a side; a multiple of `patch_size`
  std::int64_t patch_size = 0;
  std::int64_t channels = 3;
  /// Whether a learned class token precedes the patches.
  bool class_token = true;
};

struct TransformerOptions {
  /// Size of the vocabulary; tokens are integers from 0 to below it. All sizes are at least 1. Not
  /// with `patches`.
  std::int64_t vocabulary_size = 0;
  /// Maximum length of an input. Computed if there are `patches`.
  std::int64_t max_length = 0;
  /// Size of the residual stream.
  std::int64_t num_hiddens = 0;
  std::int64_t num_layers = 1;
  /// Heads of each layer; divides `num_hiddens` unless `head_size` is given.
  std::int64_t num_heads = 0;
  /// Key-value heads of each layer; divides `num_heads`. Default: `num_heads`.
  std::optional<std::int64_t> num_kv_heads = {};
  /// Default: num_hiddens / num_heads.
  std::optional<std::int64_t> head_size = {};
  /// Hidden units of the feed-forward layers; 0 for none. Default: 4 · num_hiddens.
  std::optional<std::int64_t> ffn_hiddens = {};
  Activation activation = Activation::gelu;
  /// Whether feed-forward layers are activation(gate(x)) · up(x). Source: Shazeer 2020.
  bool gated = false;
  Norm norm = Norm::layer;
  /// Whether norms come before each attention and feed-forward layer (pre-norm) or after the
  /// residual sum (post-norm).
  bool norm_first = true;
  /// Whether each layer is x + attention(norm(x)) + ffn(ffn_norm(x)): both read the same x. With
  /// `norm_first`, or without norms, and without an encoder. Source: Wang and Komatsuzaki 2021,
  /// GPT-J; GPT-NeoX.
  bool parallel_residual = false;
  /// Whether a norm also follows each sublayer, before the residual sum. With `norm_first`. Source:
  /// Gemma 2.
  bool post_norms = false;
  /// Added to the variance, or mean square.
  double norm_epsilon = 1e-5;
  /// Whether layer norms have a bias.
  bool norm_bias = true;
  /// Whether a norm follows the last layer. Default: `norm_first`.
  std::optional<bool> final_norm = {};
  /// Whether a norm follows the embedding.
  bool embedding_norm = false;
  Positions positions = Positions::learned;
  /// Used if `positions` is rotary. The default size is each side's head size.
  RotaryOptions rotary = {};
  /// Factor of the token embeddings.
  double embedding_scale = 1;
  /// Whether attention layers normalize queries and keys, as in MultiHeadAttentionOptions, with
  /// `norm_epsilon`.
  bool qk_norm = false;
  /// Whether linear layers have a bias.
  bool bias = true;
  /// Whether W_q, W_k and W_v have a bias. Default: `bias`.
  std::optional<bool> qkv_bias = {};
  /// Whether feed-forward layers have biases. Default: `bias`.
  std::optional<bool> ffn_bias = {};
  /// Whether the unembedding is the token embedding.
  bool tied_embeddings = true;
  /// Whether the logits have a bias.
  bool logits_bias = false;
  /// Whether the model has logits. Not with `patches`.
  bool head = true;
  /// Kinds of segments, whose embeddings are added to those of the tokens; 0 for none. Source:
  /// Devlin et al. 2019.
  std::int64_t segments = 0;
  /// Cap of the logits: c · tanh(l / c); 0 is off. Source: Gemma 2.
  double logits_softcap = 0;
  /// Whether a position attends only to itself and those before it.
  bool causal = true;
  /// Whether the scores of layer i are also divided by i + 1. Source: GPT-2 of Stanford CRFM,
  /// `scale_attn_by_inverse_layer_idx`.
  bool scale_by_layer = false;
  /// Probability that an attention weight is dropped in training mode, from 0 to 1.
  double dropout = 0;
  /// Sliding window around each position, in self-attention.
  std::optional<Window> window = {};
  /// A window for each layer of the decoder, or none, in place of `window`. Empty: `window` for
  /// all. Source: Child et al. 2019; GPT-3 and Gemma 2, whose layers alternate.
  std::vector<std::optional<Window>> windows = {};
  // As in MultiHeadAttentionOptions.
  double softcap = 0;
  std::optional<double> scale = {};
  /// With an encoder, every layer also attends to its output.
  std::optional<EncoderOptions> encoder = {};
  /// The model reads images in place of tokens.
  std::optional<PatchOptions> patches = {};
  /// Precision of the weights of all linear layers, including the attention layers'. Fewer than 32
  /// bits are faster for few rows, but cannot be trained. int8 and int4 round the token embedding,
  /// too, and float16 a tied one. Biases, norms and other embeddings stay float32.
  Precision weights = Precision::float32;
  /// Number of rows before that of position 0 in the learned positions. Source: BART and RoBERTa,
  /// which have 2.
  std::int64_t position_offset = 0;
  /// The padding token. Positions do not count it, and it gets the learned row before that of
  /// position 0. It is masked only by `key_mask` or `valid_lens`. Needs learned positions, a
  /// `position_offset`, and `causal` off. Default: none. Source: RoBERTa.
  std::optional<std::int64_t> padding_token = {};
  /// Seed of the parameters and of dropout, below 2^53. Default: a random one.
  std::optional<std::uint64_t> seed = {};
  /// Options of the model's own optimizer.
  AdamOptions optimizer = {};
};

struct AttentionOnlyTransformerOptions {
  /// Size of the vocabulary; tokens are integers from 0 to below it. All sizes are at least 1.
  std::int64_t vocabulary_size = 0;
  /// Maximum length of an input.
  std::int64_t max_length = 0;
  /// Size of the residual stream, and total size of a layer's heads.
  std::int64_t num_hiddens = 0;
  /// Heads of each layer; divides `num_hiddens`.
  std::int64_t num_heads = 0;
  std::int64_t num_layers = 1;
  /// Sinusoidal or learned.
  Positions positions = Positions::sinusoidal;
  /// Whether a position attends only to itself and those before it.
  bool causal = true;
  /// Whether layer norms come before each layer and the unembedding. Source: Xiong et al. 2020,
  /// pre-layer normalization.
  bool layer_norm = false;
  /// Whether the layers' projections have a bias.
  bool bias = false;
  /// Probability that an attention weight is dropped in training mode, from 0 to 1.
  double dropout = 0;
  /// Precision of the weights of all linear layers.
  Precision weights = Precision::float32;
  /// Seed of the parameters and of dropout, below 2^53. Default: a random one.
  std::optional<std::uint64_t> seed = {};
  /// Options of the model's own optimizer.
  AdamOptions optimizer = {};
};

/// The same model as a `Transformer`.
[[nodiscard]] TransformerOptions transformer_options_of(
    const AttentionOnlyTransformerOptions& options);

/// The layers of an encoder or a decoder.
struct StackSettings {
  std::size_t num_layers = 0;
  std::size_t ffn_hiddens = 0;
  bool causal = false;
  bool has_cross_attention = false;
  /// Of each layer's mask.
  std::vector<MaskRules> rules = {};
};

/// A model's options with their defaults.
struct TransformerSettings {
  std::size_t vocabulary_size;  ///< 0 with patches
  std::size_t max_length;
  std::size_t num_hiddens;
  Activation activation;
  bool gated;
  Norm norm;
  bool norm_first;
  bool parallel_residual;
  bool post_norms;
  float norm_epsilon;
  bool norm_bias;
  bool final_norm;
  bool embedding_norm;
  Positions positions;
  std::size_t position_offset;
  std::optional<std::int64_t> padding_token;
  float embedding_scale;
  bool ffn_bias;
  bool tied_embeddings;
  bool logits_bias;
  float logits_softcap;
  bool head;
  std::size_t segments;
  StackSettings decoder;
  StackSettings encoder;  ///< without layers for none
  std::size_t image_size;
  std::size_t patch_size;  ///< 0 without patches
  std::size_t channels;
  bool class_token;
  Precision weights;
  std::uint64_t seed;

  [[nodiscard]] bool has_encoder() const noexcept { return encoder.num_layers > 0; }
  [[nodiscard]] bool has_patches() const noexcept { return patch_size > 0; }
  [[nodiscard]] std::size_t num_patches() const noexcept {
    return has_patches() ? (image_size / patch_size) * (image_size / patch_size) : 0;
  }
  /// Numbers of one patch.
  [[nodiscard]] std::size_t patch_width() const noexcept {
    return channels * patch_size * patch_size;
  }
};

/// The options with their defaults. They are not checked. Fails as an allocation does if the model
/// exceeds the address space.
[[nodiscard]] TransformerSettings settings_of(const TransformerOptions& options);

/// The options of each of a model's attention layers on one side, but for its seed.
[[nodiscard]] MultiHeadAttentionOptions layer_options_of(const TransformerOptions& options,
                                                         Side side);

/// The same of options whose model need not fit the address space, since it is not made.
[[nodiscard]] TransformerSettings unchecked_settings_of(const TransformerOptions& options);

/// How many attention layers the model has on one side.
[[nodiscard]] std::size_t num_layers_of(const TransformerOptions& options, Side side) noexcept;

/// The options of a model's attention layers on one side, each with a seed of its own.
[[nodiscard]] std::vector<MultiHeadAttentionOptions> layer_options_of(
    const TransformerOptions& options, Side side, std::uint64_t seed);

}  // namespace headwise
