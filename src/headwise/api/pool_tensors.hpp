#pragma once

#include <cstddef>
#include <headwise/api/mask_options.hpp>
#include <headwise/core/attention/pooling.hpp>
#include <headwise/core/memory/checked_sizes.hpp>
#include <headwise/core/parallel/for_each.hpp>
#include <headwise/dot_product_attention.hpp>
#include <headwise/tensor.hpp>
#include <optional>
#include <utility>

/// What the pooling functions on tensors share. Internal.
namespace headwise {

/// Sizes of tensors whose heads each lie in one piece; rank 3 is one head without an axis of its
/// own.
struct PooledSizes {
  MaskSizes mask;
  std::size_t num_kv_heads;
  std::size_t query_size;
  std::size_t key_size;
  std::size_t value_size;
};

/// The same for a mask that broadcasts to (batch, queries, keys).
inline AttentionMask without_head_axis(AttentionMask mask) noexcept {
  mask.mask_strides[0] = std::exchange(mask.mask_strides[1], 0);
  return mask;
}

template <std::size_t Rank, typename Scoring, typename Options>
PoolingResult<Rank> pool_tensors(const PooledSizes& sizes, const Tensor<Rank>& queries,
                                 const Tensor<Rank>& keys, const Tensor<Rank>& values,
                                 const Scoring& scoring, double attention_hiddens,
                                 const Options& options) {
  const MaskStorage masks({.valid_lens = options.valid_lens,
                           .mask = options.mask,
                           .causal = options.causal,
                           .window = options.window,
                           .empty_rows = options.empty_rows},
                          sizes.mask);
  const AttentionMask mask = Rank == 3 ? without_head_axis(masks.mask()) : masks.mask();
  auto shape = queries.shape();
  shape.back() = sizes.value_size;
  PoolingResult<Rank> result{.output = make_tensor<Rank>(shape), .attention_weights = std::nullopt};
  if (options.return_weights) {
    shape.back() = sizes.mask.num_keys;
    result.attention_weights = make_tensor<Rank>(shape);
  }
  const std::size_t threads = parallel::num_threads();
  auto workspace = make_tensor<1>(
      {checked_count(static_cast<double>(threads) *
                     pooling_workspace_size(
                         static_cast<double>(sizes.mask.num_keys),
                         static_cast<double>(sizes.query_size), static_cast<double>(sizes.key_size),
                         static_cast<double>(sizes.value_size), attention_hiddens))});
  const auto view = [](auto* data, std::size_t heads, std::size_t length, std::size_t size) {
    return separate_heads_view(data, heads, length, size);
  };
  const PoolingArguments arguments{
      .mask = &mask,
      .num_heads = sizes.mask.num_heads,
      .num_kv_heads = sizes.num_kv_heads,
      .query_size = sizes.query_size,
      .key_size = sizes.key_size,
      .value_size = sizes.value_size,
      .queries =
          view(queries.data(), sizes.mask.num_heads, sizes.mask.num_queries, sizes.query_size),
      .keys = view(keys.data(), sizes.num_kv_heads, sizes.mask.num_keys, sizes.key_size),
      .values = view(values.data(), sizes.num_kv_heads, sizes.mask.num_keys, sizes.value_size),
      .pooled = view(result.output.data(), sizes.mask.num_heads, sizes.mask.num_queries,
                     sizes.value_size),
      .attention_weights =
          result.attention_weights.has_value() ? result.attention_weights->data() : nullptr,
      .weights_stage = options.weights_stage,
      .num_threads = threads};
  pool(arguments, scoring, workspace.data());
  return result;
}

}  // namespace headwise
