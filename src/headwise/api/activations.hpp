#pragma once

#include <headwise/api/model_inputs.hpp>
#include <headwise/api/model_results.hpp>
#include <headwise/transformer.hpp>

/// What a model's pass captures and patches. Internal to `Transformer`.
namespace headwise {

/// The names of a side's activations that belong to the whole model rather than to a layer.
[[nodiscard]] constexpr bool is_of_model(ActivationName name) noexcept {
  return name == ActivationName::embeddings || name == ActivationName::final_norm_scale;
}

/// The axes of what a patch replaces.
[[nodiscard]] ActivationAxes patched_axes(const Transformer& model, const PatchInputs& patch,
                                          const ModelPassSizes& sizes) noexcept;

/// Captures and patches of a pass, in working memory. The inputs were checked.
class Probe {
 public:
  /// Lays the patches out; measures while the arena does.
  void lay_out(Arena& arena, const Transformer& model, const ModelInputs& inputs,
               const ModelPassSizes& sizes) noexcept;
  /// Asks for the memory of what is captured.
  void make_captures(const Transformer& model, const ModelInputs& inputs,
                     const ModelPassSizes& sizes, ModelResults& results);

  [[nodiscard]] PassProbe probe() const noexcept;

 private:
  std::span<ActivationPatch> patches_;
  /// Room for the captures of all layers, and how many of them there are.
  ActivationCapture* captures_ = nullptr;
  std::size_t num_captures_ = 0;
  const std::int32_t* positions_ = nullptr;
  std::size_t num_positions_ = 0;
};

}  // namespace headwise
