#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <headwise/core/attention/attention_layer.hpp>
#include <headwise/core/attention/parameter_list.hpp>
#include <headwise/core/memory/aligned_floats.hpp>
#include <headwise/core/memory/arena.hpp>
#include <headwise/core/models/model_parameters.hpp>
#include <headwise/core/models/transformer_cache.hpp>
#include <headwise/core/models/transformer_stack.hpp>
#include <headwise/core/training/unchecked_optimizer.hpp>
#include <optional>
#include <span>
#include <vector>

namespace headwise {

/// Arguments of a pass; the caller has checked them and owns all memory.
struct TransformerPass : ModelPassSizes {
  const std::int32_t* tokens = nullptr;    ///< (batch, length)
  const float* pixels = nullptr;           ///< (batch, channels, height, width), in place of tokens
  const std::int32_t* segments = nullptr;  ///< (batch, length); null is all 0
  const std::int32_t* targets = nullptr;   ///< (batch, length), of a pass with a loss
  /// (batch, length, num_hiddens), in place of tokens: the embeddings before positions are added.
  const float* embeddings = nullptr;
  /// Likewise: the residual stream that enters `first_layer`, before which nothing runs.
  const float* stream = nullptr;
  std::size_t first_layer = 0;
  /// Entry [sample · sample_stride + query · query_stride]; null for none.
  const std::int32_t* valid_lens = nullptr;
  std::size_t valid_lens_sample_stride = 0;
  std::size_t valid_lens_query_stride = 0;
  AllowedKeys key_mask = {};             ///< of cached and new tokens; others are padding
  const std::int32_t* source = nullptr;  ///< (batch, source length), the encoder's tokens
  const std::int32_t* source_valid_lens = nullptr;  ///< (batch,), or null
  AllowedKeys source_key_mask = {};
  /// One per layer, or empty.
  BySide<std::span<AttentionPass>> layers = {};
  TransformerCache* cache = nullptr;
  /// What is captured and patched. No patches in passes with a loss.
  PassProbe probe{};
  // Results of `forward_into`; null if they are not wanted.
  float* hidden = nullptr;          ///< (batch, length, num_hiddens)
  float* logits = nullptr;          ///< (batch, length, vocabulary)
  float* encoder_hidden = nullptr;  ///< (batch, source length, num_hiddens)
  /// The positions of hidden states and logits, (batch, positions, …), of a pass that requires no
  /// gradients and neither captures nor patches activations after the last attention; null is all.
  const std::int32_t* positions = nullptr;
  std::size_t num_positions = 0;
  Arena* arena = nullptr;  ///< of the size of the `lay_out_…` function of the pass
};

/// Which streams are unembedded: those before the chosen layers, at the chosen positions.
struct LogitLens {
  const std::int32_t* layers = nullptr;  ///< the number of layers is the end of the last one
  std::size_t num_layers = 0;
  const std::int32_t* positions = nullptr;
  std::size_t num_positions = 0;
  float* logits = nullptr;  ///< (chosen layers, batch, chosen positions, vocabulary)
};

/// What a model holds in memory, without caches and working memory.
struct ModelMemory {
  std::uint64_t num_parameters = 0;  ///< numbers in all parameters
  std::size_t parameter_bytes = 0;   ///< of these, packed for products or not
  std::size_t gradient_bytes = 0;    ///< 0 before the first pass that required gradients
};

/// What each part of a model adds to logit(target) − logit(against) at one position, with the
/// divisors of the final norm and of those behind layers held fixed. Source: direct logit
/// attribution, as in TransformerLens.
struct LogitAttribution {
  const std::int32_t* targets = nullptr;  ///< (batch,)
  const std::int32_t* against = nullptr;  ///< (batch,); null for none
  std::int32_t position = 0;
  float* heads = nullptr;        ///< (batch, layers, `max_heads`), 0 for heads that a layer has not
  float* cross_heads = nullptr;  ///< likewise, of models with an encoder
  float* mlps = nullptr;         ///< (batch, layers)
  float* embeddings = nullptr;   ///< (batch,): tokens, positions and segments
  float* biases = nullptr;       ///< (batch,): of output projections, norms and unembedding
  float* total = nullptr;        ///< (batch,)
};

/// Arguments of the backward pass of a forward that required gradients.
struct TransformerBackward {
  const float* hidden = nullptr;  ///< gradient of the hidden states, or null
  const float* logits = nullptr;  ///< gradient of the logits, or null
  /// One per layer, or empty: their `head_gate_gradient` is written.
  BySide<std::span<AttentionPass>> layers = {};
  float* pixels = nullptr;      ///< of models that read images: written
  float* embeddings = nullptr;  ///< of a pass that was given embeddings: written, or null
  Arena* arena = nullptr;       ///< of the size of `lay_out_backward`
  std::size_t num_threads = 1;
};

/// What the pass of an encoder or a decoder has beside its layers: in working memory, or saved for
/// its backward pass.
struct StackTensors {
  // Copies of those given, (batch, length), if they are saved.
  std::int32_t* tokens;
  std::int32_t* segments;
  std::int32_t* positions;  ///< (batch, length)
  float* patches;           ///< (batch, patches, patch width), of models that read images
  SavedStack layers;        ///< unless it is saved, one stream alone
  float* embedded;          ///< (batch, length, num_hiddens), before the embedding's norm
  float* norm_scales;       ///< (batch, length), what a probed final norm divides by
};

/// The same of a whole model.
struct PassTensors {
  StackTensors decoder;
  StackTensors encoder;
  float* source;  ///< (batch, source length, num_hiddens), the encoder's output
};

/// What one forward pass of a model saves for its backward pass, beside what its attention layers
/// save.
struct SavedPass {
  ModelPassSizes sizes;
  AlignedFloats floats;  ///< of its `PassTensors`
  KeptPatches patches;
  /// Version of the parameters during the pass.
  std::uint64_t version = 0;
  /// Number of the layers' passes at that time.
  std::uint64_t num_layer_passes = 0;
};

/// What a pass keeps in its model, allocated before anything is changed.
struct TransformerMemory {
  AlignedFloats parameter_gradients = {};
  BySide<std::vector<ForwardMemory>> layers = {};
  std::optional<SavedPass> saved = {};
};

/// A transformer for callers who check arguments and own memory themselves. The caller owns its
/// parameters and layers, which must not move.
class UncheckedTransformer {
 public:
  /// Models without an encoder have layers of `Side::self` only.
  UncheckedTransformer(ModelParameters& parameters, BySide<std::vector<AttentionLayer*>> layers);

  [[nodiscard]] const TransformerSettings& settings() const noexcept {
    return parameters_->settings();
  }
  [[nodiscard]] ModelParameters& own_parameters() noexcept { return *parameters_; }
  [[nodiscard]] std::span<AttentionLayer* const> layers(Side side) const noexcept {
    return layers_[side];
  }
  /// function(side, number, layer) for all attention layers.
  template <typename Function>
  void for_each_layer(const Function& function) const {
    for (const Side side : all_sides) {
      for (std::size_t number = 0; number < layers_[side].size(); ++number) {
        function(side, number, *layers_[side][number]);
      }
    }
  }
  void set_training(bool training) noexcept;
  void zero_gradients() noexcept;
  /// Must be called after parameters of the model or its layers were written.
  void parameters_changed() noexcept;
  /// What an optimizer trains: the model's own parameters, then its layers, side by side.
  [[nodiscard]] std::vector<Trainable*> trainables() const;
  /// The model's own parameters, then those of its layers, side by side.
  [[nodiscard]] ParameterList parameters() const;

  struct ForwardBuffers {
    float* rotations;         ///< (batch or 1, length, rotary size), cosines and sines
    float* source_rotations;  ///< (batch or 1, source length, rotary size)
    float* features;          ///< (batch, length, num_hiddens)
    PassTensors tensors;      ///< if nothing is saved for a backward pass
  };
  /// The working memory of a pass, which is less if its results are `saved`.
  ForwardBuffers lay_out_forward(Arena& arena, const ModelPassSizes& sizes,
                                 bool saved) const noexcept;
  struct LossBuffers {
    float* gathered;  ///< (target rows, num_hiddens), what the last layer returns
    float* features;  ///< their norm
    float* logits;    ///< (target rows, vocabulary)
    float* capped;    ///< a copy of them, if their gradient needs one; else null
    float* losses;    ///< (target rows,)
    std::int32_t* target_rows;
    std::int32_t* targets;    ///< (target rows,)
    float* feature_gradient;  ///< (target rows, num_hiddens), as is the next
    float* row_gradient;      ///< of `gathered`
  };
  LossBuffers lay_out_loss(Arena& arena, const ModelPassSizes& sizes,
                           bool gradients) const noexcept;
  struct BackwardBuffers {
    float* features;          ///< (batch, length, num_hiddens)
    float* feature_gradient;  ///< (batch, max(length, source length), num_hiddens)
    float* gradient;          ///< (batch, length, num_hiddens)
    float* source_gradient;   ///< (batch, source length, num_hiddens), of the encoder's output
    float* encoder_gradient;  ///< of its last layer's, and then of its first layer's input
    float* patch_gradient;    ///< (batch, patches, patch width)
    float* logits;  ///< (2, batch, length, vocabulary), capped ones and their gradient, or none
  };
  BackwardBuffers lay_out_backward(Arena& arena, const ModelPassSizes& sizes) const noexcept;

  /// Allocates what a pass that requires gradients keeps; changes nothing.
  [[nodiscard]] TransformerMemory allocate(const TransformerPass& pass) const;
  /// Runs a pass and keeps `memory`, which was allocated for it.
  void forward_into(const TransformerPass& pass, TransformerMemory&& memory = {}) noexcept;
  /// Sizes of the pass whose backward pass is pending; none if there is none, or parameters have
  /// changed since.
  [[nodiscard]] std::optional<ModelPassSizes> pending() const noexcept;
  /// Adds to the gradients of all parameters.
  void backward_into(const TransformerBackward& backward) noexcept;

  /// logits (rows, vocabulary) of features (rows, num_hiddens), which the final norm gave.
  void unembed(const float* features, std::size_t rows, float* logits,
               std::size_t num_threads) const noexcept;

  struct LensBuffers {
    float* streams;   ///< (rows, num_hiddens)
    float* features;  ///< their norm
  };
  /// Working memory of `logit_lens_into`, for `rows` rows of streams.
  LensBuffers lay_out_lens(Arena& arena, const ModelPassSizes& sizes,
                           std::size_t rows) const noexcept;
  void logit_lens_into(const TransformerPass& given, const LogitLens& lens);

  /// How many of a layer's heads `patch_heads_into` patches at once: few passes, of few rows and
  /// logits. `rows` and `logits` are those of one pass.
  [[nodiscard]] static std::size_t heads_at_once(std::size_t num_heads, std::size_t rows,
                                                 std::size_t logits) noexcept;
  /// One pass for each head of the given pass's only patch, side by side. Writes hidden states and
  /// logits, (heads, batch, positions, …). Takes the working memory of a forward pass of `heads`
  /// times the batch.
  void patch_heads_into(const TransformerPass& given);

  [[nodiscard]] ModelMemory memory() const noexcept;

  /// The largest number of heads of a layer.
  [[nodiscard]] std::size_t max_heads() const noexcept {
    return std::max(decoder_.max_heads(), encoder_.max_heads());
  }
  struct AttributionBuffers {
    float*
        heads;  ///< (layers of self-attention, then of cross-attention, batch, heads, num_hiddens)
    float* mlps;        ///< (layers, batch, num_hiddens)
    float* first;       ///< (batch, num_hiddens), the stream before the first layer
    float* last;        ///< likewise, after the last one
    float* scales;      ///< (batch,)
    double* direction;  ///< (num_hiddens,)
    // Of an attention layer with a norm behind it, both (num_hiddens,).
    double* before_norm;  ///< the direction
    float* sum;           ///< what the norm reads
  };
  AttributionBuffers lay_out_attribution(Arena& arena, ModelPassSizes sizes) const noexcept;
  /// For models whose norms come first.
  void attribute_logits_into(const TransformerPass& given, const LogitAttribution& attribution);

  [[nodiscard]] double loss_into(const TransformerPass& pass) noexcept;
  /// The loss; its gradients are added to those of the parameters.
  [[nodiscard]] double loss_and_gradients_into(const TransformerPass& pass,
                                               TransformerMemory&& memory) noexcept;
  /// One step of training. If memory does not suffice, nothing is changed.
  double train_step_into(const TransformerPass& pass, UncheckedOptimizer& optimizer);
  /// Removes heads of one side, listed for every layer as for its `allocate_without`; all or none.
  void remove_heads(Side side, std::span<const std::vector<std::size_t>> heads);

  [[nodiscard]] TransformerCache make_cache(std::size_t batch_size, std::size_t max_length,
                                            Precision precision) const;

 private:
  [[nodiscard]] PassTensors lay_out_tensors(Arena& arena, const ModelPassSizes& sizes,
                                            bool saved) const noexcept;
  [[nodiscard]] PassTensors saved_tensors() noexcept;
  [[nodiscard]] PassProbe saved_probe() const noexcept {
    return {.captures = {}, .patches = saved_->patches.patches()};
  }
  [[nodiscard]] StackPass decoder_pass(const TransformerPass& pass) const noexcept;
  [[nodiscard]] StackPass encoder_pass(const TransformerPass& pass) const noexcept;
  void keep(TransformerMemory& memory) noexcept;
  /// Of all layers together.
  [[nodiscard]] std::uint64_t num_saved_passes() const noexcept;
  /// Runs encoder and decoder; returns the output of the last layer, (batch, length, num_hiddens).
  /// In a pass that saves its tensors, `buffers` then point to the saved ones.
  float* run_layers(const TransformerPass& given, ForwardBuffers& buffers,
                    TransformerMemory& memory) noexcept;
  /// y = the final norm of x, or x.
  void final_norm(const TransformerStack& stack, const float* x, std::size_t rows, float* y,
                  std::size_t num_threads) const noexcept;
  /// The same of a pass that may capture or patch what it divides by, which `scales` then holds.
  void probed_final_norm(const TransformerStack& stack, const StackPass& pass, const float* x,
                         float* scales, float* y) const noexcept;
  /// The gradient of logit(target) − logit(against) by the stream, with the final norm's divisor
  /// held fixed; returns the part that no stream changes. `against` is −1 for none.
  double direction_into(std::int32_t target, std::int32_t against, float scale,
                        double* direction) const noexcept;
  /// Turns the gradient by a norm's output, the norm's divisor held fixed, into that by its input;
  /// returns what its bias adds.
  double direction_before(const ModelParameters::NormIndices& norm, float scale,
                          double* direction) const noexcept;
  /// Adds to `gradient` (rows, num_hiddens), which is 0, that of x. Where a patch replaced what the
  /// norm divides by, that is a constant: `scales`, which are null without such patches.
  void final_norm_backward(const TransformerStack& stack, Side side, const float* x,
                           const float* scales, const float* of_output, std::size_t rows,
                           float* gradient) noexcept;
  /// Takes the gradient of the last layer's output back to the inputs.
  void layers_backward(const TransformerBackward& backward,
                       const BackwardBuffers& buffers) noexcept;
  /// The loss of a pass. Leaves the gradient of the logits in their place.
  double forward_loss(const TransformerPass& pass, const LossBuffers& buffers,
                      TransformerMemory& memory, std::size_t& target_rows) noexcept;

  ModelParameters* parameters_;
  BySide<std::vector<AttentionLayer*>> layers_;
  TransformerStack decoder_;
  TransformerStack encoder_;
  std::optional<SavedPass> saved_;
  bool is_pending_ = false;
};

}  // namespace headwise
