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

/// What one layer of a pass is given and gives, each null for none.
struct TransformerLayerPass {
  const float* head_gate = nullptr;  ///< entry [sample · gate_stride + head]
  std::size_t gate_stride = 0;
  float* attention_weights = nullptr;   ///< (batch, heads, length, length)
  float* head_gate_gradient = nullptr;  ///< (batch, heads)
};

/// One pass for callers who own all memory and have checked everything.
struct TransformerPass {
  const std::int32_t* tokens = nullptr;   ///< (batch, length)
  const std::int32_t* targets = nullptr;  ///< (batch, length), of a pass with a loss
  std::size_t batch = 0;
  std::size_t length = 0;
  std::span<const TransformerLayerPass> layers = {};  ///< one a layer, or none at all
  float* logits = nullptr;                            ///< (batch, length, vocabulary), of `forward`
  Arena* arena = nullptr;  ///< of what `lay_out_forward`, or `lay_out_loss`, takes
  std::size_t num_threads = 1;
};

/// What a pass leaves in its model, allocated before anything is changed.
struct TransformerMemory {
  AlignedFloats own_gradients;
  std::vector<ForwardMemory> layers;
};

/// An attention-only transformer for callers who check arguments and own memory themselves. Its
/// parameters and layers are the caller's and stay where they are.
class TransformerCore {
 public:
  TransformerCore(bool causal, ModelParameters& own, std::vector<AttentionLayer*> layers) noexcept
      : causal_(causal), own_(&own), layers_(std::move(layers)) {}

  [[nodiscard]] bool causal() const noexcept { return causal_; }
  [[nodiscard]] ModelParameters& own_parameters() noexcept { return *own_; }
  [[nodiscard]] std::size_t num_layers() const noexcept { return layers_.size(); }
  [[nodiscard]] AttentionLayer& layer(std::size_t number) noexcept { return *layers_[number]; }
  [[nodiscard]] bool training() const noexcept {
    return !layers_.empty() && layers_.front()->training();
  }
  void set_training(bool training) noexcept;
  void zero_gradients() noexcept;
  /// Parameters of the model or its layers were written.
  void parameters_changed() noexcept;
  /// What an optimizer trains: the model's own parameters, then layer by layer.
  [[nodiscard]] std::vector<Trainable*> trainables() const;

  /// Working memory of a pass. Where no shape is told, a part is (batch, length, num_hiddens).
  struct ForwardBuffers {
    float* residual;
    float* normalized;
    float* attended;
  };
  ForwardBuffers lay_out_forward(Arena& arena, std::size_t batch, std::size_t length,
                                 std::size_t num_threads) const noexcept;
  struct LossBuffers {
    float* normalized;
    float* attended;
    float* residuals;  ///< (layers + 1, batch, length, num_hiddens), before each layer, at the end
    float* gathered;   ///< (target rows, num_hiddens), the end of the residual stream
    float* features;   ///< the same normalized, if the model does that
    float* gradient;   ///< of the residual stream, from its end to its beginning
    float* queries;    ///< gradients of a layer's inputs
    float* keys;
    float* values;
    float* logits;         ///< (target rows, vocabulary)
    float* losses;         ///< (target rows,)
    float* gate_gradient;  ///< (batch, heads), where nobody asks for it
    std::int32_t* target_rows;
    std::int32_t* targets;  ///< (target rows,)
  };
  LossBuffers lay_out_loss(Arena& arena, std::size_t batch, std::size_t length,
                           std::size_t num_threads) const noexcept;

  void forward_into(const TransformerPass& pass) noexcept;
  [[nodiscard]] double loss_into(const TransformerPass& pass) noexcept;
  /// Allocates whatever gradients take, and changes nothing.
  [[nodiscard]] TransformerMemory allocate(const TransformerPass& pass) const;
  /// Adds to the gradients of the parameters. Keeps `memory`, which was allocated for this pass.
  [[nodiscard]] double loss_and_gradients_into(const TransformerPass& pass,
                                               TransformerMemory&& memory) noexcept;
  /// A whole step of training; nothing was changed where memory does not suffice.
  double train_step_into(const TransformerPass& pass, OptimizerCore& optimizer);
  /// Heads of every layer as `allocate_without` of a layer takes them; all or none are removed.
  void remove_heads(std::span<const std::vector<std::size_t>> heads);

 private:
  void embed(const TransformerPass& pass, float* x) const noexcept;
  /// What a layer is told but for its inputs and memory.
  [[nodiscard]] ForwardArguments layer_arguments(const TransformerPass& pass, std::size_t layer,
                                                 const AttentionMask& mask) const noexcept;
  [[nodiscard]] AttentionMask mask_of(const TransformerPass& pass) const noexcept;
  /// Where `apply_layer` works.
  struct LayerBuffers {
    float* normalized;
    float* attended;
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
  ModelParameters* own_;
  std::vector<AttentionLayer*> layers_;
};

}  // namespace headwise
