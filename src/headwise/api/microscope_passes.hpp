#pragma once

#include <cstddef>
#include <cstdint>
#include <headwise/api/model_inputs.hpp>
#include <headwise/api/model_results.hpp>
#include <headwise/core/memory/aligned_floats.hpp>
#include <headwise/transformer.hpp>
#include <vector>

/// What microscope.hpp offers, over the inputs and results of both languages.
namespace headwise {

/// Writes `logits`, (layers, batch, positions, vocabulary).
void logit_lens(Transformer& model, const ModelInputs& inputs, const Input<double>& layers,
                const Input<double>& positions, ModelResults& results);

/// Writes the members of `LogitAttributions`. `position` is a list of one.
void attribute_logits(Transformer& model, const ModelInputs& inputs, const Input<double>& target,
                      const Input<double>& against, const Input<double>& position,
                      ModelResults& results);

/// Runs on one input in which heads are replaced by those of the run on another.
class HeadPatching {
 public:
  /// Runs both. No positions: all. The model must stay where it is.
  HeadPatching(Transformer& model, const ModelInputs& clean, const ModelInputs& corrupted,
               ActivationName at, const Input<double>& positions);

  /// Heads of a layer, or its key-value heads where these are replaced.
  [[nodiscard]] std::size_t num_heads(std::size_t layer) const noexcept;
  /// Fails if parameters were changed or heads were pruned since.
  void check_unchanged() const;
  /// Runs some heads of a layer at once, in order; none are left once it returns 0. `corrupted` as
  /// before. Writes hidden states or logits, (heads, batch, positions, …), and returns the number
  /// of heads.
  std::size_t run(const ModelInputs& corrupted, ModelResultName wanted, ModelResults& results);

 private:
  /// What a run captures in each layer.
  [[nodiscard]] std::vector<AlignedFloats> capture(ModelInputs inputs, ActivationName at);

  Transformer* model_;
  ActivationName at_;
  std::vector<std::int32_t> positions_;
  std::uint64_t version_;               ///< of the model when it ran
  std::vector<AlignedFloats> values_;   ///< of the clean run
  std::vector<AlignedFloats> streams_;  ///< that enter the layers of the corrupted run
  std::size_t layer_ = 0;               ///< of the next heads
  std::size_t first_ = 0;               ///< of these
};

}  // namespace headwise
