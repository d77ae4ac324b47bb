#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <headwise/transformer.hpp>
#include <vector>

/// What a model's pass captures and patches, with the memory that it points to. Internal to
/// `Transformer`.
namespace headwise {

/// The names of a side's activations that belong to the whole model rather than to a layer.
[[nodiscard]] constexpr bool is_of_model(ActivationName name) noexcept {
  return name == ActivationName::embeddings || name == ActivationName::final_norm_scale;
}

/// The sizes of a layer's activations in a pass.
[[nodiscard]] ActivationSizes activation_sizes(const Transformer& model, Side side,
                                               std::size_t layer,
                                               const UncheckedTransformer::Sizes& sizes);

/// The captured tensors of an activation with heads and a size for each row.
[[nodiscard]] const std::vector<Tensor<4>>& captured_of_heads(const ModelCaptures& captured,
                                                              ActivationName name);

/// Captures and patches of a pass; options were checked.
class ProbeMemory {
 public:
  /// Copies the patches and their values.
  void add_patches(const Transformer& model, const std::vector<Patch>& patches,
                   const UncheckedTransformer::Sizes& sizes);
  /// Makes tensors for what is captured, which the pass is to write.
  void add_captures(const Transformer& model, const TransformerForwardOptions& options,
                    const UncheckedTransformer::Sizes& sizes, TransformerResult& result);

  [[nodiscard]] PassProbe probe() const noexcept;

 private:
  [[nodiscard]] const std::int32_t* keep(const std::vector<std::int64_t>& list);

  std::vector<ActivationCapture> captures_;
  std::vector<ActivationPatch> patches_;
  std::deque<std::vector<std::int32_t>> lists_;
  std::deque<std::vector<float>> values_;
  const std::int32_t* positions_ = nullptr;
  std::size_t num_positions_ = 0;
};

}  // namespace headwise
