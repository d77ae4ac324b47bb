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
/// Returns the address of a copy of a layer in evaluation mode, which `delete_layer` frees.
Address copy_layer(Address layer);
/// The settings and the attention layers of a model: a `ModelDescription`.
Address describe_model(Address model);

/// What a model holds in memory: `ModelMemory`.
Address model_memory(Address model);
/// The parameters of a model, in the order of `state_dict`: `ParameterDescriptions`. Call
/// `model_parameters_changed` after writing.
Address model_parameters(Address model);
void zero_model_gradients(Address model);
/// Must be called after parameters of the model or of its layers were written.
void model_parameters_changed(Address model);

/// Size in floats of the working memory of a pass of this kind, as in `runModel`. Keys are cached
/// and new ones. `flags`: 1 for one that requires gradients, 2 for one with a cache of integers.
double model_workspace_size(Address model, std::size_t kind, double batch, double length,
                            double num_keys, double source_length, double num_source_keys,
                            std::size_t flags, double rows);
/// Runs a pass and returns its loss, 0 for a forward.
double run_model(Address model, Address record);

/// Logits of rows of features, which a pass gave as hidden states.
void unembed(Address model, Address features, double rows, Address logits);

/// Whether a backward pass of the model is pending.
std::size_t model_is_pending(Address model);
double model_backward_workspace_size(Address model);
void backward_model(Address model, Address record);

/// Draws the token of draw `number` by these logits. `buffers` is working memory for as many
/// doubles and integers as there are logits.
std::size_t draw_token(Address logits, double vocabulary_size, double temperature, double top_k,
                       double top_p, double seed, double number, Address buffers);

Address new_model_cache(Address model, double batch_size, double max_length, std::size_t precision);
void delete_model_cache(Address cache);
/// Positions held, and those of the source, −1 without one.
std::size_t model_cache_length(Address cache);
double model_cache_source_length(Address cache);
std::size_t model_cache_has_padding(Address cache);
/// Positions, and whether the source is to stay.
void set_model_cache_length(Address cache, double length, std::size_t with_source);

/// Checks and removes heads of a side: doubles, as many of each layer as `counts` says.
void prune_model(Address model, std::size_t side, Address counts, Address heads);

}  // namespace headwise::bindings
