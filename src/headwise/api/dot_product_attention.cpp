#include <headwise/api/pool_tensors.hpp>
#include <headwise/api/validation.hpp>
#include <headwise/dot_product_attention.hpp>

namespace headwise {
namespace {

template <std::size_t Rank>
PoolingResult<Rank> pool_dot_products(const PooledSizes& sizes, const Tensor<Rank>& queries,
                                      const Tensor<Rank>& keys, const Tensor<Rank>& values,
                                      const DotProductAttentionOptions& options) {
  const DotProductScoring scoring{.scale = options.scale.has_value()
                                               ? static_cast<float>(*options.scale)
                                               : default_scale(sizes.query_size),
                                  .softcap = static_cast<float>(options.softcap)};
  return pool_tensors(sizes, queries, keys, values, scoring, 0, options);
}

}  // namespace

PoolingResult<3> dot_product_attention(const Tensor<3>& queries, const Tensor<3>& keys,
                                       const Tensor<3>& values,
                                       const DotProductAttentionOptions& options) {
  return report_out_of_memory([&] {
    validation::check_dot_product_attention(queries.shape(), keys.shape(), values.shape(), options);
    return pool_dot_products<3>({.mask = {.batch = queries.shape(0),
                                          .num_heads = 1,
                                          .num_queries = queries.shape(1),
                                          .num_keys = keys.shape(1),
                                          .query_offset = options.query_offset},
                                 .num_kv_heads = 1,
                                 .query_size = queries.shape(2),
                                 .key_size = keys.shape(2),
                                 .value_size = values.shape(2)},
                                queries, keys, values, options);
  });
}

PoolingResult<4> scaled_dot_product_attention(const Tensor<4>& queries, const Tensor<4>& keys,
                                              const Tensor<4>& values,
                                              const DotProductAttentionOptions& options) {
  return report_out_of_memory([&] {
    validation::check_scaled_dot_product_attention(queries.shape(), keys.shape(), values.shape(),
                                                   options);
    return pool_dot_products<4>({.mask = {.batch = queries.shape(0),
                                          .num_heads = queries.shape(1),
                                          .num_queries = queries.shape(2),
                                          .num_keys = keys.shape(2),
                                          .query_offset = options.query_offset},
                                 .num_kv_heads = keys.shape(1),
                                 .query_size = queries.shape(3),
                                 .key_size = keys.shape(3),
                                 .value_size = values.shape(3)},
                                queries, keys, values, options);
  });
}

}  // namespace headwise
