#pragma once

#include <array>
#include <headwise/api/model_inputs.hpp>
#include <headwise/api/model_results.hpp>
#include <headwise/api/native_inputs.hpp>
#include <headwise/api/result_tensors.hpp>
#include <headwise/transformer.hpp>
#include <vector>

namespace headwise {

/// The arguments of a model's pass in C++, which must outlive it.
class NativePass {
 public:
  NativePass(const Tokens& tokens, const TransformerForwardOptions& options);
  /// Of a pass with a loss.
  NativePass(const Tokens& tokens, const Tokens& targets, const TransformerForwardOptions& options);
  /// `length`: of the model's patches.
  NativePass(const TensorView<4>& pixels, const TransformerForwardOptions& options,
             std::size_t length);
  NativePass(const Embeddings& embeddings, const TransformerForwardOptions& options);

  [[nodiscard]] const ModelInputs& inputs() const noexcept { return inputs_; }

 private:
  struct PatchLists {
    IntegerInput heads;
    IntegerInput positions;
  };

  NativePass(const TransformerForwardOptions& options, std::size_t length);

  IntegerInput tokens_;
  IntegerInput targets_;
  IntegerInput segments_;
  IntegerInput source_;
  IntegerInput valid_lens_;
  IntegerInput source_valid_lens_;
  KeyMaskInput key_mask_;
  KeyMaskInput source_key_mask_;
  std::array<std::vector<InputTensor>, all_sides.size()> gates_;
  IntegerInput weight_heads_;
  IntegerInput weight_queries_;
  IntegerInput capture_layers_;
  IntegerInput capture_positions_;
  std::vector<PatchLists> patch_lists_;
  std::vector<PatchInputs> patches_;
  ModelInputs inputs_;
};

/// Memory for a result in the member that it is named after.
[[nodiscard]] float* place_in(TransformerResult& result, const ModelResult& place,
                              std::span<const std::size_t> shape);

/// The same for gradients of gates.
template <typename Gradients>
[[nodiscard]] float* place_gates(Gradients& gradients, const ModelResult& place,
                                 std::span<const std::size_t> shape) {
  return make_result(by_side(place.side, gradients.head_gates, gradients.cross_head_gates,
                             gradients.encoder_head_gates)
                         .emplace_back(),
                     shape);
}

}  // namespace headwise
