#include <headwise/additive_attention.hpp>
#include <headwise/api/pool_tensors.hpp>
#include <headwise/api/validation.hpp>

namespace headwise {

PoolingResult<3> additive_attention(const Tensor<3>& queries, const Tensor<3>& keys,
                                    const Tensor<3>& values,
                                    const AdditiveAttentionParameters& parameters,
                                    const AdditiveAttentionOptions& options) {
  return report_out_of_memory([&] {
    validation::check_additive_attention(queries.shape(), keys.shape(), values.shape(), parameters,
                                         options);
    const PooledSizes sizes{.mask = {.batch = queries.shape(0),
                                     .num_heads = 1,
                                     .num_queries = queries.shape(1),
                                     .num_keys = keys.shape(1),
                                     .query_offset = options.query_offset},
                            .num_kv_heads = 1,
                            .query_size = queries.shape(2),
                            .key_size = keys.shape(2),
                            .value_size = values.shape(2)};
    const AdditiveScoring scoring{.W_q = parameters.W_q.data(),
                                  .W_k = parameters.W_k.data(),
                                  .w_v = parameters.w_v.data(),
                                  .hiddens = parameters.W_q.shape(0)};
    return pool_tensors(sizes, queries, keys, values, scoring, static_cast<double>(scoring.hiddens),
                        options);
  });
}

}  // namespace headwise
