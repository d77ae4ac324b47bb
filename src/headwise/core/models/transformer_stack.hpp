#pragma once

#include <cstddef>
#include <cstdint>
#include <headwise/core/attention/attention_layer.hpp>
#include <headwise/core/memory/arena.hpp>
#include <headwise/core/models/activations.hpp>
#include <headwise/core/models/feed_forward.hpp>
#include <headwise/core/models/layer_probe.hpp>
#include <headwise/core/models/model_parameters.hpp>
#include <span>

namespace headwise {

/// The sizes that determine the memory of a model's pass, or of a stack's.
struct ModelPassSizes {
  std::size_t batch = 1;
  std::size_t length = 0;
  std::size_t num_keys = 0;         ///< cached and new ones
  std::size_t source_length = 0;    ///< of the source given
  std::size_t num_source_keys = 0;  ///< cached and new ones
  bool has_batch_axis = true;       ///< whether inputs and gradients have one
  bool has_embeddings = false;      ///< given in place of tokens
  bool quantized = false;           ///< whether KV caches are of integers
  /// A bit for each name that takes working memory: those of all patches, and `buffered_captures`.
  std::uint32_t probed = 0;
  std::size_t num_threads = 1;

  [[nodiscard]] const ModelPassSizes& sizes() const noexcept { return *this; }
  /// Those of the encoder's pass.
  [[nodiscard]] ModelPassSizes of_encoder() const noexcept {
    ModelPassSizes result = *this;
    result.length = result.num_keys = source_length;
    result.source_length = result.num_source_keys = 0;
    result.quantized = false;
    return result;
  }
  [[nodiscard]] std::size_t rows() const noexcept { return batch * length; }
  [[nodiscard]] bool probes(ActivationName name) const noexcept {
    return (probed & bit_of(name)) != 0;
  }
};

/// Inputs and outputs of one attention layer in a pass; null for none.
struct AttentionPass {
  const float* head_gate = nullptr;  ///< entry [sample · gate_stride + head]
  std::size_t gate_stride = 0;
  WeightsOutput weights{};
  float* head_gate_gradient = nullptr;  ///< (batch, heads)
};

/// One kind of attention layers of a stack in a pass; spans have one entry a layer, or none.
struct AttentionPasses {
  Side side = Side::self;
  AttentionMask mask = {};
  std::span<const AttentionPass> layers = {};
  std::span<LayerCache> caches = {};
  /// Allocated memory of the layers, for a pass that requires gradients.
  std::span<ForwardMemory> memory = {};
  /// In place of the mask's.
  std::span<const MaskRules> rules = {};
  std::size_t num_new_keys = 0;
  /// Of cross-attention: the encoder's output, (batch, source length, num_hiddens); null if caches
  /// hold its keys.
  const float* source = nullptr;
  /// Cosines and sines of the positions, for rotary layers; else null.
  const float* rotations = nullptr;
  /// Rows from one sample's rotations to the next one's; 0 where all samples share them.
  std::size_t rotations_sample_stride = 0;

  /// Arguments of a layer without its inputs and output. They point to its mask, which is written
  /// to `of_layer`.
  [[nodiscard]] ForwardArguments arguments_of(std::size_t layer,
                                              AttentionMask& of_layer) const noexcept;
};

/// Arguments of a pass through the layers of an encoder or a decoder.
struct StackPass : ModelPassSizes {
  AttentionPasses self = {};
  AttentionPasses cross = {};
  /// What the pass captures and patches, under the names of `self.side`.
  PassProbe probe = {};
  /// The layer that x enters; those before it do not run.
  std::size_t first_layer = 0;
  /// The positions whose rows go through the last feed-forward layer, and are the output; empty is
  /// all.
  std::span<const std::int32_t> last_positions = {};
  Arena* arena = nullptr;

  [[nodiscard]] std::size_t num_last_positions() const noexcept {
    return last_positions.empty() ? length : last_positions.size();
  }
};

/// What a pass through a stack saves for its backward pass. Sublayers are attention,
/// cross-attention and feed-forward layers in their order.
struct SavedStack {
  float* streams =
      nullptr;  ///< (sublayers + 1, batch, length, num_hiddens), before each, at the end
  /// (sublayers, batch, length, num_hiddens), what the norm behind them reads
  float* sums = nullptr;
  float* hiddens = nullptr;  ///< of the feed-forward layers, `FeedForwardHiddens` each
};

/// A sublayer: its norms, and what it adds to the stream.
struct Sublayer {
  const ModelParameters::SublayerNorms& norms;
  ActivationPlace added;
};

/// The attention and feed-forward layers of an encoder or a decoder: x +
/// post_norm(sublayer(norm(x))) or norm(x + sublayer(x)). It owns nothing that it points to.
class TransformerStack {
 public:
  TransformerStack(ModelParameters& parameters, const ModelParameters::Stack& indices,
                   const StackSettings& settings, std::span<AttentionLayer* const> self,
                   std::span<AttentionLayer* const> cross) noexcept
      : parameters_(&parameters),
        indices_(&indices),
        settings_(&settings),
        self_(self),
        cross_(cross) {}

  [[nodiscard]] std::span<AttentionLayer* const> self_layers() const noexcept { return self_; }
  [[nodiscard]] const ModelParameters::Stack& indices() const noexcept { return *indices_; }
  /// The largest number of heads of a layer.
  [[nodiscard]] std::size_t max_heads() const noexcept;

  [[nodiscard]] SavedStack lay_out_saved(Arena& arena, const ModelPassSizes& sizes) const noexcept;

  /// The output of the last layer in the saved activations of a pass with `rows` rows.
  [[nodiscard]] const float* output_of(const SavedStack& saved, std::size_t rows) const noexcept {
    return saved.streams + num_sublayers() * rows * parameters_->settings().num_hiddens;
  }

  /// Working memory of a pass. Shapes are (batch, length, num_hiddens).
  struct ForwardBuffers {
    float* normalized;
    float* output;
    float* parallel;  ///< what a feed-forward layer beside the attention reads; null without
    LayerProbeBuffers probe;  ///< large enough for every layer
  };
  ForwardBuffers lay_out_forward(Arena& arena, const ModelPassSizes& sizes) const noexcept;
  /// Turns the embedded input x (batch, length, num_hiddens) into the output of the last layer,
  /// before the final norm. Without `saved`, in place; else x is `saved->streams`, and the output
  /// at their end. Returns the output, of the pass's last positions.
  float* forward(const StackPass& pass, float* x, const SavedStack* saved) noexcept;

  struct BackwardBuffers {
    float* normalized;  ///< (batch, length, num_hiddens), as are the next three
    float* queries;
    float* grad_sum;
    float* keys;  ///< (batch, max(length, source length), num_hiddens)
    float* values;
    float* gate_gradient;  ///< (batch, heads), where the caller wants none
    /// (batch, length, num_hiddens), of the inputs of feed-forward layers beside the attention
    float* parallel;
  };
  BackwardBuffers lay_out_backward(Arena& arena, const ModelPassSizes& sizes) const noexcept;
  /// Turns the gradient of the output into that of the input, and adds to the gradients of all
  /// parameters and to `source_gradient`, of the encoder's output.
  void backward(const StackPass& pass, const SavedStack& saved, float* gradient,
                float* source_gradient) noexcept;

 private:
  [[nodiscard]] std::size_t num_sublayers() const noexcept;
  [[nodiscard]] FeedForwardHiddens hiddens_of(const SavedStack& saved, std::size_t layer,
                                              std::size_t rows) const noexcept;
  /// function(layer, sizes of its pass) for all attention layers.
  template <typename Function>
  void for_each_layer(const ModelPassSizes& sizes, const Function& function) const noexcept;
  template <typename Function>
  void forward_sublayer(const Sublayer& of, const StackPass& pass, const ForwardBuffers& buffers,
                        float*& x, const SavedStack* saved, std::size_t sublayer,
                        const Function& function) const noexcept;
  /// Moves the rows of the last positions to the front of x, by way of a buffer as large.
  void keep_last_positions(const StackPass& pass, float* x, float* buffer) const noexcept;
  [[nodiscard]] ActivationView stream(const StackPass& pass, float* x) const noexcept;
  template <typename Function>
  void backward_sublayer(const Sublayer& of, const StackPass& pass, const BackwardBuffers& buffers,
                         const SavedStack& saved, std::size_t sublayer, float* gradient,
                         const Function& function) const noexcept;
  /// Whether the sublayer is a feed-forward layer beside the attention before it.
  [[nodiscard]] bool is_parallel(std::size_t sublayer) const noexcept {
    return parameters_->settings().parallel_residual && sublayer % 2 == 1;
  }
  void copy_or_normalize(const ModelParameters::NormIndices& norm, const float* x,
                         const StackPass& pass, float* y) const noexcept;
  void attend(AttentionLayer& layer, const AttentionPasses& passes, std::size_t number,
              const float* inputs, const StackPass& pass,
              const ForwardBuffers& buffers) const noexcept;
  void attend_backward(AttentionLayer& layer, const AttentionPasses& passes, std::size_t number,
                       const float* gradient, const StackPass& pass,
                       const BackwardBuffers& buffers) const noexcept;

  ModelParameters* parameters_;
  const ModelParameters::Stack* indices_;
  const StackSettings* settings_;
  std::span<AttentionLayer* const> self_;
  std::span<AttentionLayer* const> cross_;
};

}  // namespace headwise
