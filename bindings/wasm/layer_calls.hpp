#pragma once

#include <cstddef>
#include <headwise/multi_head_attention.hpp>

#include "record.hpp"

/// Layers and caches, which are passed as addresses: Embind's classes would add 4 KB to the
/// package.
namespace headwise::bindings {

inline MultiHeadAttention& layer_at(Address layer) noexcept {
  return *at<MultiHeadAttention>(layer);
}

/// Returns the address of a new layer, which `delete_layer` frees.
Address new_layer(Address request);
/// Returns the address of a copy in evaluation mode, which `delete_layer` frees.
Address copy_layer(Address layer);
void delete_layer(Address layer);

/// Makes parameters of zeros for these input sizes, to be loaded, and returns the address of what
/// holds them.
Address initialize(Address layer, double query_size, double key_size, double value_size);
std::size_t is_training(Address layer);
void set_training(Address layer, std::size_t training);

/// Returns the address of `ParameterDescriptions`. Axes of sizes that are still to be inferred are
/// 0.
Address layer_parameters(Address layer);
/// Checks the `NamedTensors` of a state dict. Returns the address of the layer's `InputSizes`,
/// inferred where they are unknown.
Address check_layer_tensors(Address layer, Address request);
/// Copies rows of a parameter, by its index in the table, to working memory, or back. Call
/// `parameters_changed` after writing.
void read_parameter(Address stored, std::size_t index, std::size_t first_row, std::size_t rows,
                    Address to);
void write_parameter(Address stored, std::size_t index, std::size_t first_row, std::size_t rows,
                     Address from);

void forward(Address layer, Address inputs);

/// Returns the address of a new cache, which `delete_cache` frees.
Address create_cache(Address layer, double batch_size, double max_length, std::size_t precision);
void delete_cache(Address cache);
/// Positions held.
std::size_t cache_length(Address cache);
void set_cache_length(Address cache, double length);

}  // namespace headwise::bindings
