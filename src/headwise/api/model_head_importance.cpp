#include <algorithm>
#include <headwise/error.hpp>
#include <headwise/model_head_importance.hpp>

namespace headwise {
namespace {

std::size_t count_targets(const Tokens& targets) {
  return targets.size() -
         static_cast<std::size_t>(std::count(targets.begin(), targets.end(), ignored_target));
}

}  // namespace

std::optional<std::vector<Tensor<1>>> measure_head_importance(
    const AttentionOnlyTransformer& model, const std::vector<ModelMeasureBatch>& batches,
    const HeadImportanceOptions& options) {
  return report_out_of_memory([&] {
    AttentionOnlyTransformer copy = model.copy();
    copy.eval();
    MeasuredHeads heads{.num_heads = {}, .batch_sizes = {}};
    for (std::size_t layer = 0; layer < model.num_layers(); ++layer) {
      heads.num_heads.push_back(model.layer(layer).num_heads());
    }
    for (const ModelMeasureBatch& batch : batches) {
      heads.batch_sizes.push_back(count_targets(batch.targets));
    }
    heads.loss = [&](std::size_t number, const std::vector<Tensor<1>>& gates) {
      const ModelMeasureBatch& batch = batches[number];
      return copy.loss(batch.tokens, batch.targets,
                       {.head_gates = std::vector<HeadGate>(gates.begin(), gates.end())}) *
             static_cast<double>(heads.batch_sizes[number]);
    };
    heads.gate_gradients = [&](std::size_t number) {
      const ModelMeasureBatch& batch = batches[number];
      std::vector<Tensor<2>> gradients =
          copy.loss_and_gradients(batch.tokens, batch.targets).head_gates;
      for (Tensor<2>& gradient : gradients) {
        gradient *= static_cast<float>(heads.batch_sizes[number]);
      }
      return gradients;
    };
    heads.attention_weights = [&](std::size_t number, const MeasuredHeads::TakeWeights& take) {
      const auto weights =
          copy.forward(batches[number].tokens, {.return_weights = true}).attention_weights;
      for (std::size_t layer = 0; layer < weights.size(); ++layer) {
        const auto& [batch, num_heads, num_queries, num_keys] = weights[layer].shape();
        take(layer, weights[layer].data(),
             {.batch = batch,
              .num_heads = num_heads,
              .num_queries = num_queries,
              .num_keys = num_keys},
             nullptr);
      }
    };
    return measure_head_importance(heads, options);
  });
}

}  // namespace headwise
