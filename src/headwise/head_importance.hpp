#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <headwise/core/analysis/weight_statistics.hpp>
#include <headwise/multi_head_attention.hpp>
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

/// What is measured: anything that has heads and runs batches, such as a layer, or a model of
/// several. Functions that the measure does not need may be empty.
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
  /// Whether each layer's importance is divided by its ℓ2 norm; with gradients only. Source: Michel
  /// et al. 2019.
  bool normalize = false;
  /// Called after every pass with the number of passes done and their total.
  std::function<void(std::size_t done, std::size_t total)> progress = {};
  /// Called before every pass; returns whether to stop.
  std::function<bool()> stop = {};
};

/// The importance of each layer's heads, (heads,) for each layer; empty if it was stopped. Heads
/// without a sample or row get 0. A pass is a batch; for ablation, a batch with all heads, or
/// without one of them. Throws `Error` (invalid-option) if a function that the measure needs is
/// missing, and for `normalize` with another measure than gradient.
[[nodiscard]] std::optional<std::vector<Tensor<1>>> measure_head_importance(
    const MeasuredHeads& heads, const HeadImportanceOptions& options);

/// A batch that a layer's heads are measured on.
struct HeadMeasureBatch {
  Tensor<3> queries;  ///< (batch, queries, query_size)
  Tensor<3> keys;
  Tensor<3> values;
  // As in ForwardOptions. Padding queries are left out of means over queries where lengths or a
  // mask allow them no key.
  ValidLens valid_lens = {};
  Mask mask = {};
  Mask key_mask = {};
  Causal causal = Causal::none;
  std::optional<Window> window = {};
  /// (batch, keys), 1 for keys that confidence leaves out, such as the end of a sentence. Absent:
  /// none.
  std::optional<xt::xtensor<std::uint8_t, 2>> ignored_keys = {};
};

/// A loss of a layer's output, summed over the batch's samples. With a mean over them, importance
/// is divided by the batch's size.
struct OutputLoss {
  std::function<double(std::size_t batch, const Tensor<3>& output)> value = {};  ///< for ablation
  /// Its gradient, of the output's shape; for gradients.
  std::function<Tensor<3>(std::size_t batch, const Tensor<3>& output)> gradient = {};
};

/// The importance of one layer's heads, (heads,), in evaluation mode. The layer is unchanged.
/// Throws what `forward` and `backward` throw, too, invalid-option for a `loss` without what the
/// measure needs of it, and invalid-shape for `ignored_keys`.
[[nodiscard]] std::optional<Tensor<1>> measure_head_importance(
    const MultiHeadAttention& layer, const std::vector<HeadMeasureBatch>& batches,
    const HeadImportanceOptions& options, const OutputLoss& loss = {});

}  // namespace headwise
