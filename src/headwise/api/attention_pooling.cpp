#include <array>
#include <cstddef>
#include <headwise/api/native_inputs.hpp>
#include <headwise/api/pooling_inputs.hpp>
#include <headwise/api/result_tensors.hpp>
#include <headwise/api/results.hpp>
#include <headwise/api/validation.hpp>
#include <headwise/api/working_memory.hpp>
#include <headwise/attention_pooling.hpp>
#include <headwise/core/attention/pooling.hpp>
#include <headwise/core/parallel/for_each.hpp>
#include <headwise/core/random.hpp>
#include <utility>

namespace headwise {
namespace {

/// The mask as one that broadcasts to (batch, queries, keys).
AttentionMask without_head_axis(AttentionMask mask) noexcept {
  mask.mask_strides[0] = std::exchange(mask.mask_strides[1], 0);
  return mask;
}

template <typename Options>
PoolingInputs inputs_of(const InputTensor& queries, const InputTensor& keys,
                        const InputTensor& values, const MaskOptions& masks,
                        const Options& options) {
  return {.query_offset = static_cast<double>(options.query_offset),
          .queries = queries,
          .keys = keys,
          .values = values,
          .masks = masks.inputs(),
          .return_weights = options.return_weights,
          .weights_stage = options.weights_stage};
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

template <std::size_t Rank>
PoolingResult<Rank> pool_dot_products(const TensorView<Rank>& queries, const TensorView<Rank>& keys,
                                      const TensorView<Rank>& values,
                                      const DotProductAttentionOptions& options) {
  return report_out_of_memory([&] {
    const MaskOptions masks(options);
    PoolingInputs inputs = inputs_of(queries, keys, values, masks, options);
    inputs.has_scale = options.scale.has_value();
    inputs.scale = options.scale.value_or(0);
    inputs.softcap = options.softcap;
    PooledTensors<Rank> results;
    pool_inputs(inputs, Rank == 4, results);
    return std::move(results.result);
  });
}

}  // namespace

void pool_inputs(const PoolingInputs& inputs, bool has_head_axis, ResultMemory& results) {
  const MaskSizes sizes = validation::check_pooling(inputs, has_head_axis);
  const InputTensor& queries = inputs.queries;
  const InputTensor& keys = inputs.keys;
  const InputTensor& values = inputs.values;
  const std::size_t num_kv_heads = has_head_axis ? keys.shape[1] : 1;
  const auto result = [&](ResultName name, bool is_wanted, std::size_t size) {
    return has_head_axis
               ? Result(name, is_wanted, sizes.batch, sizes.num_heads, sizes.num_queries, size)
               : Result(name, is_wanted, sizes.batch, sizes.num_queries, size);
  };
  std::array<Result, 2> wanted = {
      result(ResultName::output, true, values.size()),
      result(ResultName::attention_weights, inputs.return_weights, sizes.num_keys)};
  Result::place(wanted, results);
  const Scoring scoring{.dot_product = {.scale = inputs.has_scale ? static_cast<float>(inputs.scale)
                                                                  : inverse_root(queries.size()),
                                        .softcap = static_cast<float>(inputs.softcap)},
                        .additive = {.W_q = inputs.W_q.data,
                                     .W_k = inputs.W_k.data,
                                     .w_v = inputs.w_v.data,
                                     .hiddens = inputs.is_additive ? inputs.W_q.shape.front() : 0}};
  const std::size_t threads = parallel::num_threads();
  const PoolingSizes pooling_sizes{.columns = sizes.num_keys,
                                   .query_size = queries.size(),
                                   .key_size = keys.size(),
                                   .value_size = values.size(),
                                   .attention_hiddens = scoring.additive.hiddens};
  const auto lay_out = [&](Arena& arena) {
    Result::lay_out(wanted, arena);
    return MaskMemory(arena, inputs.masks, sizes.batch);
  };
  WorkingMemory memory([&](Arena& arena) {
    static_cast<void>(lay_out(arena));
    static_cast<void>(PoolingMemory::lay_out(arena, pooling_sizes, threads));
  });
  const AttentionMask given = lay_out(memory.arena()).mask(inputs.masks, sizes);
  const AttentionMask mask = has_head_axis ? given : without_head_axis(given);
  const auto view = [&](auto* data, std::size_t heads, std::size_t length, std::size_t size) {
    return separate_heads_view(data, heads, length, size);
  };
  pool({.mask = &mask,
        .num_heads = sizes.num_heads,
        .num_kv_heads = num_kv_heads,
        .query_size = queries.size(),
        .key_size = keys.size(),
        .value_size = values.size(),
        .queries = view(queries.data, sizes.num_heads, sizes.num_queries, queries.size()),
        .keys = view(keys.data, num_kv_heads, sizes.num_keys, keys.size()),
        .values = view(values.data, num_kv_heads, sizes.num_keys, values.size()),
        .pooled = view(wanted[0].to(), sizes.num_heads, sizes.num_queries, values.size()),
        .weights = {WeightsOutput{.to = wanted[1].to(), .rows = {}, .stage = inputs.weights_stage}},
        .num_threads = threads},
       scoring, memory.arena());
  Result::give(wanted, results);
}

PoolingResult<3> dot_product_attention(const TensorView<3>& queries, const TensorView<3>& keys,
                                       const TensorView<3>& values,
                                       const DotProductAttentionOptions& options) {
  return pool_dot_products(queries, keys, values, options);
}

PoolingResult<4> scaled_dot_product_attention(const TensorView<4>& queries,
                                              const TensorView<4>& keys,
                                              const TensorView<4>& values,
                                              const DotProductAttentionOptions& options) {
  return pool_dot_products(queries, keys, values, options);
}

PoolingResult<3> additive_attention(const TensorView<3>& queries, const TensorView<3>& keys,
                                    const TensorView<3>& values,
                                    const AdditiveAttentionParameters& parameters,
                                    const AdditiveAttentionOptions& options) {
  return report_out_of_memory([&] {
    const MaskOptions masks(options);
    const auto input = [](const Tensor<2>& tensor) {
      return InputTensor(tensor.data(), tensor.shape());
    };
    PoolingInputs inputs = inputs_of(queries, keys, values, masks, options);
    inputs.is_additive = true;
    inputs.W_q = input(parameters.W_q);
    inputs.W_k = input(parameters.W_k);
    inputs.w_v = input(parameters.w_v);
    PooledTensors<3> results;
    pool_inputs(inputs, false, results);
    return std::move(results.result);
  });
}

}  // namespace headwise
