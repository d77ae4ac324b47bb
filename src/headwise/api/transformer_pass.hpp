#pragma once

#include <cstdint>
#include <headwise/api/activations.hpp>
#include <headwise/api/mask_inputs.hpp>
#include <headwise/api/model_inputs.hpp>
#include <headwise/api/model_results.hpp>
#include <headwise/api/working_memory.hpp>
#include <headwise/transformer.hpp>
#include <optional>
#include <span>

/// What the passes of a model point to. Internal to `Transformer`.
namespace headwise {

/// The attention layers' arguments of a pass, in working memory.
[[nodiscard]] BySide<std::span<AttentionPass>> lay_out_layers(const Transformer& model,
                                                              Arena& arena) noexcept;
/// Asks for the memory of the gradients of all gates.
void make_gate_gradients(const Transformer& model, std::size_t batch,
                         const BySide<std::span<AttentionPass>>& layers, ModelResults& results);

/// A forward pass, whose arguments are in working memory. Model and inputs outlive it.
class ModelPass {
 public:
  /// Checks the inputs.
  ModelPass(const Transformer& model, const ModelInputs& inputs);

  [[nodiscard]] TransformerPass& pass() noexcept { return pass_; }
  /// Takes working memory and lays the arguments out. The rest of it, which `lay_out(arena, sizes)`
  /// takes, is for the pass.
  template <typename LayOut>
  void prepare(const LayOut& lay_out) {
    memory_.emplace([&](Arena& arena) {
      lay_out_arguments(arena);
      static_cast<void>(lay_out(arena, pass_.sizes()));
    });
    lay_out_arguments(memory_->arena());
    pass_.arena = &memory_->arena();
  }

  // What asks for the memory of results. Call it once the pass is prepared.
  void make_results(ModelResults& results);
  /// The encoder's weights are whole.
  void make_weights(bool with_encoder, ModelResults& results);
  void make_captures(ModelResults& results);

 private:
  /// Measures while the arena does.
  void lay_out_arguments(Arena& arena) noexcept;

  const Transformer* model_;
  const ModelInputs* inputs_;
  TransformerPass pass_;
  std::optional<WorkingMemory> memory_;
  /// Places of the returned heads and queries, of layers side by side.
  std::int32_t* head_places_ = nullptr;
  std::int32_t* query_places_ = nullptr;
  Probe probe_;
};

}  // namespace headwise
