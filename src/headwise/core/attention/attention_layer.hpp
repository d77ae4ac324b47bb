#pragma once

#include <cstddef>
#include <cstdint>
#include <headwise/core/attention/attention_mask.hpp>
#include <headwise/core/attention/attention_probe.hpp>
#include <headwise/core/attention/layer_cache.hpp>
#include <headwise/core/attention/layer_options.hpp>
#include <headwise/core/attention/layer_parameters.hpp>
#include <headwise/core/attention/pooling_arguments.hpp>
#include <headwise/core/attention/saved_activations.hpp>
#include <headwise/core/memory/aligned_floats.hpp>
#include <headwise/core/memory/arena.hpp>
#include <headwise/core/memory/in_use.hpp>
#include <headwise/core/training/trainable.hpp>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace headwise {

/// Memory for the intermediate results to capture; null for the others.
struct CapturedActivations {
  float* queries = nullptr;  ///< (batch, heads, queries, head size), after rotation
  float* keys = nullptr;     ///< (batch, key-value heads, keys, head size), cached ones included
  float* values = nullptr;   ///< as the keys
  /// (batch, heads, queries, keys + extra slots), scaled, capped and masked
  float* scores = nullptr;
  float* pooled = nullptr;           ///< (batch, heads, queries, head size), before the gates
  float* dropped_weights = nullptr;  ///< as the scores: the weights after dropout
};

/// Arguments of a forward pass; the caller has checked them and owns all memory.
struct ForwardArguments {
  /// Sizes of the inputs' last axes, for a layer that infers them.
  InputSizes input_sizes{};
  const float* queries = nullptr;  ///< (batch, queries, query_size)
  const float* keys = nullptr;     ///< (batch, new keys, key_size)
  const float* values = nullptr;   ///< (batch, new keys, value_size)
  std::size_t num_new_keys = 0;
  /// Of a layer with rotary positions: row i of the sample's queries and new keys stands at
  /// positions[sample · positions_sample_stride + i]; null: at (cached keys) + i.
  const std::int32_t* positions = nullptr;
  std::size_t positions_sample_stride = 0;
  /// What `rotations_into` writes for these positions, row [sample · positions_sample_stride + i];
  /// null: the layer computes them.
  const float* rotations = nullptr;
  /// Its keys are the cached ones and the new ones.
  const AttentionMask* mask = nullptr;
  const float* head_gate = nullptr;  ///< entry [sample · gate_stride + head], or null
  std::size_t gate_stride = 0;
  LayerCache* cache = nullptr;
  float* output = nullptr;  ///< (batch, queries, output_size)
  WeightsOutput weights{};
  float* key_mass = nullptr;  ///< (batch, heads, keys + extra slots) or null
  CapturedActivations captured{};
  AttentionProbe* probe = nullptr;  ///< of a model's layer; null for none
  Arena* arena = nullptr;           ///< of the size of `lay_out_forward`, for `num_threads`
  /// Threads that may compute, the calling one included.
  std::size_t num_threads = 1;
  /// Whether to save activations for `backward_into`. Without a cache.
  bool requires_grad = false;
  /// Whether the caller's inputs have a batch axis, which `pending_has_batch_axis` returns.
  bool has_batch_axis = true;
};

/// What a forward pass keeps in its layer, allocated before anything is changed.
struct ForwardMemory {
  std::optional<LayerParameters> parameters;  ///< for a layer that infers its sizes
  AlignedFloats gradients;                    ///< zeros, for a layer that has none yet
  std::optional<SavedActivations> saved;      ///< for a pass that requires gradients
};

/// What is left of a layer without the removed heads, allocated before anything is changed.
struct PrunedLayer {
  LayerSettings settings;
  LayerParameters parameters;
  AlignedFloats gradients;
  ParameterTable old_table;
  AlignedFloats values;                      ///< in its layout
  std::vector<RemovedSlice> slices;          ///< of this removal
  std::vector<RemovedSlice> removed_slices;  ///< with all earlier ones
};

/// Arguments of a backward pass, for the latest forward that required gradients. All that they
/// point to is written, except `grad_output`.
struct BackwardArguments {
  const float* grad_output = nullptr;  ///< of the output's shape
  float* queries = nullptr;            ///< of the input's shape, as are the next two
  float* keys = nullptr;
  float* values = nullptr;
  float* head_gate = nullptr;               ///< (batch, heads)
  AttentionGradientProbe* probe = nullptr;  ///< if the forward pass had one that replaced something
  Arena* arena = nullptr;  ///< of the size of `lay_out_backward`, for `num_threads`
  std::size_t num_threads = 1;
};

/// The sizes that determine the working memory of a pass.
struct PassSizes {
  std::size_t batch = 0;
  std::size_t num_queries = 0;
  std::size_t num_keys = 0;  ///< cached and new ones
  std::size_t num_threads = 1;
  /// Whether a forward pass sums the weights on each key.
  bool key_mass = false;
  /// Whether it reads a KV cache of integers.
  bool quantized = false;
};

/// The layer, for callers who check arguments and own memory themselves: `MultiHeadAttention` and
/// the bindings.
class AttentionLayer : public Trainable {
 public:
  /// Initializes the parameters if the options give all input sizes.
  explicit AttentionLayer(const MultiHeadAttentionOptions& options,
                          InitialParameters initial = InitialParameters::random);
  AttentionLayer(const AttentionLayer&) = default;
  AttentionLayer(AttentionLayer&&) = default;
  AttentionLayer& operator=(const AttentionLayer&) = delete;
  AttentionLayer& operator=(AttentionLayer&&) = default;
  virtual ~AttentionLayer() = default;

  [[nodiscard]] bool in_use() const noexcept override { return static_cast<bool>(in_use_); }
  [[nodiscard]] const LayerSettings& settings() const noexcept { return settings_; }
  /// Size of all heads together; pruning reduces it.
  [[nodiscard]] std::size_t num_hiddens() const noexcept { return settings_.num_hiddens; }
  [[nodiscard]] std::size_t num_heads() const noexcept { return settings_.num_heads; }
  [[nodiscard]] std::uint64_t seed() const noexcept { return settings_.seed; }
  /// Empty while the size is still to be inferred.
  [[nodiscard]] std::optional<std::size_t> query_size() const noexcept { return query_size_; }
  [[nodiscard]] std::optional<std::size_t> key_size() const noexcept { return key_size_; }
  [[nodiscard]] std::optional<std::size_t> value_size() const noexcept { return value_size_; }
  [[nodiscard]] std::uint64_t identity() const noexcept override { return identity_.value(); }
  [[nodiscard]] bool training() const noexcept { return training_; }
  /// Switches dropout on (training mode) or off (a new layer).
  void set_training(bool training) noexcept { training_ = training; }

  /// Sets the input sizes, which must agree with those already known, and initializes the
  /// parameters.
  void initialize(const InputSizes& sizes, InitialParameters initial = InitialParameters::random);
  /// Requires that all sizes are known.
  [[nodiscard]] InputSizes input_sizes() const noexcept {
    return {.query_size = *query_size_, .key_size = *key_size_, .value_size = *value_size_};
  }
  /// Empty until all sizes are known. Call `parameters_changed` after writing.
  [[nodiscard]] std::optional<LayerParameters>& parameters() noexcept { return parameters_; }
  [[nodiscard]] const std::optional<LayerParameters>& parameters() const noexcept {
    return parameters_;
  }
  /// Replaces the parameters by those for these sizes.
  void set_parameters(LayerParameters&& parameters, const InputSizes& sizes) noexcept;

  /// Working memory of a forward pass; buffers that it does not need are empty.
  struct ForwardBuffers {
    float* Q;            ///< (batch, queries, query width)
    float* K;            ///< (batch, new keys, key-value width)
    float* V;            ///< (batch, new keys, key-value width)
    float* rotations;    ///< (batch or 1, queries or new keys, rotary size)
    std::uint8_t* read;  ///< (batch, keys): whether some query reads the key
    float* gated;        ///< (batch, queries, query width), what W_o projects
  };
  ForwardBuffers lay_out_forward(Arena& arena, const PassSizes& sizes) const noexcept;
  /// Allocates what a pass will keep, without a visible change.
  [[nodiscard]] ForwardMemory allocate(const ForwardArguments& arguments);
  /// Runs a forward pass and keeps `memory`, which was allocated for these arguments. They are not
  /// checked.
  void forward_into(const ForwardArguments& arguments, ForwardMemory&& memory) noexcept;

  [[nodiscard]] PendingBackward pending_backward() const noexcept { return pending_; }
  /// How many forwards have required gradients: tells whether the latest one is that of a caller.
  [[nodiscard]] std::uint64_t num_saved_passes() const noexcept { return num_saved_passes_; }
  /// Batch, queries and keys of the latest forward that required gradients.
  [[nodiscard]] const AttentionMask& pending_sizes() const noexcept { return saved_->sizes(); }
  /// Whether the inputs of that forward had a batch axis.
  [[nodiscard]] bool pending_has_batch_axis() const noexcept { return saved_->has_batch_axis(); }
  /// Working memory of a backward pass; buffers that it does not need are empty.
  struct BackwardBuffers {
    float* Q;  ///< gradients of the projections, of their shapes
    float* K;
    float* V;
    float* gated;   ///< (batch, queries, query width), of what W_o projected
    float* bias_k;  ///< (batch, key-value width), to be summed
    float* bias_v;
    // Of additive scores, (batch, key-value heads, …), to be summed.
    float* attention_W_q;
    float* attention_W_k;
    float* attention_w_v;
  };
  BackwardBuffers lay_out_backward(Arena& arena, const PassSizes& sizes) const noexcept;
  /// Runs the pending backward pass. Neither it nor the arguments are checked.
  void backward_into(const BackwardArguments& arguments) noexcept;
  /// A parameter's gradient by its number; null if the layer has no such parameter, or no gradients
  /// yet.
  [[nodiscard]] float* gradient(std::size_t number) noexcept {
    return parameters_ ? parameters_->find(gradients_.data(), number) : nullptr;
  }

  /// Allocates the layer without these heads; changes nothing. Heads are in ascending order, each
  /// once, and were checked.
  [[nodiscard]] PrunedLayer allocate_without(std::span<const std::size_t> heads) const;
  /// Replaces the layer by what `allocate_without` returned.
  void remove_heads(PrunedLayer&& pruned) noexcept;

  /// Which heads were removed, ascending, by the numbers that they had in the whole layer.
  [[nodiscard]] std::vector<std::size_t> removed_heads() const;

  [[nodiscard]] std::string_view weights_precision() const noexcept override {
    return name_of(settings_.weights);
  }
  [[nodiscard]] const ParameterTable& parameter_table() const noexcept override;
  [[nodiscard]] float* parameter_values() override {
    return parameters_ ? parameters_->stored().row_major() : nullptr;
  }
  [[nodiscard]] float* parameter_gradients() noexcept override { return gradients_.data(); }
  [[nodiscard]] const float* parameter_gradients() const noexcept { return gradients_.data(); }
  void parameters_changed() noexcept override;
  [[nodiscard]] std::span<const RemovedSlice> removed_slices() const noexcept override {
    return removed_slices_;
  }

 private:
  [[nodiscard]] SavedActivations::Sizes saved_sizes(
      const InputSizes& inputs, const ForwardArguments& arguments) const noexcept;
  /// Rows of the table of rotations; 0 without rotary positions.
  [[nodiscard]] std::size_t rotation_rows(const ForwardArguments& arguments) const noexcept;
  /// The table of a pass: that of the arguments, or computed in `memory`, which holds it afterwards
  /// if `is_kept`.
  const float* rotations_of(const ForwardArguments& arguments, float* memory,
                            bool is_kept) const noexcept;
  [[nodiscard]] PoolingSizes pooling_sizes(const PassSizes& sizes) const noexcept;
  /// Dropout of the next forward.
  [[nodiscard]] Dropout dropout() const noexcept;
  void keep(ForwardMemory&& memory, const InputSizes& inputs) noexcept;
  /// Arguments of pooling for queries (batch, queries, query width) and the heads of keys and
  /// values. The mask must outlive them.
  [[nodiscard]] PoolingArguments pooling_arguments(const AttentionMask& mask, const float* Q,
                                                   const HeadsView<const float>& keys,
                                                   const HeadsView<const float>& values,
                                                   float* pooled) const noexcept;
  [[nodiscard]] Scoring scoring() const noexcept;
  /// gated = each head times its gate, entry [sample · gate_stride + head]; null is 1.
  void gate_heads(const AttentionMask& mask, const float* heads, const float* head_gate,
                  std::size_t gate_stride, float* gated) const noexcept;

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
  std::optional<SavedActivations> saved_;
  PendingBackward pending_ = PendingBackward::none;
  std::uint64_t num_saved_passes_ = 0;
  /// A block in the layout of the parameters' table; empty before the first pass that requires
  /// gradients.
  AlignedFloats gradients_;
  std::vector<RemovedSlice> removed_slices_;
};

}  // namespace headwise
