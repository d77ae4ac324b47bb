#include "given.hpp"

#include <algorithm>
#include <span>

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
  inputs.rules.causal = static_cast<Causal>(masks.causal);
  inputs.rules.window_left = masks.window_left;
  inputs.rules.window_right = masks.window_right;
  inputs.rules.empty_rows = masks.uniform ? EmptyRows::uniform : EmptyRows::zero;
  return inputs;
}

/// JavaScript writes tensors as the library has them.
static_assert(sizeof(GivenTensor) == sizeof(InputTensor));
static_assert(offsetof(GivenTensor, numbers) == offsetof(InputTensor, data));
static_assert(offsetof(GivenTensor, shape) == offsetof(InputTensor, shape));

GivenPass::GivenPass(const PassRecord& record)
    : patches_(record.num_patches),
      inputs_({.tokens = input_of<double>(record.tokens),
               .pixels = input_of(record.pixels),
               .embeddings = input_of(record.embeddings),
               .targets = input_of<double>(record.targets),
               .segments = input_of<double>(record.segments),
               .valid_lens = input_of<double>(record.valid_lens),
               .key_mask = input_of<std::uint8_t>(record.key_mask),
               .source = input_of<double>(record.source),
               .source_valid_lens = input_of<double>(record.source_valid_lens),
               .source_key_mask = input_of<std::uint8_t>(record.source_key_mask),
               .head_gates = {},
               .cache = static_cast<ModelCache*>(record.cache),
               .return_weights = record.return_weights,
               .weight_heads = input_of<double>(record.weight_heads),
               .weight_queries = input_of<double>(record.weight_queries),
               .capture = {},
               .capture_layers = input_of<double>(record.capture_layers),
               .capture_positions = input_of<double>(record.capture_positions),
               .patches = {},
               .requires_grad = record.requires_grad}) {
  const auto* gates = static_cast<const InputTensor*>(record.head_gates);
  for (std::size_t side = 0; side < all_sides.size(); ++side) {
    inputs_.head_gates[side] = {gates, record.num_head_gates[side]};
    gates += record.num_head_gates[side];
  }
  const auto capture = input_of<ActivationName>(record.capture);
  inputs_.capture = capture.numbers();
  const std::span patches(static_cast<const GivenPatch*>(record.patches), record.num_patches);
  std::ranges::transform(patches, patches_.begin(), [](const GivenPatch& patch) {
    return PatchInputs{.at = static_cast<ActivationName>(patch.at),
                       .side = static_cast<Side>(patch.side),
                       .layer = patch.layer,
                       .kind = static_cast<PatchKind>(patch.kind),
                       .value = input_of(patch.value),
                       .heads = input_of<double>(patch.heads),
                       .positions = input_of<double>(patch.positions)};
  });
  inputs_.patches = patches_;
}

ModelInputs GivenPass::corrupted(const PassRecord& record) const noexcept {
  ModelInputs inputs = inputs_;
  // As in `inputKinds` of model-inputs.ts.
  inputs.tokens = record.corrupted_kind == 0 ? input_of<double>(record.corrupted) : Input<double>();
  inputs.pixels = record.corrupted_kind == 1 ? input_of(record.corrupted) : InputTensor();
  inputs.embeddings = record.corrupted_kind == 2 ? input_of(record.corrupted) : InputTensor();
  return inputs;
}

}  // namespace headwise::bindings
