#pragma once

#include <cstddef>
#include <cstdint>
#include <headwise/api/in_use.hpp>
#include <headwise/core/attention/attention_mask.hpp>
#include <headwise/core/attention/forward_record.hpp>
#include <headwise/core/attention/head_gate.hpp>
#include <headwise/core/attention/layer_parameters.hpp>
#include <headwise/core/attention/parameter_gradients.hpp>
#include <headwise/core/attention/pooling.hpp>
#include <headwise/key_value_cache.hpp>
#include <headwise/masks.hpp>
#include <headwise/state_dict.hpp>
#include <headwise/tensor.hpp>
#include <headwise/trainable.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace headwise {

struct MultiHeadAttentionOptions {
  /// Size of all heads together: a head has `num_hiddens` / `num_heads`. At least 1. Source: d2l.
  std::int64_t num_hiddens = 0;
  /// Number of heads; divides `num_hiddens`. Source: d2l.
  std::int64_t num_heads = 0;
  /// Probability that an attention weight is dropped in training mode, from 0 to 1. Source: d2l.
  double dropout = 0;
  /// Whether the projections have a bias. Source: d2l.
  bool bias = false;
  /// Sizes of the inputs' last axes; what is left out is inferred at the first forward or
  /// `load_state_dict`. Source: d2l, where they are inferred; PyTorch, `kdim` and `vdim`.
  std::optional<std::int64_t> query_size = {};
  std::optional<std::int64_t> key_size = {};
  std::optional<std::int64_t> value_size = {};
  /// Size of the output's last axis. Default: `num_hiddens`. Source: Keras, `output_shape`.
  std::optional<std::int64_t> output_size = {};
  /// Whether W_o follows the heads; without it the heads stand side by side. Default: yes, unless
  /// `projection` is none.
  std::optional<bool> output_projection = {};
  /// Number of key-value heads, each shared by as many query heads; divides `num_heads`. Default:
  /// `num_heads`. Source: Ainslie et al. 2023, grouped-query attention; ONNX Attention,
  /// `kv_num_heads`.
  std::optional<std::int64_t> num_kv_heads = {};
  /// How each head weighs its keys.
  Pooling pooling = Pooling::dot_product;
  /// Hidden units of additive pooling. Default: num_hiddens / num_heads. Source: d2l,
  /// `AdditiveAttention`.
  std::optional<std::int64_t> attention_hiddens = {};
  /// How heads are formed.
  Projection projection = Projection::linear;
  /// Factor of the dot products. Default: 1/√(head size). Source: Vaswani et al. 2017.
  std::optional<double> scale = {};
  /// Cap of the scaled scores: c · tanh(s / c); 0 is off. Source: Gemma 2; ONNX Attention,
  /// `softcap`.
  double softcap = 0;
  /// Whether a learnt key-value pair, `bias_k` and `bias_v`, follows the given ones. Source:
  /// PyTorch, `add_bias_kv`.
  bool bias_kv = false;
  /// Whether a pair of zeros follows the given ones. Source: PyTorch, `add_zero_attn`.
  bool zero_attention = false;
  /// Seed of the parameters and of dropout, below 2^53; drawn at random when left out.
  std::optional<std::uint64_t> seed = {};
};

/// How `MultiHeadAttention::from_state_dict` reads a state dict, and what no state dict tells.
struct FromStateDictOptions {
  /// Number of heads. At least 1.
  std::int64_t num_heads = 0;
  /// What stands before the names, for example `encoder.layers.0.self_attn`; tensors of other names
  /// are left alone. The dot behind it may be left out. Where it is wrong, the error lists those
  /// there are.
  std::string prefix = {};
  // As in MultiHeadAttentionOptions.
  double dropout = 0;
  std::optional<double> scale = {};
  double softcap = 0;
  bool zero_attention = false;
  std::optional<std::uint64_t> seed = {};
};

struct ForwardOptions {
  /// Which keys each query may attend to: absent, (batch,) or (batch, queries). Source: d2l.
  ValidLens valid_lens = {};
  /// Which keys each query may attend to, boolean, or what is added to its scores, float.
  Mask mask = {};
  /// Whether a query sees only keys up to its own position.
  Causal causal = Causal::none;
  /// How far from its own position a query sees.
  std::optional<Window> window = {};
  /// Factor of each head's pooled output before W_o.
  HeadGate head_gate = {};
  /// Keys and values of earlier positions, which the given ones are added to. "Keys" in
  /// `valid_lens`, `mask` and `window` then means cached and given. Null for none.
  KeyValueCache* cache = nullptr;
  /// What a query without a key gets. Default: zeros.
  EmptyRows empty_rows = EmptyRows::zero;
  /// Whether to return the attention weights. Default: no, and then they are never stored.
  bool return_weights = false;
  /// Which state of the weights is returned. Default: the weights themselves.
  WeightsStage weights_stage = WeightsStage::softmax;
  /// Whether `backward` will follow. What it needs is kept, copies of the inputs and masks
  /// included; scores are not. Not with a cache. Source: PyTorch, `requires_grad`.
  bool requires_grad = false;
};

template <std::size_t Rank>
struct ForwardResult {
  /// (batch, queries, output_size), without the batch axis if the inputs have none
  Tensor<Rank> output;
  /// (batch, heads, queries, keys + extra slots), before dropout, if they were asked for
  std::optional<Tensor<Rank + 1>> attention_weights;
};

using AttentionResult = ForwardResult<3>;

/// Gradients of what a forward was given. Those of its parameters are in the layer.
template <std::size_t Rank>
struct BackwardResult {
  Tensor<Rank> queries;
  Tensor<Rank> keys;
  Tensor<Rank> values;
  /// (batch, heads), a row a sample; (1, heads) without a batch axis. Where no gate was given, at
  /// gate 1.
  Tensor<2> head_gate;
};

struct CacheOptions {
  /// Samples of every forward with the cache. At least 1.
  std::int64_t batch_size = 0;
  /// Positions that it can hold. At least 1.
  std::int64_t max_length = 0;
};

/// One forward pass for callers who own its memory and have checked everything.
struct ForwardArguments {
  /// Of the inputs' last axes, for a layer that is to infer them.
  InputSizes input_sizes{};
  const float* queries = nullptr;  ///< (batch, queries, query_size)
  const float* keys = nullptr;     ///< (batch, new keys, key_size)
  const float* values = nullptr;   ///< (batch, new keys, value_size)
  std::size_t num_new_keys = 0;
  /// Its keys are those of the cache and the new ones.
  const AttentionMask* mask = nullptr;
  const float* head_gate = nullptr;  ///< entry [sample · gate_stride + head], or null
  std::size_t gate_stride = 0;
  KeyValueCache* cache = nullptr;
  float* output = nullptr;             ///< (batch, queries, output_size)
  float* attention_weights = nullptr;  ///< (batch, heads, queries, keys + extra slots) or null
  WeightsStage weights_stage = WeightsStage::softmax;
  float* workspace = nullptr;  ///< as many floats as `workspace_size` says for `num_threads`
  /// Threads that may compute, the calling one among them.
  std::size_t num_threads = 1;
  /// Whether to keep what `backward_into` needs. Without a cache.
  bool requires_grad = false;
};

/// What a forward pass leaves in its layer, allocated before anything is changed.
struct ForwardMemory {
  std::optional<LayerParameters> parameters;  ///< of a layer that infers its sizes
  ParameterGradients gradients;               ///< zeros, of a layer that has none yet
  std::optional<ForwardRecord> record;        ///< of a pass that requires gradients
};

/// What is left of a layer when heads are removed, allocated likewise.
struct PrunedLayer {
  LayerSettings settings;
  LayerParameters parameters;
  ParameterGradients gradients;
  std::vector<ParameterShape> old_shapes;
  std::vector<RemovedSlice> slices;          ///< of this removal
  std::vector<RemovedSlice> removed_slices;  ///< with all earlier ones
};

/// One backward pass likewise, for the latest forward that required gradients. All that it points
/// to is written, but for `grad_output`.
struct BackwardArguments {
  const float* grad_output = nullptr;  ///< of the output's shape
  float* queries = nullptr;            ///< of the input's shape, and so on
  float* keys = nullptr;
  float* values = nullptr;
  float* head_gate = nullptr;  ///< (batch, heads)
  float* workspace =
      nullptr;  ///< as many floats as `backward_workspace_size` says for `num_threads`
  std::size_t num_threads = 1;
};

/// Multi-head attention as in d2l's chapter: queries, keys and values are projected by W_q, W_k and
/// W_v, split into heads, pooled in each head, put side by side and projected by W_o. Source:
/// Vaswani et al. 2017; d2l, chapter Multi-Head Attention.
///
/// Calls of const functions may run at the same time in several threads, as may calls on different
/// layers; every other call wants the layer to itself. A layer that was moved from may be assigned
/// to or destroyed; whatever else is asked of it throws `Error` (disposed).
class MultiHeadAttention final : public Trainable {
 public:
  /// Throws `Error` (invalid-option) for options outside their range or that exclude each other;
  /// out-of-memory.
  explicit MultiHeadAttention(const MultiHeadAttentionOptions& options);

  /// Throws `Error` (out-of-memory), as assignment does, which then changes nothing.
  MultiHeadAttention(const MultiHeadAttention& other);
  MultiHeadAttention(MultiHeadAttention&&) = default;
  MultiHeadAttention& operator=(const MultiHeadAttention& other);
  MultiHeadAttention& operator=(MultiHeadAttention&&) = default;
  ~MultiHeadAttention() = default;

  /// A layer with the parameters in `state_dict`, whose names and layout may be those of d2l,
  /// `nn.MultiheadAttention` (packed or separate projections), BERT, ViT (older and newer names,
  /// and timm's), GPT-2, minGPT or nanoGPT. Sizes, bias, `num_kv_heads`, pooling and projection are
  /// read from it. A bias that only some projections have is zero in the others. Buffers are left
  /// alone: `position_ids`, masks of GPT-2 (`bias` of shape (1, 1, n, n), `masked_bias`), tables of
  /// rotary positions (`inv_freq`, `cos_cached`, `sin_cached`). Throws `Error` (invalid-state-dict)
  /// that lists every name that is missing, unexpected or of the wrong shape, or the prefixes there
  /// are; invalid-option, out-of-memory.
  [[nodiscard]] static MultiHeadAttention from_state_dict(const StateDict& state_dict,
                                                          const FromStateDictOptions& options);

  /// queries (batch, queries, query_size), keys (batch, keys, key_size), values (batch, keys,
  /// value_size). Throws `Error` (invalid-shape, invalid-value, invalid-option, invalid-cache,
  /// out-of-memory); layer and cache are then as they were.
  AttentionResult forward(const Tensor<3>& queries, const Tensor<3>& keys, const Tensor<3>& values,
                          const ForwardOptions& options = {});
  /// The same for one sample without a batch axis: (length, size).
  ForwardResult<2> forward(const Tensor<2>& queries, const Tensor<2>& keys, const Tensor<2>& values,
                           const ForwardOptions& options = {});
  /// Attends to what `options.cache` holds and adds nothing to it.
  AttentionResult forward(const Tensor<3>& queries, const ForwardOptions& options);
  ForwardResult<2> forward(const Tensor<2>& queries, const ForwardOptions& options);

  /// Gradients of the inputs from that of the output, for the latest forward that succeeded with
  /// `requires_grad`; other forwards leave it pending. Gradients of the parameters are added to
  /// those there are. What a query may not attend to has gradient 0, and what it holds reaches
  /// none. A float mask gets no gradient. Throws `Error` (no-pending-backward) where there was no
  /// such forward, its backward was done, or parameters were changed since; invalid-shape,
  /// out-of-memory; the layer is then as it was. Source: PyTorch, `Tensor.backward`.
  BackwardResult<3> backward(const Tensor<3>& grad_output);
  BackwardResult<2> backward(const Tensor<2>& grad_output);

  /// Sums of the parameters' gradients since the last `zero_gradients`, under the names and in the
  /// shapes of `state_dict`, which throws the same.
  [[nodiscard]] StateDict gradients() const;
  void zero_gradients() noexcept override { gradients_.zero(); }

  /// An empty cache for decoding. Throws `Error` (sizes-unknown, invalid-option, disposed,
  /// out-of-memory).
  [[nodiscard]] KeyValueCache create_cache(const CacheOptions& options) const;

  /// Removes heads for good: rows of W_q, W_k and W_v and columns of W_o. The output is that of
  /// gating these heads at 0, and a pass takes less time and memory by what went. `heads` are
  /// indices before the call, in any order; one given twice counts once, none change nothing. Heads
  /// that are left are numbered from 0 again, and `num_hiddens` is theirs; the scale and
  /// `output_size` stay. Gradients of what is left stay too, and so does what optimizers keep
  /// beside it. A pending backward and older caches are invalid from then on. Throws `Error`
  /// (invalid-option) for indices that the layer does not have, for all of them, for some of the
  /// heads that share a key-value head, and for a layer without W_o or with convolutions;
  /// sizes-unknown, out-of-memory; the layer is then as it was. Source: Michel et al. 2019; Hugging
  /// Face Transformers, `prune_heads`.
  void prune_heads(const std::vector<std::int64_t>& heads);

  /// Switches dropout on (training mode) or off (a new layer). Both return the layer.
  MultiHeadAttention& train() noexcept;
  MultiHeadAttention& eval() noexcept;
  [[nodiscard]] bool training() const noexcept { return training_; }

  /// The parameters by d2l's names: `W_q.weight` (num_hiddens, query_size), `W_k.weight`,
  /// `W_v.weight`, `W_o.weight` (output_size, num_hiddens), with bias `W_q.bias` (num_hiddens,) and
  /// so on; of convolutions (num_hiddens, query_size / num_heads, 1); `bias_k`, `bias_v` (1, 1,
  /// num_kv_heads · head size); of additive pooling `attention.W_q.weight`, `attention.W_k.weight`
  /// (attention_hiddens, head size) and `attention.w_v.weight` (1, attention_hiddens). Throws
  /// `Error` (sizes-unknown) while sizes are still to be inferred.
  [[nodiscard]] StateDict state_dict() const;

  /// Takes over the parameters in `state_dict`, all or none; a forward before it cannot be gone
  /// back from. Throws `Error` (invalid-state-dict) that lists every name that is missing,
  /// unexpected or of the wrong shape.
  void load_state_dict(const StateDict& state_dict);

  [[nodiscard]] const LayerSettings& settings() const noexcept { return settings_; }
  /// Size of all heads together; pruning makes it smaller.
  [[nodiscard]] std::size_t num_hiddens() const noexcept { return settings_.num_hiddens; }
  [[nodiscard]] std::size_t num_heads() const noexcept { return settings_.num_heads; }
  [[nodiscard]] std::uint64_t seed() const noexcept { return settings_.seed; }
  /// Empty while the size is still to be inferred.
  [[nodiscard]] std::optional<std::size_t> query_size() const noexcept { return query_size_; }
  [[nodiscard]] std::optional<std::size_t> key_size() const noexcept { return key_size_; }
  [[nodiscard]] std::optional<std::size_t> value_size() const noexcept { return value_size_; }
  [[nodiscard]] std::uint64_t identity() const noexcept { return identity_.value(); }

  // What follows is for callers who check arguments and own memory themselves, as the bindings do.

  [[nodiscard]] bool in_use() const noexcept override { return static_cast<bool>(in_use_); }
  /// Fixes the input sizes and draws the parameters from the seed. Sizes fit those known already.
  void initialize(const InputSizes& sizes);
  /// All sizes are known.
  [[nodiscard]] InputSizes input_sizes() const noexcept {
    return {.query_size = *query_size_, .key_size = *key_size_, .value_size = *value_size_};
  }
  /// Empty until all sizes are known. Whoever writes calls `parameters_changed`.
  [[nodiscard]] std::optional<LayerParameters>& parameters() noexcept { return parameters_; }
  /// Floats of workspace that one forward needs, at most; in double, see `pooling_workspace_size`.
  /// `num_keys` counts cached and new keys.
  [[nodiscard]] double workspace_size(double batch, double num_queries, double num_keys,
                                      double num_threads) const noexcept;
  /// Allocates whatever a pass will keep, and changes nothing.
  [[nodiscard]] ForwardMemory allocate(const ForwardArguments& arguments) const;
  /// Keeps `memory`, which was allocated for these arguments. Valid arguments are the caller's
  /// business.
  void forward_into(const ForwardArguments& arguments, ForwardMemory&& memory) noexcept;

  [[nodiscard]] PendingBackward pending_backward() const noexcept { return pending_; }
  /// Of what the latest forward with gradients kept: batch, queries and keys.
  [[nodiscard]] const AttentionMask& pending_sizes() const noexcept { return record_->sizes(); }
  /// Whether its inputs had a batch axis.
  [[nodiscard]] bool pending_has_batch_axis() const noexcept { return pending_has_batch_axis_; }
  [[nodiscard]] double backward_workspace_size(double batch, double num_queries, double num_keys,
                                               double num_threads) const noexcept;
  /// A pending backward and valid arguments are the caller's business.
  void backward_into(const BackwardArguments& arguments) noexcept;
  /// A parameter's gradient by its number; null if there is none of that name, or none yet.
  [[nodiscard]] float* gradient(std::size_t number) noexcept {
    return gradients_.exist() ? gradients_.data(number) : nullptr;
  }
  /// Allocates what the layer is without these heads, and changes nothing. Heads are in ascending
  /// order, each once, and may be removed.
  [[nodiscard]] PrunedLayer allocate_without(std::span<const std::size_t> heads) const;
  /// `prune_heads` by what `allocate_without` gave.
  void remove_heads(PrunedLayer&& pruned) noexcept;

  [[nodiscard]] std::vector<TrainableParameter> trainable_parameters() override;
  void locate(std::span<TrainableParameter> parameters) noexcept override;
  void parameters_changed() noexcept override;
  [[nodiscard]] std::span<const RemovedSlice> removed_slices() const noexcept override {
    return removed_slices_;
  }

 private:
  template <std::size_t Rank>
  ForwardResult<Rank> checked_forward(const Tensor<Rank>& queries, const Tensor<Rank>* keys,
                                      const Tensor<Rank>* values, const ForwardOptions& options);
  template <std::size_t Rank>
  BackwardResult<Rank> checked_backward(const Tensor<Rank>& grad_output);
  [[nodiscard]] ForwardRecord::Sizes record_sizes(const InputSizes& inputs,
                                                  const AttentionMask& mask) const noexcept;
  /// Of the next forward.
  [[nodiscard]] Dropout dropout() const noexcept;
  void keep(ForwardMemory&& memory, const InputSizes& inputs) noexcept;
  /// Copies the inputs into the record and has `arguments` read those.
  void keep_inputs(ForwardArguments& arguments) noexcept;
  /// What pooling is told: queries (batch, queries, query width), and where the heads of keys and
  /// values lie. The mask must outlive it.
  [[nodiscard]] PoolingArguments pooling_arguments(const AttentionMask& mask, const float* Q,
                                                   const HeadsView<const float>& keys,
                                                   const HeadsView<const float>& values,
                                                   float* pooled) const noexcept;
  [[nodiscard]] AdditiveScoring additive_scoring() const noexcept;
  void set_sizes(const InputSizes& sizes) noexcept;

  InUse in_use_;
  LayerSettings settings_;
  std::optional<std::size_t> query_size_;
  std::optional<std::size_t> key_size_;
  std::optional<std::size_t> value_size_;
  std::optional<LayerParameters> parameters_;
  bool training_ = false;
  /// Forward passes with dropout so far: each draws its own mask.
  std::uint32_t dropout_calls_ = 0;
  LayerIdentity identity_;
  std::optional<ForwardRecord> record_;
  PendingBackward pending_ = PendingBackward::none;
  bool pending_has_batch_axis_ = true;
  ParameterGradients gradients_;
  std::vector<RemovedSlice> removed_slices_;
};

}  // namespace headwise
