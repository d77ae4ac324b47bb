#pragma once

#include <cstddef>

#include "record.hpp"

/// Attention-only transformers are passed as addresses, and so are their layers, to the calls that
/// take layers.
namespace headwise::bindings {

/// Returns the address of a new model, which `delete_model` frees.
Address new_model(Address options, double dropout, double seed);
void delete_model(Address model);
Address model_layer(Address model, std::size_t layer);

/// A parameter outside the layers by its index in the model's parameter table. Call
/// `model_parameters_changed` after writing.
Address model_parameter(Address model, std::size_t index);
/// Its gradient, 0 if there is none yet.
Address model_gradient(Address model, std::size_t index);
void zero_model_gradients(Address model);
/// Must be called after parameters of the model or of its layers were written.
void model_parameters_changed(Address model);

/// Size in floats of the working memory of a pass of this kind, as in `runModel`.
double model_workspace_size(Address model, double batch, double length, double kind);
/// Runs a pass and returns its loss, 0 for a forward.
double run_model(Address model, Address record);

/// Removes heads: a `HeadLists`, one list per layer.
void prune_model(Address model, Address heads);

}  // namespace headwise::bindings
