#include "given.hpp"

namespace headwise::bindings {

MaskInputs inputs_of(const GivenMasks& masks) noexcept {
  MaskInputs inputs;
  inputs.valid_lens = input_of<double>(masks.valid_lens);
  if (masks.adds_mask) {
    inputs.added = input_of(masks.mask);
  } else {
    inputs.allowed = input_of<std::uint8_t>(masks.mask);
  }
  inputs.key_mask = input_of<std::uint8_t>(masks.key_mask);
  inputs.causal = static_cast<Causal>(masks.causal);
  inputs.window_left = masks.window_left;
  inputs.window_right = masks.window_right;
  inputs.empty_rows = masks.uniform ? EmptyRows::uniform : EmptyRows::zero;
  return inputs;
}

}  // namespace headwise::bindings
