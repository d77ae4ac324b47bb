#include <cstddef>
#include <headwise/api/make_tensor.hpp>
#include <headwise/api/mask_options.hpp>
#include <headwise/api/validation.hpp>
#include <headwise/api/working_memory.hpp>
#include <headwise/attention_pooling.hpp>
#include <headwise/core/attention/pooling.hpp>
#include <headwise/core/parallel/for_each.hpp>
#include <headwise/core/random.hpp>
#include <optional>
#include <utility>

namespace headwise {
namespace {

/// Sizes of tensors with contiguous heads; rank 3 is one head without an axis of its own.
struct PooledSizes {
  MaskSizes mask;
  std::size_t num_kv_heads;
  std::size_t query_size;
  std::size_t key_size;
  std::size_t value_size;
};

template <std::size_t Rank>
PooledSizes pooled_sizes(const TensorView<Rank>& queries, const TensorView<Rank>& keys,
                         const TensorView<Rank>& values, std::int64_t query_offset) {
  const auto num_heads = [](const TensorView<Rank>& tensor) {
    return Rank == 4 ? tensor.shape(1) : std::size_t{1};
  };
  return {.mask = {.batch = queries.shape(0),
                   .num_heads = num_heads(queries),
                   .num_queries = queries.shape(Rank - 2),
                   .num_keys = keys.shape(Rank - 2),
                   .query_offset = query_offset},
          .num_kv_heads = num_heads(keys),
          .query_size = queries.shape(Rank - 1),
          .key_size = keys.shape(Rank - 1),
          .value_size = values.shape(Rank - 1)};
}

/// The mask as one that broadcasts to (batch, queries, keys).
AttentionMask without_head_axis(AttentionMask mask) noexcept {
  mask.mask_strides[0] = std::exchange(mask.mask_strides[1], 0);
  return mask;
}

template <std::size_t Rank, typename Options>
PoolingResult<Rank> pool_tensors(const TensorView<Rank>& queries, const TensorView<Rank>& keys,
                                 const TensorView<Rank>& values, const Scoring& scoring,
                                 const Options& options) {
  const PooledSizes sizes = pooled_sizes(queries, keys, values, options.query_offset);
  const MaskStorage masks({.valid_lens = options.valid_lens,
                           .mask = options.mask,
                           .key_mask = options.key_mask,
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
      .weights = {WeightsOutput{
          .to = result.attention_weights.has_value() ? result.attention_weights->data() : nullptr,
          .rows = {},
          .stage = options.weights_stage}},
      .num_threads = threads};
  WorkingMemory memory([&](Arena& arena) {
    static_cast<void>(PoolingMemory::lay_out(arena, sizes_of(arguments, scoring), threads));
  });
  pool(arguments, scoring, memory.arena());
  return result;
}

template <std::size_t Rank>
PoolingResult<Rank> pool_dot_products(const TensorView<Rank>& queries, const TensorView<Rank>& keys,
                                      const TensorView<Rank>& values,
                                      const DotProductAttentionOptions& options) {
  const Scoring scoring{.dot_product = {.scale = options.scale.has_value()
                                                     ? static_cast<float>(*options.scale)
                                                     : inverse_root(queries.shape(Rank - 1)),
                                        .softcap = static_cast<float>(options.softcap)}};
  return pool_tensors(queries, keys, values, scoring, options);
}

}  // namespace

PoolingResult<3> dot_product_attention(const TensorView<3>& queries, const TensorView<3>& keys,
                                       const TensorView<3>& values,
                                       const DotProductAttentionOptions& options) {
  return report_out_of_memory([&] {
    validation::check_dot_product_attention(queries.shape(), keys.shape(), values.shape(), options);
    return pool_dot_products(queries, keys, values, options);
  });
}

PoolingResult<4> scaled_dot_product_attention(const TensorView<4>& queries,
                                              const TensorView<4>& keys,
                                              const TensorView<4>& values,
                                              const DotProductAttentionOptions& options) {
  return report_out_of_memory([&] {
    validation::check_scaled_dot_product_attention(queries.shape(), keys.shape(), values.shape(),
                                                   options);
    return pool_dot_products(queries, keys, values, options);
  });
}

PoolingResult<3> additive_attention(const TensorView<3>& queries, const TensorView<3>& keys,
                                    const TensorView<3>& values,
                                    const AdditiveAttentionParameters& parameters,
                                    const AdditiveAttentionOptions& options) {
  return report_out_of_memory([&] {
    validation::check_additive_attention(queries.shape(), keys.shape(), values.shape(), parameters,
                                         options);
    const Scoring scoring{.additive = {.W_q = parameters.W_q.data(),
                                       .W_k = parameters.W_k.data(),
                                       .w_v = parameters.w_v.data(),
                                       .hiddens = parameters.W_q.shape(0)}};
    return pool_tensors(queries, keys, values, scoring, options);
  });
}

}  // namespace headwise
