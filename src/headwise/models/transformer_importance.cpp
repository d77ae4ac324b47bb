#include <algorithm>
#include <headwise/error.hpp>
#include <headwise/models/transformer_importance.hpp>
#include <headwise/models/validation.hpp>

namespace headwise {
namespace {

/// A model in evaluation mode until the end of the scope, when mode and gradients are again what
/// they were.
class MeasuredModel {
 public:
  explicit MeasuredModel(AttentionOnlyTransformer& model)
      : model_(model), was_training_(model.training()) {
    for (Trainable* trainable : model.trainables()) {
      for (const TrainableParameter& parameter : trainable->trainable_parameters()) {
        gradients_.push_back(
            {.place = parameter.gradients,
             .values = {parameter.gradients, parameter.gradients + parameter.size()}});
      }
    }
    model.eval();
  }
  MeasuredModel(const MeasuredModel&) = delete;
  MeasuredModel(MeasuredModel&&) = delete;
  MeasuredModel& operator=(const MeasuredModel&) = delete;
  MeasuredModel& operator=(MeasuredModel&&) = delete;
  ~MeasuredModel() {
    model_.zero_gradients();
    for (const auto& [place, values] : gradients_) {
      std::ranges::copy(values, place);
    }
    if (was_training_) {
      model_.train();
    }
  }

 private:
  struct Gradient {
    float* place;
    std::vector<float> values;
  };

  AttentionOnlyTransformer& model_;
  bool was_training_;
  std::vector<Gradient> gradients_;
};

TransformerForwardOptions gated(const std::vector<Tensor<1>>& gates) {
  return {.head_gates = std::vector<HeadGate>(gates.begin(), gates.end())};
}

}  // namespace

std::optional<std::vector<Tensor<1>>> measure_head_importance(
    AttentionOnlyTransformer& model, const std::vector<TransformerBatch>& batches,
    const HeadImportanceOptions& options) {
  MeasuredHeads heads{.num_heads = {}, .batch_sizes = {}};
  for (std::size_t layer = 0; layer < model.num_layers(); ++layer) {
    heads.num_heads.push_back(model.layer(layer).num_heads());
  }
  for (const auto& [tokens, targets] : batches) {
    validation::check_transformer_pass(model, tokens, &targets, {});
    heads.batch_sizes.push_back(tokens.shape(0));
  }
  const auto samples = [&](std::size_t batch) { return heads.batch_sizes[batch]; };
  heads.loss = [&](std::size_t batch, const std::vector<Tensor<1>>& gates) {
    const auto& [tokens, targets] = batches[batch];
    return static_cast<double>(samples(batch)) * model.loss(tokens, targets, gated(gates));
  };
  heads.gate_gradients = [&](std::size_t batch) {
    const auto& [tokens, targets] = batches[batch];
    std::vector<Tensor<2>> gradients = model.loss_and_gradients(tokens, targets).head_gates;
    for (Tensor<2>& of_layer : gradients) {
      of_layer *= static_cast<float>(samples(batch));
    }
    return gradients;
  };
  heads.attention_weights = [&](std::size_t batch, const MeasuredHeads::TakeWeights& take) {
    const Tokens& tokens = batches[batch].tokens;
    const TransformerResult result = model.forward(tokens, {.return_weights = true});
    for (std::size_t layer = 0; layer < model.num_layers(); ++layer) {
      take(layer, result.attention_weights[layer].data(),
           {.batch = samples(batch),
            .num_heads = heads.num_heads[layer],
            .num_queries = tokens.shape(1),
            .num_keys = tokens.shape(1)},
           nullptr);
    }
  };
  const MeasuredModel measured = report_out_of_memory([&] { return MeasuredModel(model); });
  return measure_head_importance(heads, options);
}

}  // namespace headwise
