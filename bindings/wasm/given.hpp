#pragma once

#include <cstddef>
#include <cstdint>
#include <headwise/api/mask_inputs.hpp>
#include <headwise/caller_memory.hpp>

#include "records.hpp"

/// The arguments that JavaScript gives a call in working memory, as the library takes them.
namespace headwise::bindings {

template <typename Number = float>
[[nodiscard]] Input<Number> input_of(const GivenTensor& tensor) noexcept {
  return {static_cast<const Number*>(tensor.numbers),
          {static_cast<const std::size_t*>(tensor.shape), tensor.rank}};
}

[[nodiscard]] MaskInputs inputs_of(const GivenMasks& masks) noexcept;

}  // namespace headwise::bindings
