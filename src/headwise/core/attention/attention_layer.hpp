#pragma once

#include <cstddef>
#include <cstdint>
#include <headwise/core/attention/attention_mask.hpp>
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
#include <vector>

namespace headwise {

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
  LayerCache* cache = nullptr;
  float* output = nullptr;             ///< (batch, queries, output_size)
  float* attention_weights = nullptr;  ///< (batch, heads, queries, keys + extra slots) or null
  WeightsStage weights_stage = WeightsStage::softmax;
  Arena* arena = nullptr;  ///< of what `lay_out_forward` takes for `num_threads`
  /// Threads that may compute, the calling one among them.
  std::size_t num_threads = 1;
  /// Whether to keep what `backward_into` needs. Without a cache.
  bool requires_grad = false;
};

/// What a forward pass leaves in its layer, allocated before anything is changed.
struct ForwardMemory {
  std::optional<LayerParameters> parameters;  ///< of a layer that infers its sizes
  AlignedFloats gradients;                    ///< zeros, of a layer that has none yet
  std::optional<SavedActivations> saved;      ///< of a pass that requires gradients
};

/// What is left of a layer when heads are removed, allocated likewise.
struct PrunedLayer {
  LayerSettings settings;
  LayerParameters parameters;
  AlignedFloats gradients;
  ParameterTable old_table;
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
  Arena* arena = nullptr;      ///< of what `lay_out_backward` takes for `num_threads`
  std::size_t num_threads = 1;
};

/// What the working memory of a pass depends on.
struct PassSizes {
  std::size_t batch = 0;
  std::size_t num_queries = 0;
  std::size_t num_keys = 0;  ///< cached and new ones
  std::size_t num_threads = 1;
};

/// The layer for callers who check arguments and own memory themselves: the checked functions of
/// `MultiHeadAttention`, and the bindings.
class AttentionLayer : public Trainable {
 public:
  /// Draws the parameters if the options tell all input sizes.
  explicit AttentionLayer(const MultiHeadAttentionOptions& options);
  AttentionLayer(const AttentionLayer&) = default;
  AttentionLayer(AttentionLayer&&) = default;
  AttentionLayer& operator=(const AttentionLayer&) = delete;
  AttentionLayer& operator=(AttentionLayer&&) = default;
  virtual ~AttentionLayer() = default;

  [[nodiscard]] bool in_use() const noexcept override { return static_cast<bool>(in_use_); }
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
  [[nodiscard]] bool training() const noexcept { return training_; }
  /// Switches dropout on (training mode) or off (a new layer).
  void set_training(bool training) noexcept { training_ = training; }

  /// Fixes the input sizes and draws the parameters from the seed. Sizes fit those known already.
  void initialize(const InputSizes& sizes);
  /// All sizes are known.
  [[nodiscard]] InputSizes input_sizes() const noexcept {
    return {.query_size = *query_size_, .key_size = *key_size_, .value_size = *value_size_};
  }
  /// Empty until all sizes are known. Whoever writes calls `parameters_changed`.
  [[nodiscard]] std::optional<LayerParameters>& parameters() noexcept { return parameters_; }
  [[nodiscard]] const std::optional<LayerParameters>& parameters() const noexcept {
    return parameters_;
  }
  /// Takes over parameters for these sizes.
  void set_parameters(LayerParameters&& parameters, const InputSizes& sizes) noexcept;

  /// Working memory of a forward pass; of what the pass does not need, nothing.
  struct ForwardBuffers {
    float* Q;            ///< (batch, queries, query width)
    float* K;            ///< (batch, new keys, key-value width)
    float* V;            ///< (batch, new keys, key-value width)
    std::uint8_t* read;  ///< (batch, keys): whether some query reads the key
    float* gated;        ///< (batch, queries, query width), what W_o projects
  };
  ForwardBuffers lay_out_forward(Arena& arena, const PassSizes& sizes) const noexcept;
  /// Allocates whatever a pass will keep, and changes nothing.
  [[nodiscard]] ForwardMemory allocate(const ForwardArguments& arguments) const;
  /// Keeps `memory`, which was allocated for these arguments. Valid arguments are the caller's
  /// business.
  void forward_into(const ForwardArguments& arguments, ForwardMemory&& memory) noexcept;

  [[nodiscard]] PendingBackward pending_backward() const noexcept { return pending_; }
  /// Of what the latest forward with gradients saved: batch, queries and keys.
  [[nodiscard]] const AttentionMask& pending_sizes() const noexcept { return saved_->sizes(); }
  /// Working memory of a backward pass, likewise.
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
  /// A pending backward and valid arguments are the caller's business.
  void backward_into(const BackwardArguments& arguments) noexcept;
  /// A parameter's gradient by its number; null if there is none of that name, or none yet.
  [[nodiscard]] float* gradient(std::size_t number) noexcept {
    return parameters_ ? parameters_->find(gradients_.data(), number) : nullptr;
  }

  /// Allocates what the layer is without these heads, and changes nothing. Heads are in ascending
  /// order, each once, and may be removed.
  [[nodiscard]] PrunedLayer allocate_without(std::span<const std::size_t> heads) const;
  /// Keeps what `allocate_without` gave.
  void remove_heads(PrunedLayer&& pruned) noexcept;

  [[nodiscard]] const ParameterTable& parameter_table() const noexcept override;
  [[nodiscard]] float* parameter_values() noexcept override {
    return parameters_ ? parameters_->values() : nullptr;
  }
  [[nodiscard]] float* parameter_gradients() noexcept override { return gradients_.data(); }
  [[nodiscard]] const float* parameter_gradients() const noexcept { return gradients_.data(); }
  void parameters_changed() noexcept override;
  [[nodiscard]] std::span<const RemovedSlice> removed_slices() const noexcept override {
    return removed_slices_;
  }

 private:
  [[nodiscard]] SavedActivations::Sizes saved_sizes(const InputSizes& inputs) const noexcept;
  [[nodiscard]] PoolingSizes pooling_sizes(std::size_t num_keys) const noexcept;
  /// Of the next forward.
  [[nodiscard]] Dropout dropout() const noexcept;
  void keep(ForwardMemory&& memory, const InputSizes& inputs) noexcept;
  /// What pooling is told: queries (batch, queries, query width), and where the heads of keys and
  /// values lie. The mask must outlive it.
  [[nodiscard]] PoolingArguments pooling_arguments(const AttentionMask& mask, const float* Q,
                                                   const HeadsView<const float>& keys,
                                                   const HeadsView<const float>& values,
                                                   float* pooled) const noexcept;
  [[nodiscard]] Scoring scoring() const noexcept;

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
  /// As the parameters' table has them; none before the first pass that requires them.
  AlignedFloats gradients_;
  std::vector<RemovedSlice> removed_slices_;
};

}  // namespace headwise
