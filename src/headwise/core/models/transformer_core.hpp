#pragma once

#include <cstddef>
#include <cstdint>
#include <headwise/core/attention/attention_layer.hpp>
#include <headwise/core/memory/arena.hpp>
#include <headwise/core/models/model_parameters.hpp>
#include <headwise/core/training/optimizer_core.hpp>
#include <span>
#include <vector>

namespace headwise {

/// Inputs and outputs of one layer in a pass; null for none.
struct TransformerLayerPass {
  const float* head_gate = nullptr;  ///< entry [sample · gate_stride + head]
  std::size_t gate_stride = 0;
  float* attention_weights = nullptr;   ///< (batch, heads, length, length)
  float* head_gate_gradient = nullptr;  ///< (batch, heads)
};

/// Arguments of a pass; the caller has checked them and owns all memory.
struct TransformerPass {
  const std::int32_t* tokens = nullptr;   ///< (batch, length)
  const std::int32_t* targets = nullptr;  ///< (batch, length), of a pass with a loss
  std::size_t batch = 0;
  std::size_t length = 0;
  std::span<const TransformerLayerPass> layers = {};  ///< one per layer, or empty
  float* logits = nullptr;                            ///< (batch, length, vocabulary), of `forward`
  Arena* arena = nullptr;  ///< of the size of `lay_out_forward`, or `lay_out_loss`
  std::size_t num_threads = 1;
};

/// What a pass keeps in its model, allocated before anything is changed.
struct TransformerMemory {
  AlignedFloats parameter_gradients;
  std::vector<ForwardMemory> layers;
};

/// An attention-only transformer for callers who check arguments and own memory themselves. The
/// caller owns its parameters and layers, which must not move.
class TransformerCore {
 public:
  TransformerCore(bool causal, ModelParameters& parameters,
                  std::vector<AttentionLayer*> layers) noexcept
      : causal_(causal), parameters_(&parameters), layers_(std::move(layers)) {}

  [[nodiscard]] bool causal() const noexcept { return causal_; }
  [[nodiscard]] ModelParameters& own_parameters() noexcept { return *parameters_; }
  [[nodiscard]] std::size_t num_layers() const noexcept { return layers_.size(); }
  [[nodiscard]] AttentionLayer& layer(std::size_t number) noexcept { return *layers_[number]; }
  [[nodiscard]] bool training() const noexcept {
    return !layers_.empty() && layers_.front()->training();
  }
  void set_training(bool training) noexcept;
  void zero_gradients() noexcept;
  /// Must be called after parameters of the model or its layers were written.
  void parameters_changed() noexcept;
  /// What an optimizer trains: the model's own parameters, then layer by layer.
  [[nodiscard]] std::vector<Trainable*> trainables() const;

  /// Working memory of a pass. Unless stated otherwise, shapes are (batch, length, num_hiddens).
  struct ForwardBuffers {
    float* residual;
    float* normalized;
    float* attention_output;
  };
  ForwardBuffers lay_out_forward(Arena& arena, std::size_t batch, std::size_t length,
                                 std::size_t num_threads) const noexcept;
  struct LossBuffers {
    float* normalized;
    float* attention_output;
    float* residuals;  ///< (layers + 1, batch, length, num_hiddens), before each layer, at the end
    float* gathered;   ///< (target rows, num_hiddens), the end of the residual stream
    float* features;   ///< their layer norm, if the model has it
    float* gradient;   ///< of the residual stream, from its end to its beginning
    float* queries;    ///< gradients of a layer's inputs
    float* keys;
    float* values;
    float* logits;         ///< (target rows, vocabulary)
    float* losses;         ///< (target rows,)
    float* gate_gradient;  ///< (batch, heads), where the caller wants none
    std::int32_t* target_rows;
    std::int32_t* targets;  ///< (target rows,)
  };
  LossBuffers lay_out_loss(Arena& arena, std::size_t batch, std::size_t length,
                           std::size_t num_threads) const noexcept;

  void forward_into(const TransformerPass& pass) noexcept;
  [[nodiscard]] double loss_into(const TransformerPass& pass) noexcept;
  /// Allocates what gradients need; changes nothing.
  [[nodiscard]] TransformerMemory allocate(const TransformerPass& pass) const;
  /// Adds to the gradients of the parameters, and keeps `memory`, which was allocated for this
  /// pass.
  [[nodiscard]] double loss_and_gradients_into(const TransformerPass& pass,
                                               TransformerMemory&& memory) noexcept;
  /// One step of training. If memory does not suffice, nothing is changed.
  double train_step_into(const TransformerPass& pass, OptimizerCore& optimizer);
  /// Removes heads, listed for every layer as for its `allocate_without`; all or none.
  void remove_heads(std::span<const std::vector<std::size_t>> heads);

 private:
  void embed(const TransformerPass& pass, float* x) const noexcept;
  /// A layer's arguments except for inputs and memory.
  [[nodiscard]] ForwardArguments layer_arguments(const TransformerPass& pass, std::size_t layer,
                                                 const AttentionMask& mask) const noexcept;
  [[nodiscard]] AttentionMask mask_of(const TransformerPass& pass) const noexcept;
  /// Working memory of `apply_layer`.
  struct LayerBuffers {
    float* normalized;
    float* attention_output;
  };
  void apply_layer(const TransformerPass& pass, std::size_t layer, const float* x, float* y,
                   ForwardMemory* memory, const LayerBuffers& buffers) noexcept;
  void layer_backward(const TransformerPass& pass, std::size_t layer, const float* x,
                      const LossBuffers& buffers) noexcept;
  void add_embedding_gradients(const TransformerPass& pass, const float* gradient) noexcept;
  double forward_loss(const TransformerPass& pass, const LossBuffers& buffers,
                      TransformerMemory* memory, std::size_t& target_rows) noexcept;
  void backward(const TransformerPass& pass, const LossBuffers& buffers,
                std::size_t target_rows) noexcept;

  bool causal_;
  ModelParameters* parameters_;
  std::vector<AttentionLayer*> layers_;
};

}  // namespace headwise
