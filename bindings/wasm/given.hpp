#pragma once

#include <cstddef>
#include <cstdint>
#include <headwise/api/mask_inputs.hpp>
#include <headwise/api/model_inputs.hpp>
#include <headwise/caller_memory.hpp>
#include <vector>

#include "records.hpp"

/// The arguments that JavaScript gives a call in working memory, as the library takes them.
namespace headwise::bindings {

template <typename Number = float>
[[nodiscard]] Input<Number> input_of(const GivenTensor& tensor) noexcept {
  return {static_cast<const Number*>(tensor.numbers),
          {static_cast<const std::size_t*>(tensor.shape), tensor.rank}};
}

[[nodiscard]] MaskInputs inputs_of(const GivenMasks& masks) noexcept;

/// The arguments of a model's pass, and the lists that they point to.
class GivenPass {
 public:
  explicit GivenPass(const PassRecord& record);

  [[nodiscard]] const ModelInputs& inputs() const noexcept { return inputs_; }
  /// The same with other tokens, pixels or embeddings.
  [[nodiscard]] ModelInputs corrupted(const PassRecord& record) const noexcept;

 private:
  std::vector<PatchInputs> patches_;
  ModelInputs inputs_;
};

}  // namespace headwise::bindings
