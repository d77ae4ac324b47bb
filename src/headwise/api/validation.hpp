#pragma once

#include <cstddef>
#include <cstdint>
#include <headwise/api/mask_inputs.hpp>
#include <headwise/api/validation_options.hpp>
#include <headwise/caller_memory.hpp>
#include <headwise/error.hpp>
#include <headwise/masks.hpp>
#include <headwise/state_dict.hpp>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace headwise {
class AttentionLayer;
class LayerCache;
class MultiHeadAttention;
struct PoolingInputs;
struct CacheOptions;
struct ForwardInputs;
struct HeadImportanceOptions;
struct MeasuredHeads;
}  // namespace headwise

/// The public functions' checks: each throws `Error`, or returns if the arguments are valid. The
/// JavaScript package calls them, too.
namespace headwise::validation {

using Shape = std::span<const std::size_t>;

// Layers and tensors: validation_inputs.cpp

void check_cache_options(const MultiHeadAttention& layer, const CacheOptions& options);
/// Throws disposed unless in use; `what` is a layer, cache, model or optimizer.
void check_in_use(bool in_use, std::string_view what);
/// Checks that the layer, or the model that has it, made the cache since heads were pruned. `what`
/// is what errors call its maker.
void check_made_by(const LayerCache* cache, const AttentionLayer& layer, std::string_view what);
/// Checks that a cache of this batch size and lengths has room for the new positions of a batch.
void check_room(std::size_t batch, std::size_t num_new, std::size_t batch_size, std::size_t length,
                std::size_t max_length);
/// Throws sizes-unknown while the layer's input sizes are still to be inferred. `what` names the
/// call.
void check_sizes_known(const MultiHeadAttention& layer, std::string_view what);
/// Integers from 0 to below `count`, or none.
void check_indices(std::string_view argument, const Input<double>& indices, std::size_t count);
/// The same, each once. Messages call each of them `one`: a head, a query.
void check_chosen(std::string_view argument, std::string_view one, const Input<double>& chosen,
                  std::size_t count);
/// Fails because an index stands in a list twice.
[[noreturn]] void fail_twice(std::string_view argument, std::string_view one, double index);
/// Returns the sizes of the pass.
MaskSizes check_forward(const MultiHeadAttention& layer, const ForwardInputs& inputs);
/// Checks the gradient of the output, and that a backward is pending.
void check_backward(const MultiHeadAttention& layer, Shape grad_output);
void check_head_gate(std::string_view argument, const Input<float>& head_gate, std::size_t batch,
                     std::size_t num_heads);
void check_valid_lens(const Input<double>& valid_lens, const MaskSizes& sizes);
/// Integers from `min` to `max`.
void check_between(std::string_view argument, const Input<double>& integers, std::int64_t min,
                   std::int64_t max);
/// Integers from 0 to `max`.
void check_up_to(std::string_view argument, const Input<double>& integers, std::uint64_t max);
/// Of (batch, keys), or (keys,) of one sample.
void check_key_mask(std::string_view argument, const Input<std::uint8_t>& mask, std::size_t batch,
                    std::size_t num_keys);
/// Returns the sizes of the call. `has_head_axis`: whether tensors have an axis of heads.
MaskSizes check_pooling(const PoolingInputs& inputs, bool has_head_axis);

// Pruning: validation_pruning.cpp

/// Returns the heads in ascending order, each once. `name` is what errors call the list.
std::vector<std::size_t> check_prune_heads(const MultiHeadAttention& layer,
                                           std::span<const double> heads,
                                           std::string_view name = "heads");

// Importance: validation_importance.cpp

void check_measured_heads(const MeasuredHeads& heads, const HeadImportanceOptions& options);
/// Checks the shape of the keys to ignore: that of the keys, with a batch axis and without sizes.
void check_ignored_keys(Shape keys, Shape ignored);

}  // namespace headwise::validation
