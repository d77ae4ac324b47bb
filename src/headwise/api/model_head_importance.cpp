#include <algorithm>
#include <headwise/api/native_inputs.hpp>
#include <headwise/api/validation.hpp>
#include <headwise/api/validation_models.hpp>
#include <headwise/error.hpp>
#include <headwise/model_head_importance.hpp>
#include <utility>

namespace headwise {
namespace {

std::size_t count_targets(const Tokens& targets) {
  return targets.size() -
         static_cast<std::size_t>(std::count(targets.begin(), targets.end(), ignored_target));
}

/// A copy of the model, on which the passes run, since they change a model's gradients and saved
/// activations.
class MeasuredModel {
 public:
  MeasuredModel(const Transformer& model, const std::vector<ModelMeasureBatch>& batches, Side side,
                const OutputLoss& loss)
      : model_(model.copy()), batches_(batches), side_(side), loss_(loss) {
    model_.eval();
  }

  /// The functions refer to this.
  MeasuredHeads heads() {
    MeasuredHeads heads{.num_heads = {}, .batch_sizes = {}};
    for (const MultiHeadAttention& layer : model_.attention_layers(side_)) {
      heads.num_heads.push_back(layer.num_heads());
    }
    for (const ModelMeasureBatch& batch : batches_) {
      heads.batch_sizes.push_back(count_of(batch));
    }
    heads.loss = [this](std::size_t batch, const std::vector<Tensor<1>>& gates) {
      return loss(batch, gates);
    };
    heads.gate_gradients = [this](std::size_t batch) { return gate_gradients(batch); };
    heads.attention_weights = [this](std::size_t batch, const MeasuredHeads::TakeWeights& take) {
      attention_weights(batch, take);
    };
    return heads;
  }

 private:
  [[nodiscard]] bool has_output_loss() const { return loss_.value || loss_.gradient; }

  [[nodiscard]] std::size_t count_of(const ModelMeasureBatch& batch) const {
    if (!has_output_loss()) {
      return count_targets(batch.targets);
    }
    return model_.settings().has_patches() ? batch.pixels.shape(0) : batch.tokens.shape(0);
  }

  static TransformerForwardOptions options_of(const ModelMeasureBatch& batch) {
    TransformerForwardOptions options;
    options.valid_lens = batch.valid_lens;
    options.key_mask = batch.key_mask;
    options.segments = batch.segments;
    options.source = batch.source;
    options.source_valid_lens = batch.source_valid_lens;
    options.source_key_mask = batch.source_key_mask;
    return options;
  }

  TransformerResult forward(const ModelMeasureBatch& batch,
                            const TransformerForwardOptions& options) {
    return model_.settings().has_patches() ? model_.forward(batch.pixels, options)
                                           : model_.forward(batch.tokens, options);
  }

  double loss(std::size_t number, const std::vector<Tensor<1>>& gates) {
    const ModelMeasureBatch& batch = batches_[number];
    TransformerForwardOptions options = options_of(batch);
    by_side(side_, options.head_gates, options.cross_head_gates, options.encoder_head_gates)
        .assign(gates.begin(), gates.end());
    return has_output_loss() ? loss_.value(number, forward(batch, options).hidden)
                             : model_.loss(batch.tokens, batch.targets, options) *
                                   static_cast<double>(count_targets(batch.targets));
  }

  /// `TransformerGradients`, or another result that has gradients of gates.
  template <typename Gradients>
  std::vector<Tensor<2>> of_side(Gradients gradients) const {
    return std::move(by_side(side_, gradients.head_gates, gradients.cross_head_gates,
                             gradients.encoder_head_gates));
  }

  std::vector<Tensor<2>> gate_gradients(std::size_t number) {
    const ModelMeasureBatch& batch = batches_[number];
    TransformerForwardOptions options = options_of(batch);
    if (has_output_loss()) {
      options.requires_grad = true;
      const Tensor<3> hidden = forward(batch, options).hidden;
      return of_side(model_.backward(loss_.gradient(number, hidden)));
    }
    std::vector<Tensor<2>> gradients =
        of_side(model_.loss_and_gradients(batch.tokens, batch.targets, options));
    for (Tensor<2>& gradient : gradients) {
      gradient *= static_cast<float>(count_targets(batch.targets));
    }
    return gradients;
  }

  void attention_weights(std::size_t number, const MeasuredHeads::TakeWeights& take) {
    const ModelMeasureBatch& batch = batches_[number];
    TransformerForwardOptions options = options_of(batch);
    options.return_weights = true;
    TransformerResult result = forward(batch, options);
    std::vector<Tensor<4>>& weights =
        by_side(side_, result.attention_weights, result.cross_attention_weights,
                result.encoder_attention_weights);
    // What attends on the encoder's side are the source's positions.
    const bool of_source = side_ == Side::encoder;
    const ValidLens& lens = of_source ? batch.source_valid_lens : batch.valid_lens;
    const Mask& key_mask = of_source ? batch.source_key_mask : batch.key_mask;
    for (std::size_t layer = 0; layer < weights.size(); ++layer) {
      clear_padding(lens, bytes_of(key_mask), weights[layer]);
      const auto& [samples, num_heads, num_queries, num_keys] = weights[layer].shape();
      take(layer, weights[layer].data(),
           {.batch = samples,
            .num_heads = num_heads,
            .num_queries = num_queries,
            .num_keys = num_keys},
           nullptr);
    }
  }

  /// Rows of queries beyond a sample's length, or that its mask masks, become 0. Lengths of each
  /// query leave such rows already.
  static void clear_padding(const ValidLens& lens, const std::vector<std::uint8_t>& key_mask,
                            Tensor<4>& weights) {
    const bool by_sample = lens.has_value() && !lens.has_two_axes();
    const auto& [batch, num_heads, num_rows, row_size] = weights.shape();
    float* row = weights.data();
    for (std::size_t i = 0; i < batch * num_heads * num_rows; ++i, row += row_size) {
      const std::size_t sample = i / num_rows / num_heads;
      const std::size_t query = i % num_rows;
      const bool is_padding = (by_sample && std::cmp_greater_equal(query, (*lens)(sample))) ||
                              (!key_mask.empty() && key_mask[sample * num_rows + query] == 0);
      if (is_padding) {
        std::fill_n(row, row_size, 0.0F);
      }
    }
  }

  Transformer model_;
  const std::vector<ModelMeasureBatch>& batches_;
  Side side_;
  const OutputLoss& loss_;
};

}  // namespace

std::optional<std::vector<Tensor<1>>> measure_head_importance(
    const Transformer& model, const std::vector<ModelMeasureBatch>& batches,
    const HeadImportanceOptions& options, Side side, const OutputLoss& loss) {
  return report_out_of_memory([&] {
    validation::check_model_in_use(model);
    const bool has_value = static_cast<bool>(loss.value);
    const bool has_gradient = static_cast<bool>(loss.gradient);
    validation::check_importance({.measure = options.measure,
                                  .normalize = options.normalize,
                                  .num_batches = batches.size(),
                                  .needs_loss = !model.settings().head || has_value || has_gradient,
                                  .has_value = has_value,
                                  .has_gradient = has_gradient,
                                  .side = side,
                                  .has_layers = !model.attention_layers(side).empty()});
    MeasuredModel measured(model, batches, side, loss);
    return measure_head_importance(measured.heads(), options);
  });
}

}  // namespace headwise
