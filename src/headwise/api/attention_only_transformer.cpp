#include <headwise/api/validation_models.hpp>
#include <headwise/attention_only_transformer.hpp>
#include <headwise/error.hpp>
#include <utility>

namespace headwise {

AttentionOnlyTransformer::AttentionOnlyTransformer(const AttentionOnlyTransformerOptions& options)
    : Transformer(transformer_options_of(options)) {}

AttentionOnlyTransformer AttentionOnlyTransformer::copy() const {
  return report_out_of_memory([&] {
    validation::check_model_in_use(*this);
    return AttentionOnlyTransformer(*this);
  });
}

LossAndGradients AttentionOnlyTransformer::loss_and_gradients(
    const Tokens& tokens, const Tokens& targets, const TransformerForwardOptions& options) {
  TransformerLossAndGradients result = Transformer::loss_and_gradients(tokens, targets, options);
  return {.loss = result.loss, .head_gates = std::move(result.head_gates)};
}

AttentionOnlyTransformer::Sizes AttentionOnlyTransformer::sizes() const {
  const TransformerSettings& all = settings();
  return {.vocabulary_size = all.vocabulary_size,
          .max_length = all.max_length,
          .num_hiddens = all.num_hiddens,
          .num_layers = all.decoder.num_layers,
          .learned_positions = all.positions == Positions::learned,
          .layer_norm = all.norm == Norm::layer};
}

}  // namespace headwise
