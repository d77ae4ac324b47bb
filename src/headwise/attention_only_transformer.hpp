#pragma once

#include <cstddef>
#include <headwise/core/models/transformer_options.hpp>
#include <headwise/tensor.hpp>
#include <headwise/tokens.hpp>
#include <headwise/transformer.hpp>
#include <vector>

namespace headwise {

struct LossAndGradients {
  double loss;
  /// Gradient of each layer's gates, (batch, heads). Gates that were not given count as 1.
  std::vector<Tensor<2>> head_gates;
};

/// Token embedding and positions, layers of residual multi-head attention, unembedding, and no
/// feed-forward layers: x ← x + attention(x), or x + attention(norm(x)). Its parameters are named
/// as a `Transformer`'s. Source: Elhage et al. 2021, A Mathematical Framework for Transformer
/// Circuits.
class AttentionOnlyTransformer final : public Transformer {
 public:
  /// Throws `Error` (invalid-option, out-of-memory).
  explicit AttentionOnlyTransformer(const AttentionOnlyTransformerOptions& options);
  AttentionOnlyTransformer(AttentionOnlyTransformer&&) = default;
  AttentionOnlyTransformer& operator=(const AttentionOnlyTransformer&) = delete;
  AttentionOnlyTransformer& operator=(AttentionOnlyTransformer&&) = default;
  ~AttentionOnlyTransformer() override = default;

  /// As `Transformer::copy`.
  [[nodiscard]] AttentionOnlyTransformer copy() const;

  /// As `Transformer::loss_and_gradients`.
  LossAndGradients loss_and_gradients(const Tokens& tokens, const Tokens& targets,
                                      const TransformerForwardOptions& options = {});

  /// As `Transformer::attention`.
  [[nodiscard]] MultiHeadAttention& layer(std::size_t number) { return attention(number); }
  [[nodiscard]] const MultiHeadAttention& layer(std::size_t number) const {
    return attention(number);
  }

  struct Sizes {
    std::size_t vocabulary_size;
    std::size_t max_length;
    std::size_t num_hiddens;
    std::size_t num_layers;
    bool learned_positions;
    bool layer_norm;  ///< before each layer and before the unembedding
  };
  /// Throws `Error` (disposed).
  [[nodiscard]] Sizes sizes() const;

 private:
  AttentionOnlyTransformer(const AttentionOnlyTransformer&) = default;
};

}  // namespace headwise
