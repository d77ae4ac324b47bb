#pragma once

#include <cstddef>
#include <cstdint>
#include <headwise/attention/state_dict.hpp>
#include <headwise/attention/valid_lens.hpp>
#include <headwise/error.hpp>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace headwise {
class MultiHeadAttention;
struct MultiHeadAttentionOptions;
struct ForwardOptions;
struct InputSizes;
}  // namespace headwise

/// The public edge's checks: each throws `Error`, or returns and the arguments are valid. The
/// JavaScript package makes the same checks, with the same texts, before it calls in; its build
/// leaves these out.
namespace headwise::validation {

#if defined(HEADWISE_VALIDATED_BY_CALLER)
inline constexpr bool enabled = false;
#else
inline constexpr bool enabled = true;
#endif

using Shape = std::span<const std::size_t>;

void check_layer_options(const MultiHeadAttentionOptions& options);
void check_forward(const MultiHeadAttention& layer, Shape queries, Shape keys, Shape values,
                   const ForwardOptions& options);
void check_valid_lens(const ValidLens& valid_lens, std::size_t batch, std::size_t num_queries,
                      std::size_t num_keys);
void check_dot_product_attention(Shape queries, Shape keys, Shape values);
void check_scaled_dot_product_attention(Shape queries, Shape keys, Shape values);
void check_transpose_qkv(Shape X, std::int64_t num_heads);
void check_transpose_output(Shape X, std::int64_t num_heads);

/// Throws sizes-unknown when the layer's input sizes are still to be inferred. `what` is what the
/// caller asked for.
void check_sizes_known(const MultiHeadAttention& layer, std::string_view what);

/// Returns the input sizes that the dict and the layer agree on.
InputSizes check_state_dict(const MultiHeadAttention& layer, const StateDict& state_dict);

/// Runs `allocate`; running out of memory becomes an `Error` like any other.
template <typename Function>
auto report_out_of_memory(Function&& allocate) {
  try {
    return std::forward<Function>(allocate)();
  } catch (const std::bad_alloc&) {
    throw Error(ErrorCode::out_of_memory, "memory: not enough for tensors of these sizes");
  }
}

}  // namespace headwise::validation
