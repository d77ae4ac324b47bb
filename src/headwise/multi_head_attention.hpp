#pragma once

#include <cstddef>
#include <cstdint>
#include <headwise/attention_options.hpp>
#include <headwise/caller_memory.hpp>
#include <headwise/core/attention/attention_layer.hpp>
#include <headwise/error.hpp>
#include <headwise/key_value_cache.hpp>
#include <headwise/state_dict.hpp>
#include <headwise/tensor.hpp>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace headwise {

/// Options of `MultiHeadAttention::from_state_dict`: how to read the state dict, and what it does
/// not determine.
struct FromStateDictOptions {
  /// Number of heads. At least 1.
  std::int64_t num_heads = 0;
  /// Prefix of the layer's tensors, for example `encoder.layers.0.self_attn`; a trailing dot is
  /// optional. Other tensors are ignored. If the prefix is wrong, the error lists the prefixes
  /// found.
  std::string prefix = {};
  // As in MultiHeadAttentionOptions.
  double dropout = 0;
  std::optional<double> scale = {};
  double softcap = 0;
  std::optional<RotaryOptions> rotary = {};
  bool zero_attention = false;
  Precision weights = Precision::float32;
  std::optional<std::uint64_t> seed = {};
};

struct ForwardInputs;

/// Without a batch axis if the inputs have none.
template <std::size_t Rank>
struct CapturedTensors {
  std::optional<Tensor<Rank + 1>> queries;  ///< (batch, heads, queries, head size)
  std::optional<Tensor<Rank + 1>> keys;     ///< (batch, key-value heads, keys, head size)
  std::optional<Tensor<Rank + 1>> values;   ///< (batch, key-value heads, keys, head size)
  /// (batch, heads, queries, keys + extra slots)
  std::optional<Tensor<Rank + 1>> scores;
  std::optional<Tensor<Rank + 1>> pooled;  ///< (batch, heads, queries, head size)
  /// (batch, heads, queries, keys + extra slots)
  std::optional<Tensor<Rank + 1>> dropped_weights;
};

template <std::size_t Rank>
struct ForwardResult {
  /// (batch, queries, output_size), without the batch axis if the inputs have none
  Tensor<Rank> output;
  /// (batch, heads, queries, keys + extra slots), before dropout, if requested
  std::optional<Tensor<Rank + 1>> attention_weights;
  /// (batch, heads, keys + extra slots), before dropout, if requested
  std::optional<Tensor<Rank>> key_mass = {};
  /// the activations that `capture` requests
  CapturedTensors<Rank> captured = {};

  /// For `const auto [output, attention_weights] = layer.forward(…)`.
  template <std::size_t Index>
  [[nodiscard]] auto&& get() && noexcept {
    return std::get<Index>(std::forward_as_tuple(std::move(output), std::move(attention_weights)));
  }
  template <std::size_t Index>
  [[nodiscard]] const auto& get() const& noexcept {
    return std::get<Index>(std::tie(output, attention_weights));
  }
};

using AttentionResult = ForwardResult<3>;

/// Gradients of a forward's inputs. The layer holds those of its parameters.
template <std::size_t Rank>
struct BackwardResult {
  Tensor<Rank> queries;
  Tensor<Rank> keys;
  Tensor<Rank> values;
  /// (batch, heads); (1, heads) without a batch axis. A gate that was not given counts as 1.
  Tensor<2> head_gate;
};

struct CacheOptions {
  /// Samples of every forward with the cache. At least 1.
  std::int64_t batch_size = 0;
  /// Maximum number of positions. At least 1.
  std::int64_t max_length = 0;
  /// float32; float16, which halves the memory; or int8, which takes a quarter. The last two store
  /// integers of 15 or 7 bits and a sign, with a factor for each key and value. A non-finite key or
  /// value becomes all NaN.
  Precision precision = Precision::float32;
};

/// Multi-head attention as in d2l's chapter: queries, keys and values are projected by W_q, W_k and
/// W_v, split into heads, pooled in each head, concatenated and projected by W_o. Source: Vaswani
/// et al. 2017; d2l, chapter Multi-Head Attention.
///
/// Several threads may call const functions of a layer at the same time; other calls need exclusive
/// access to it. Different layers are independent. A moved-from layer can be assigned to or
/// destroyed; other calls throw `Error` (disposed).
class MultiHeadAttention final : public AttentionLayer {
 public:
  /// Throws `Error` (invalid-option) for options out of range or that exclude each other;
  /// out-of-memory.
  explicit MultiHeadAttention(const MultiHeadAttentionOptions& options,
                              InitialParameters initial = InitialParameters::random);

  /// Copying and assignment throw `Error` (out-of-memory) and then change nothing.
  MultiHeadAttention(const MultiHeadAttention& other)
      : AttentionLayer(copied(static_cast<const AttentionLayer&>(other))) {}
  MultiHeadAttention(MultiHeadAttention&&) = default;
  MultiHeadAttention& operator=(const MultiHeadAttention& other) {
    if (this != &other) {
      *this = MultiHeadAttention(other);
    }
    return *this;
  }
  MultiHeadAttention& operator=(MultiHeadAttention&&) = default;
  ~MultiHeadAttention() override = default;

  /// A layer with the parameters in `state_dict`. Reads the names and layouts of d2l,
  /// `nn.MultiheadAttention` (packed or separate projections), BERT, ViT (older and newer names,
  /// and timm's), GPT-2, minGPT and nanoGPT. Sizes, bias, `num_kv_heads`, pooling and projection
  /// follow from the tensors. If only some projections have a bias, the others get zeros. Ignores
  /// buffers: `position_ids`, masks of GPT-2 (`bias` of shape (1, 1, n, n), `masked_bias`), tables
  /// of rotary positions (`inv_freq`, `cos_cached`, `sin_cached`). Throws `Error`
  /// (invalid-state-dict) that lists every tensor that is missing, unexpected or of the wrong
  /// shape, or the prefixes found; invalid-option, out-of-memory.
  [[nodiscard]] static MultiHeadAttention from_state_dict(const StateDict& state_dict,
                                                          const FromStateDictOptions& options);

  /// queries (batch, queries, query_size), keys (batch, keys, key_size), values (batch, keys,
  /// value_size). Throws `Error` (invalid-shape, invalid-value, invalid-option, invalid-cache,
  /// out-of-memory); layer and cache are then unchanged.
  AttentionResult forward(const TensorView<3>& queries, const TensorView<3>& keys,
                          const TensorView<3>& values, const ForwardOptions& options = {});
  /// The same for one sample without a batch axis: (length, size).
  ForwardResult<2> forward(const TensorView<2>& queries, const TensorView<2>& keys,
                           const TensorView<2>& values, const ForwardOptions& options = {});
  /// Attends to `options.cache` without appending to it.
  AttentionResult forward(const TensorView<3>& queries, const ForwardOptions& options);
  ForwardResult<2> forward(const TensorView<2>& queries, const ForwardOptions& options);
  /// The same for inputs of either rank, with results in memory of the caller's choice.
  void forward(const InputTensor& queries, const InputTensor& keys, const InputTensor& values,
               const ForwardOptions& options, ResultMemory& results);
  /// Called by all of the above, and by JavaScript. Internal.
  void forward(const ForwardInputs& inputs, ResultMemory& results);

  /// Gradients of the inputs, given the gradient of the output, for the latest successful forward
  /// with `requires_grad`; other forwards in between do not matter. Adds the parameters' gradients
  /// to the existing ones. Keys and values that no query may attend to have gradient 0 and affect
  /// no other gradient. A float mask gets no gradient. Throws `Error`: no-pending-backward if there
  /// was no such forward, its backward was done, or parameters have changed since; invalid-shape,
  /// out-of-memory. The layer is then unchanged. Source: PyTorch, `Tensor.backward`.
  BackwardResult<3> backward(const TensorView<3>& grad_output);
  BackwardResult<2> backward(const TensorView<2>& grad_output);
  /// The same for either rank, with results in memory of the caller's choice.
  void backward(const InputTensor& grad_output, ResultMemory& results);

  /// Sums of the parameters' gradients since the last `zero_gradients`, with the names and shapes
  /// of `state_dict`. Throws what `state_dict` throws.
  [[nodiscard]] StateDict gradients() const;

  /// An empty cache for decoding. Throws `Error` (sizes-unknown, invalid-option, disposed,
  /// out-of-memory).
  [[nodiscard]] KeyValueCache create_cache(const CacheOptions& options) const;

  /// Removes heads for good: rows of W_q, W_k and W_v and columns of W_o. The output equals that
  /// with gates of 0 for these heads, but passes take less time and memory. `heads` are indices
  /// before the call, in any order; duplicates count once. The remaining heads are renumbered from
  /// 0 and keep their gradients and optimizer states. `num_hiddens` shrinks; the scale and
  /// `output_size` stay. A pending backward and existing caches become invalid. Throws `Error`
  /// (invalid-option) for indices out of range, for all heads, for only some of the heads that
  /// share a key-value head, and for a layer without W_o or with convolutions; sizes-unknown,
  /// out-of-memory. The layer is then unchanged. Source: Michel et al. 2019; Hugging Face
  /// Transformers, `prune_heads`.
  void prune_heads(const std::vector<std::int64_t>& heads);

  /// Switches dropout on (training mode) or off (a new layer). Both return the layer.
  MultiHeadAttention& train() noexcept {
    set_training(true);
    return *this;
  }
  MultiHeadAttention& eval() noexcept {
    set_training(false);
    return *this;
  }

  /// The parameters by d2l's names: `W_q.weight` (num_hiddens, query_size), `W_k.weight`,
  /// `W_v.weight`, `W_o.weight` (output_size, num_hiddens), with bias `W_q.bias` (num_hiddens,) and
  /// so on. Weights of convolutions are (num_hiddens, query_size / num_heads, 1). Options add
  /// `bias_k`, `bias_v` (1, 1, num_kv_heads · head size); for additive pooling
  /// `attention.W_q.weight`, `attention.W_k.weight` (attention_hiddens, head size) and
  /// `attention.w_v.weight` (1, attention_hiddens); for `qk_norm` `q_norm.weight` and
  /// `k_norm.weight` (head size,). Throws `Error` (sizes-unknown) before sizes are inferred.
  [[nodiscard]] StateDict state_dict() const;

  /// Loads all parameters, or none; outdates a pending backward. Throws `Error`
  /// (invalid-state-dict) that lists every tensor that is missing, unexpected or of the wrong
  /// shape.
  void load_state_dict(const StateDict& state_dict);
};

}  // namespace headwise

template <std::size_t Rank>
struct std::tuple_size<headwise::ForwardResult<Rank>> : std::integral_constant<std::size_t, 2> {};
template <std::size_t Rank>
struct std::tuple_element<0, headwise::ForwardResult<Rank>> {
  using type = headwise::Tensor<Rank>;  // NOLINT(*-identifier-naming): the standard's
};
template <std::size_t Rank>
struct std::tuple_element<1, headwise::ForwardResult<Rank>> {
  // NOLINTNEXTLINE(*-identifier-naming): the standard's
  using type = std::optional<headwise::Tensor<Rank + 1>>;
};
