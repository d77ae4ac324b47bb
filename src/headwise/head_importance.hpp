#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <headwise/core/analysis/weight_statistics.hpp>
#include <headwise/multi_head_attention.hpp>
#include <map>
#include <optional>
#include <vector>

namespace headwise {

/// The measure of a head's importance.
enum class HeadMeasure {
  gradient,    ///< mean over samples of |∂loss/∂ξ_h| at gate ξ_h = 1; source: Michel et al. 2019
  ablation,    ///< mean over samples of the loss with gate 0 minus that with gate 1
  confidence,  ///< mean over queries of the largest weight, without extra slots and ignored keys;
               ///< source: Voita et al. 2019
  entropy,     ///< mean over queries of the entropy of the weights, in nats; 0 for a head that
               ///< attends to a single key
};

/// Something with heads that runs batches, such as a layer or a model. Functions that the measure
/// does not need may be empty.
struct MeasuredHeads {
  std::vector<std::size_t> num_heads;    ///< of each layer
  std::vector<std::size_t> batch_sizes;  ///< samples of each batch
  /// Sum of the samples' losses, with gates (heads,) for each layer.
  std::function<double(std::size_t batch, const std::vector<Tensor<1>>& gates)> loss = {};
  /// ∂loss/∂gate at gates of 1: (samples, heads) for each layer.
  std::function<std::vector<Tensor<2>>(std::size_t batch)> gate_gradients = {};
  /// Passes each layer's weights to `take`, 0 in the rows of queries without a key. `ignored_keys`
  /// (batch, keys) may be null.
  using TakeWeights =
      std::function<void(std::size_t layer, const float* weights, const WeightsSizes& sizes,
                         const std::uint8_t* ignored_keys)>;
  std::function<void(std::size_t batch, const TakeWeights& take)> attention_weights = {};
};

struct HeadImportanceOptions {
  HeadMeasure measure = HeadMeasure::gradient;
  /// Whether to divide each layer's importance by its ℓ2 norm. Only for gradients. Source: Michel
  /// et al. 2019.
  bool normalize = false;
  /// Called after each pass with the passes done and their total.
  std::function<void(std::size_t done, std::size_t total)> progress = {};
  /// Called before each pass. Return true to stop.
  std::function<bool()> stop = {};
};

/// The importance of each layer's heads, (heads,) for each layer; empty if `stop` ended the
/// measurement. Heads without samples get 0. For each batch, ablation makes one pass with all heads
/// and one without each head; the other measures make one pass. Throws `Error` (invalid-option) if
/// there is no batch, if the measure needs a function that is missing, or for `normalize` with a
/// measure other than gradient.
[[nodiscard]] std::optional<std::vector<Tensor<1>>> measure_head_importance(
    const MeasuredHeads& heads, const HeadImportanceOptions& options);

/// A batch to measure a layer's heads on.
struct HeadMeasureBatch {
  Tensor<3> queries;  ///< (batch, queries, query_size)
  Tensor<3> keys;
  Tensor<3> values;
  // As in ForwardOptions. Means over queries skip queries that may attend to no key.
  ValidLens valid_lens = {};
  Mask mask = {};
  Mask key_mask = {};
  Causal causal = Causal::none;
  std::optional<Window> window = {};
  /// (batch, keys): 1 for keys that confidence ignores, such as the end of a sentence. Default:
  /// none.
  std::optional<xt::xtensor<std::uint8_t, 2>> ignored_keys = {};
};

/// A loss of a layer's output, summed over the samples of the batch. With their mean instead,
/// importance is smaller by a factor of the batch's size.
struct OutputLoss {
  std::function<double(std::size_t batch, const Tensor<3>& output)> value = {};  ///< for ablation
  /// The gradient of the loss, of the output's shape; for the measure `gradient`.
  std::function<Tensor<3>(std::size_t batch, const Tensor<3>& output)> gradient = {};
};

/// The importance of one layer's heads, (heads,), in evaluation mode. The layer is unchanged.
/// Throws what `forward` and `backward` throw; also invalid-option if `loss` lacks the function
/// that the measure needs, and invalid-shape for `ignored_keys`.
[[nodiscard]] std::optional<Tensor<1>> measure_head_importance(
    const MultiHeadAttention& layer, const std::vector<HeadMeasureBatch>& batches,
    const HeadImportanceOptions& options, const OutputLoss& loss = {});

struct LeastImportantOptions {
  double fraction = 0;  ///< of all heads of all layers, from 0 to 1; rounded down to whole groups
  /// The measure that the importance was measured by. A low entropy is a high importance.
  HeadMeasure measure = HeadMeasure::gradient;
  /// Heads that share a key-value head and are removed together; divides the heads of each layer.
  std::size_t group_size = 1;
};

/// The least important heads of all layers together, by layer, as `Transformer::prune_heads` takes
/// them. Each layer keeps at least one group of heads, so the result may have fewer heads than
/// `fraction` asks for. The importance of a group is the sum over its heads; among equal groups,
/// the first is removed first. Throws `Error` (invalid-option) for a fraction or group size outside
/// its range, invalid-value for importance that is not finite. Source: Michel et al. 2019, section
/// 4.
[[nodiscard]] std::map<std::int64_t, std::vector<std::int64_t>> least_important_heads(
    const std::vector<Tensor<1>>& importance, const LeastImportantOptions& options);

/// The same for one layer, as `MultiHeadAttention::prune_heads` takes them.
[[nodiscard]] std::vector<std::int64_t> least_important_heads(const Tensor<1>& importance,
                                                              const LeastImportantOptions& options);

}  // namespace headwise
