#pragma once

#include <cstddef>

#include "record.hpp"

/// Checkpoints of other libraries and the models that are read from them.
namespace headwise::bindings {

/// The options that a `Checkpoint` asks for, or what is wrong with its config: `PretrainedOptions`.
Address read_checkpoint(Address request);
/// Removes the heads that the config of the `Checkpoint` lists, of one side.
void prune_as_checkpoint(Address model, Address request, std::size_t side);
/// Ties a new model of these options, pruned on all sides, to the `Checkpoint`. The tensors that
/// are to be loaded, or what is wrong with them: `PretrainedTensors`.
Address attach_checkpoint(Address model, Address request);
/// The tensors by which the model is saved: `PretrainedTensors`, none without a checkpoint.
Address pretrained_tensors(Address model);
/// Copies a tensor, by its number, to the parameters that it holds. Call
/// `model_parameters_changed` after the last one.
void load_pretrained(Address model, std::size_t number, Address values);
/// Copies the parameters that a tensor holds, or their gradients, there.
void save_pretrained(Address model, std::size_t number, std::size_t gradients, Address values);
/// The heads that were removed from the layers of a side: `PrunedHeads`.
Address pruned_heads(Address model, std::size_t side);

}  // namespace headwise::bindings
