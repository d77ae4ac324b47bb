#pragma once

#include <cstddef>
#include <cstdint>
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
#include <vector>

namespace headwise {

struct TransformerForwardOptions {
  /// Gates of each layer, as in `ForwardOptions`; empty for none at all.
  std::vector<HeadGate> head_gates = {};
  /// Whether to return the attention weights of every layer.
  bool return_weights = false;
};

struct TransformerResult {
  Tensor<3> logits;  ///< (batch, length, vocabulary)
  /// (batch, heads, queries, keys) for each layer, if requested
  std::vector<Tensor<4>> attention_weights;
};

struct LossAndGradients {
  double loss;
  /// Gradient of each layer's gates, (batch, heads); at gate 1 where none was given.
  std::vector<Tensor<2>> head_gates;
};

/// Token embedding and positions, layers of residual multi-head attention, unembedding, and no
/// feed-forward layers: x ← x + attention(x), or x + attention(norm(x)). Source: Elhage et al.
/// 2021, A Mathematical Framework for Transformer Circuits.
///
/// Thread safety and moved-from objects are as for a layer. Inputs and output of every layer must
/// stay (batch, length, num_hiddens): a call throws `Error` (invalid-option) where one was replaced
/// by another.
class AttentionOnlyTransformer {
 public:
  /// Throws `Error` (invalid-option, out-of-memory).
  explicit AttentionOnlyTransformer(const AttentionOnlyTransformerOptions& options);

  /// A model of the same parameters, gradients and mode, with a fresh optimizer of its own. Throws
  /// `Error` (out-of-memory).
  [[nodiscard]] AttentionOnlyTransformer copy() const;

  /// tokens (batch, length) from 0 to below the vocabulary's size. Throws `Error` (invalid-shape,
  /// invalid-value, out-of-memory); the model is then unchanged, as after any other call that
  /// throws.
  TransformerResult forward(const Tokens& tokens, const TransformerForwardOptions& options = {});

  /// `cross_entropy` of the logits. Targets are tokens, or −1 for positions excluded from the loss.
  /// Weights are not returned.
  double loss(const Tokens& tokens, const Tokens& targets,
              const TransformerForwardOptions& options = {});

  /// The loss and its gradients. Those of the parameters are added to the existing ones.
  LossAndGradients loss_and_gradients(const Tokens& tokens, const Tokens& targets,
                                      const TransformerForwardOptions& options = {});

  /// One step of training, in training mode: `zero_gradients`, `loss_and_gradients`, a step of the
  /// optimizer. Returns the loss before the step. The optimizer is one over `trainables`.
  double train_step(const Tokens& tokens, const Tokens& targets, Optimizer& optimizer);
  /// A step with the model's own optimizer.
  double train_step(const Tokens& tokens, const Tokens& targets);

  /// The optimizer of `train_step` where none is given: Adam by `options.optimizer`.
  [[nodiscard]] Adam& optimizer() noexcept { return optimizer_; }

  /// What an optimizer trains: the model's own parameters, then layer by layer. The pointers stay
  /// valid when the model is moved.
  [[nodiscard]] std::vector<Trainable*> trainables();

  /// Sums of the parameters' gradients since the last `zero_gradients`, named as in `state_dict`.
  [[nodiscard]] StateDict gradients() const;
  void zero_gradients() noexcept;

  /// The parameters by name: `embedding.weight` (vocabulary, num_hiddens), `position.weight`
  /// (max_length, num_hiddens) if learned, `layers.0.attention.` and a name of the layer's
  /// `state_dict`, `layers.0.norm.weight` and `.bias` (num_hiddens,), `norm.weight` and `.bias` of
  /// the last norm, `unembedding.weight` (vocabulary, num_hiddens).
  [[nodiscard]] StateDict state_dict() const;

  /// Loads the parameters in `state_dict`, all or none. Throws `Error` (invalid-state-dict) that
  /// lists every name that is missing, unexpected or of the wrong shape.
  void load_state_dict(const StateDict& state_dict);

  /// Removes heads of layers for good, as `prune_heads` of a layer does: `heads` by the number of
  /// their layer. An error in one layer leaves all unchanged. Throws `Error` (invalid-option) for
  /// layers and heads that the model does not have, and for all heads of a layer; out-of-memory.
  /// Source: Hugging Face Transformers, `prune_heads`.
  void prune_heads(const std::map<std::int64_t, std::vector<std::int64_t>>& heads);

  /// Switches dropout on (training mode) or off (a new model). Both return the model.
  AttentionOnlyTransformer& train() noexcept;
  AttentionOnlyTransformer& eval() noexcept;
  [[nodiscard]] bool training() const noexcept {
    return !layers_.empty() && layers_.front().training();
  }

  [[nodiscard]] std::size_t num_layers() const noexcept { return layers_.size(); }
  /// A layer, for example to prune it. Its inputs and output are (batch, length, num_hiddens).
  [[nodiscard]] MultiHeadAttention& layer(std::size_t number) noexcept { return layers_[number]; }
  [[nodiscard]] const MultiHeadAttention& layer(std::size_t number) const noexcept {
    return layers_[number];
  }
  /// Throws `Error` (disposed).
  [[nodiscard]] const ModelParameters::Sizes& sizes() const;
  [[nodiscard]] bool causal() const noexcept { return core_.causal(); }
  [[nodiscard]] std::uint64_t seed() const noexcept { return seed_; }

  [[nodiscard]] bool in_use() const noexcept { return parameters_ != nullptr; }
  /// Embedding, positions, norms and unembedding.
  [[nodiscard]] const ModelParameters& own_parameters() const noexcept { return *parameters_; }
  /// Must be called after parameters of the model or its layers were written.
  void parameters_changed() noexcept { core_.parameters_changed(); }

 private:
  AttentionOnlyTransformer(bool causal, std::uint64_t seed,
                           std::unique_ptr<ModelParameters> parameters,
                           std::vector<MultiHeadAttention> layers, const AdamOptions& optimizer);

  std::uint64_t seed_;
  /// On the heap, so that optimizers' pointers stay valid when the model is moved, as do those to
  /// layers.
  std::unique_ptr<ModelParameters> parameters_;
  std::vector<MultiHeadAttention> layers_;
  TransformerCore core_;
  Adam optimizer_;
};

}  // namespace headwise
