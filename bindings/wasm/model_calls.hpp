#pragma once

#include <cstddef>

#include "record.hpp"

/// Attention-only transformers pass as addresses, and so do their layers, for the calls that take
/// layers.
namespace headwise::bindings {

/// The address of a new model. `delete_model` gives it back.
Address new_model(Address options, double dropout, double seed);
void delete_model(Address model);
Address model_layer(Address model, std::size_t layer);

/// What the model has beside its layers, by its place in `ModelParameters::entries`.
/// `model_parameters_changed` when it was written.
Address model_parameter(Address model, std::size_t place);
/// 0 if there is none yet.
Address model_gradient(Address model, std::size_t place);
void zero_model_gradients(Address model);
/// To be called when parameters of the model or of its layers were written.
void model_parameters_changed(Address model);

/// Floats of working memory for a forward or, with `loss` 1, for a pass with a loss.
double model_workspace_size(Address model, double batch, double length, double loss);
/// Runs a pass and returns its loss, 0 for a forward.
double run_model(Address model, Address record);

/// Removes heads from every layer: `HeadLists`, one for each.
void prune_model(Address model, Address heads);

}  // namespace headwise::bindings
