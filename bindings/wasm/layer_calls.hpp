#pragma once

#include <cstddef>
#include <headwise/core/attention/attention_layer.hpp>

#include "record.hpp"

/// Layers and their caches pass as addresses: Embind's classes would take more bytes than the
/// layer.
namespace headwise::bindings {

inline AttentionLayer& layer_at(Address layer) noexcept { return *at<AttentionLayer>(layer); }

/// The address of a new layer. `delete_layer` gives it back.
Address new_layer(Address options, double dropout, double scale, double softcap, double seed);
void delete_layer(Address layer);

/// Draws the parameters for these input sizes.
void initialize(Address layer, double query_size, double key_size, double value_size);
void set_training(Address layer, std::size_t training);

/// Parameters by number, see `parameter_names`. `parameters_changed` when they were written.
Address parameter(Address layer, std::size_t number);

/// Floats of working memory for a forward.
double workspace_size(Address layer, double batch, double num_queries, double num_keys);
void forward(Address layer, Address record);

/// The address of a new cache. `delete_cache` gives it back.
Address create_cache(Address layer, double batch_size, double max_length);
void delete_cache(Address cache);
void set_cache_length(Address cache, double length);

}  // namespace headwise::bindings
