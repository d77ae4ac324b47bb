#include <array>
#include <cstddef>
#include <headwise/api/mask_options.hpp>
#include <headwise/api/result_tensors.hpp>
#include <headwise/api/validation.hpp>
#include <headwise/api/working_memory.hpp>
#include <headwise/attention_pooling.hpp>
#include <headwise/core/attention/pooling.hpp>
#include <headwise/core/parallel/for_each.hpp>
#include <headwise/core/random.hpp>
#include <optional>
#include <utility>
#include <vector>

namespace headwise {
namespace {

/// The mask as one that broadcasts to (batch, queries, keys).
AttentionMask without_head_axis(AttentionMask mask) noexcept {
  mask.mask_strides[0] = std::exchange(mask.mask_strides[1], 0);
  return mask;
}

/// Pools tensors of contiguous heads, whose shapes were checked: (batch, heads, length, size), or
/// (batch, length, size) for one head.
template <typename Options>
void pool_tensors(const InputTensor& queries, const InputTensor& keys, const InputTensor& values,
                  const Scoring& scoring, const Options& options, ResultMemory& results) {
  const bool has_head_axis = queries.shape.size() == 4;
  const auto num_heads = [&](const InputTensor& tensor) {
    return has_head_axis ? tensor.shape[1] : 1;
  };
  const MaskSizes sizes{.batch = queries.shape.front(),
                        .num_heads = num_heads(queries),
                        .num_queries = queries.length(),
                        .num_keys = keys.length(),
                        .query_offset = options.query_offset};
  const MaskStorage masks({.valid_lens = options.valid_lens,
                           .mask = options.mask,
                           .key_mask = options.key_mask,
                           .causal = options.causal,
                           .window = options.window,
                           .empty_rows = options.empty_rows},
                          sizes);
  const AttentionMask mask = has_head_axis ? masks.mask() : without_head_axis(masks.mask());
  std::vector<std::size_t> shape(queries.shape.begin(), queries.shape.end());
  shape.back() = values.size();
  float* const output = results.of(ResultName::output, shape);
  shape.back() = sizes.num_keys;
  float* const weights =
      options.return_weights ? results.of(ResultName::attention_weights, shape) : nullptr;
  const std::size_t threads = parallel::num_threads();
  const auto view = [&](const InputTensor& tensor) {
    return separate_heads_view(tensor.data, num_heads(tensor), tensor.length(), tensor.size());
  };
  const PoolingArguments arguments{
      .mask = &mask,
      .num_heads = sizes.num_heads,
      .num_kv_heads = num_heads(keys),
      .query_size = queries.size(),
      .key_size = keys.size(),
      .value_size = values.size(),
      .queries = view(queries),
      .keys = view(keys),
      .values = view(values),
      .pooled = separate_heads_view(output, sizes.num_heads, sizes.num_queries, values.size()),
      .weights = {WeightsOutput{.to = weights, .rows = {}, .stage = options.weights_stage}},
      .num_threads = threads};
  WorkingMemory memory([&](Arena& arena) {
    static_cast<void>(PoolingMemory::lay_out(arena, sizes_of(arguments, scoring), threads));
  });
  pool(arguments, scoring, memory.arena());
}

void pool_dot_products(const InputTensor& queries, const InputTensor& keys,
                       const InputTensor& values, const DotProductAttentionOptions& options,
                       ResultMemory& results) {
  const Scoring scoring{.dot_product = {.scale = options.scale.has_value()
                                                     ? static_cast<float>(*options.scale)
                                                     : inverse_root(queries.size()),
                                        .softcap = static_cast<float>(options.softcap)}};
  pool_tensors(queries, keys, values, scoring, options, results);
}

/// Makes tensors of the results.
template <std::size_t Rank>
class PooledTensors final : public ResultMemory {
 public:
  float* of(ResultName name, std::span<const std::size_t> shape) override {
    return name == ResultName::output ? make_result(result.output, shape)
                                      : make_result(result.attention_weights.emplace(), shape);
  }

  PoolingResult<Rank> result{.output = {}, .attention_weights = std::nullopt};
};

}  // namespace

PoolingResult<3> dot_product_attention(const TensorView<3>& queries, const TensorView<3>& keys,
                                       const TensorView<3>& values,
                                       const DotProductAttentionOptions& options) {
  return report_out_of_memory([&] {
    PooledTensors<3> results;
    validation::check_dot_product_attention(queries.shape(), keys.shape(), values.shape(), options);
    pool_dot_products(queries, keys, values, options, results);
    return std::move(results.result);
  });
}

PoolingResult<4> scaled_dot_product_attention(const TensorView<4>& queries,
                                              const TensorView<4>& keys,
                                              const TensorView<4>& values,
                                              const DotProductAttentionOptions& options) {
  PooledTensors<4> results;
  scaled_dot_product_attention(queries, keys, values, options, results);
  return std::move(results.result);
}

void scaled_dot_product_attention(const InputTensor& queries, const InputTensor& keys,
                                  const InputTensor& values,
                                  const DotProductAttentionOptions& options,
                                  ResultMemory& results) {
  report_out_of_memory([&] {
    validation::check_scaled_dot_product_attention(queries.shape, keys.shape, values.shape,
                                                   options);
    pool_dot_products(queries, keys, values, options, results);
  });
}

PoolingResult<3> additive_attention(const TensorView<3>& queries, const TensorView<3>& keys,
                                    const TensorView<3>& values,
                                    const AdditiveAttentionParameters& parameters,
                                    const AdditiveAttentionOptions& options) {
  PooledTensors<3> results;
  const auto input = [](const Tensor<2>& tensor) {
    return InputTensor(tensor.data(), tensor.shape());
  };
  additive_attention(
      queries, keys, values,
      {.W_q = input(parameters.W_q), .W_k = input(parameters.W_k), .w_v = input(parameters.w_v)},
      options, results);
  return std::move(results.result);
}

void additive_attention(const InputTensor& queries, const InputTensor& keys,
                        const InputTensor& values, const AdditiveAttentionInputs& parameters,
                        const AdditiveAttentionOptions& options, ResultMemory& results) {
  report_out_of_memory([&] {
    validation::check_additive_attention(queries.shape, keys.shape, values.shape, parameters,
                                         options);
    const Scoring scoring{.additive = {.W_q = parameters.W_q.data,
                                       .W_k = parameters.W_k.data,
                                       .w_v = parameters.w_v.data,
                                       .hiddens = parameters.W_q.shape.front()}};
    pool_tensors(queries, keys, values, scoring, options, results);
  });
}

}  // namespace headwise
