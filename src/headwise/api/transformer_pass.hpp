#pragma once

#include <cstdint>
#include <headwise/api/activations.hpp>
#include <headwise/api/layer_outputs.hpp>
#include <headwise/api/working_memory.hpp>
#include <headwise/transformer.hpp>
#include <optional>
#include <span>
#include <vector>

/// What the passes of a model point to. Internal to `Transformer`.
namespace headwise {

/// The attention layers' arguments of a pass, side by side.
struct AttentionPassLists {
  std::vector<AttentionPass> self;
  std::vector<AttentionPass> cross;
  std::vector<AttentionPass> encoder;

  explicit AttentionPassLists(const Transformer& model);
  [[nodiscard]] std::vector<AttentionPass>& of(Side side) noexcept {
    return side == Side::self ? self : side == Side::cross ? cross : encoder;
  }
};

/// A tensor of gate gradients for each layer of a side, which the pass is to write.
[[nodiscard]] std::vector<Tensor<2>> make_gate_gradients(const Transformer& model, Side side,
                                                         std::size_t batch,
                                                         std::span<AttentionPass> layers);

/// A forward pass and the memory that its arguments point to. Options were checked, and outlive it.
struct PassMemory {
  std::vector<std::int32_t> tokens;
  std::vector<std::int32_t> targets;
  std::vector<std::int32_t> segments;
  std::vector<std::int32_t> source;
  std::vector<std::int32_t> valid_lens;
  std::vector<std::int32_t> source_valid_lens;
  KeptKeys key_mask;
  KeptKeys source_key_mask;
  AttentionPassLists layers;
  std::vector<ChosenRows> chosen_rows;
  ProbeMemory probe;
  std::optional<WorkingMemory> memory;
  TransformerPass pass;

  PassMemory(const Tokens& given, const TransformerForwardOptions& options,
             const Transformer& model);
  PassMemory(const TensorView<4>& pixels, const TransformerForwardOptions& options,
             const Transformer& model);
  PassMemory(const Embeddings& embeddings, const TransformerForwardOptions& options,
             const Transformer& model);

  /// Results of `forward_into`, which the pass is to write.
  [[nodiscard]] TransformerResult make_results(const Transformer& model,
                                               const TransformerForwardOptions& options);
  /// The weights among them; the encoder's are whole.
  void make_weights(const Transformer& model, const ReturnedWeights& chosen, bool with_encoder,
                    TransformerResult& result);
  [[nodiscard]] TransformerGradients make_gate_gradients(const Transformer& model);

  /// For a pass without a loss.
  void lay_out_forward(const UncheckedTransformer& core);
  /// For a pass with a loss.
  void lay_out_loss(const Tokens& given, const UncheckedTransformer& core, bool gradients);

 private:
  void read_options(const TransformerForwardOptions& options);
};

/// A backward pass, likewise.
struct BackwardMemory {
  AttentionPassLists layers;
  WorkingMemory memory;
  TransformerBackward pass;
  std::size_t batch;
  std::size_t length;
  bool has_embeddings;

  BackwardMemory(const SavedPass::Sizes& sizes, const Transformer& model);
  [[nodiscard]] TransformerGradients make_results(const Transformer& model);
};

}  // namespace headwise
