#pragma once

#include <cstddef>

#include "record.hpp"

/// Transformers are passed as addresses, and so are their layers, to the calls that take layers.
namespace headwise::bindings {

/// Returns the address of a model that `NewModel` asks for, which `delete_model` frees.
Address new_model(Address request);
/// Returns the address of a copy in evaluation mode, which `delete_model` frees.
Address copy_model(Address model);
void delete_model(Address model);
/// The settings and the attention layers of a model: a `ModelDescription`.
Address describe_model(Address model);

/// What a model holds in memory: `ModelMemory`.
Address model_memory(Address model);
/// The parameters of a model, in the order of `state_dict`: `ParameterDescriptions`. Call
/// `model_parameters_changed` after writing.
Address model_parameters(Address model);
/// Checks the `NamedTensors` of a state dict.
void check_model_tensors(Address model, Address request);
void zero_model_gradients(Address model);
/// Must be called after parameters of the model or of its layers were written.
void model_parameters_changed(Address model);

/// Runs a pass and returns its loss, 0 for one without.
double run_model(Address model, Address record);

/// Logits of rows of features, which a pass gave as hidden states.
void unembed(Address model, Address features, double rows, Address logits);

void backward_model(Address model, Address record);

/// Returns the address of a `Generation`, which `delete_generation` frees.
Address new_generation(Address model, Address inputs);
void delete_generation(Address generation);
std::size_t generation_has_ended(Address generation);
std::size_t next_token(Address generation);

/// Returns the address of a `HeadPatching`, which `delete_head_patching` frees.
Address new_head_patching(Address model, Address record);
void delete_head_patching(Address patching);
/// Runs the next heads, whose hidden states are the result, and returns how many they are.
std::size_t patch_next_heads(Address patching, Address record);
void check_patched_heads(Address patching);

Address new_model_cache(Address model, double batch_size, double max_length, std::size_t precision);
void delete_model_cache(Address cache);
/// Positions held.
std::size_t model_cache_length(Address cache);
/// Positions, and whether the source is to stay.
void set_model_cache_length(Address cache, double length, std::size_t with_source);

/// Checks and removes heads of a side: doubles, as many of each layer as `counts` says.
void prune_model(Address model, std::size_t side, Address counts, Address heads);

}  // namespace headwise::bindings
