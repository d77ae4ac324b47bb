#pragma once

#include <cstddef>

#include "record.hpp"

/// Checkpoints of other libraries and the models that are read from them.
namespace headwise::bindings {

/// What is wrong with a `Checkpoint`, and which of its tensors may be tied: `CheckpointPlan`. Plan
/// once more with `sameAs` if there are two or more of these.
Address plan_checkpoint(Address request);
/// Returns the address of the model of a `NewPretrained` whose plan found nothing wrong, without
/// the heads that its config lists. `delete_model` frees it.
Address new_pretrained(Address request);
/// The tensors by which the model is loaded and saved, as a `PretrainedParameters::Kind`:
/// `PretrainedTensors`, none without a checkpoint. Call it before the first `load_pretrained` or
/// `save_pretrained` after a change of the model.
Address pretrained_tensors(Address model, std::size_t kind);
/// Copies a tensor, by its number, to the parameters that it holds; some of its rows if they are
/// those of one parameter, else all. Call `model_parameters_changed` after the last one.
void load_pretrained(Address model, std::size_t number, std::size_t first_row, std::size_t rows,
                     Address values);
/// Writes a tensor of the kind.
void save_pretrained(Address model, std::size_t number, Address values);
/// The heads that were removed from the layers of a side: `PrunedHeads`.
Address pruned_heads(Address model, std::size_t side);

}  // namespace headwise::bindings
