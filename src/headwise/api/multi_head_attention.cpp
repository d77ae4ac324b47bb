#include <algorithm>
#include <cstdint>
#include <headwise/api/layer_outputs.hpp>
#include <headwise/api/make_tensor.hpp>
#include <headwise/api/mask_options.hpp>
#include <headwise/api/parameter_tensors.hpp>
#include <headwise/api/result_tensors.hpp>
#include <headwise/api/validation.hpp>
#include <headwise/api/working_memory.hpp>
#include <headwise/core/parallel/for_each.hpp>
#include <headwise/multi_head_attention.hpp>
#include <set>
#include <span>
#include <utility>

namespace headwise {
namespace {

using Shape = std::span<const std::size_t>;

/// Makes tensors of the results, without the batch axis if `Rank` is 2.
template <std::size_t Rank>
class ResultTensors final : public ResultMemory {
 public:
  float* of(ResultName name, Shape shape) override {
    switch (name) {
      case ResultName::output:
        return make_result(result.output, shape);
      case ResultName::attention_weights:
        return make_result(result.attention_weights.emplace(), shape);
      case ResultName::key_mass:
        return make_result(result.key_mass.emplace(), shape);
      default:
        return make_result(captured_tensor(result.captured, name).emplace(), shape);
    }
  }

  ForwardResult<Rank> result{.output = {}, .attention_weights = std::nullopt};
};

/// The same numbers without the batch axis, which has size 1.
template <std::size_t Rank>
Tensor<Rank - 1> without_batch_axis(Tensor<Rank>&& tensor) {
  typename Tensor<Rank - 1>::inner_shape_type shape{};
  typename Tensor<Rank - 1>::inner_strides_type strides{};
  std::copy_n(tensor.shape().begin() + 1, Rank - 1, shape.begin());
  std::copy_n(tensor.strides().begin() + 1, Rank - 1, strides.begin());
  return Tensor<Rank - 1>(std::move(tensor.storage()), std::move(shape), std::move(strides));
}

BackwardResult<2> without_batch_axis(BackwardResult<3>&& result) {
  return {.queries = without_batch_axis(std::move(result.queries)),
          .keys = without_batch_axis(std::move(result.keys)),
          .values = without_batch_axis(std::move(result.values)),
          .head_gate = std::move(result.head_gate)};
}

}  // namespace

MultiHeadAttention::MultiHeadAttention(const MultiHeadAttentionOptions& options)
    : AttentionLayer(report_out_of_memory([&] {
        validation::check_layer_options(options);
        return AttentionLayer(options);
      })) {}

AttentionResult MultiHeadAttention::forward(const TensorView<3>& queries, const TensorView<3>& keys,
                                            const TensorView<3>& values,
                                            const ForwardOptions& options) {
  ResultTensors<3> tensors;
  forward(queries, keys, values, options, tensors);
  return std::move(tensors.result);
}

ForwardResult<2> MultiHeadAttention::forward(const TensorView<2>& queries,
                                             const TensorView<2>& keys, const TensorView<2>& values,
                                             const ForwardOptions& options) {
  ResultTensors<2> tensors;
  forward(queries, keys, values, options, tensors);
  return std::move(tensors.result);
}

AttentionResult MultiHeadAttention::forward(const TensorView<3>& queries,
                                            const ForwardOptions& options) {
  ResultTensors<3> tensors;
  forward(queries, {}, {}, options, tensors);
  return std::move(tensors.result);
}

ForwardResult<2> MultiHeadAttention::forward(const TensorView<2>& queries,
                                             const ForwardOptions& options) {
  ResultTensors<2> tensors;
  forward(queries, {}, {}, options, tensors);
  return std::move(tensors.result);
}

void MultiHeadAttention::forward(const InputTensor& queries, const InputTensor& keys,
                                 const InputTensor& values, const ForwardOptions& options,
                                 ResultMemory& results) {
  report_out_of_memory([&] {
    const MaskSizes sizes = validation::check_forward(*this, queries, keys, values, options);
    const MaskStorage masks({.valid_lens = options.valid_lens,
                             .mask = options.mask,
                             .key_mask = options.key_mask,
                             .causal = options.causal,
                             .window = options.window,
                             .empty_rows = options.empty_rows},
                            sizes);
    const std::size_t columns = sizes.num_keys + sizes.num_extra_slots;
    const ChosenRows chosen(options.return_weights, sizes.num_heads, sizes.num_queries);
    float* const output = results.of(
        ResultName::output,
        std::array<std::size_t, 3>{sizes.batch, sizes.num_queries, settings().output_size});
    float* const weights =
        options.return_weights
            ? results.of(ResultName::attention_weights,
                         std::array<std::size_t, 4>{sizes.batch, chosen.rows.num_heads,
                                                    chosen.rows.num_queries, columns})
            : nullptr;
    float* const key_mass =
        options.key_mass
            ? results.of(ResultName::key_mass,
                         std::array<std::size_t, 3>{sizes.batch, sizes.num_heads, columns})
            : nullptr;
    const CapturedActivations captured = capture_into(options.capture,
                                                      {.batch = sizes.batch,
                                                       .num_heads = sizes.num_heads,
                                                       .num_kv_heads = settings().num_kv_heads,
                                                       .num_queries = sizes.num_queries,
                                                       .num_keys = sizes.num_keys,
                                                       .num_extra_slots = sizes.num_extra_slots,
                                                       .head_size = settings().head_size},
                                                      results);
    const std::vector<std::int32_t> positions = to_int32(options.positions);
    const std::size_t threads = parallel::num_threads();
    const bool is_quantized =
        options.cache != nullptr && options.cache->precision() != Precision::float32;
    WorkingMemory memory([&](Arena& arena) {
      static_cast<void>(lay_out_forward(arena, {.batch = sizes.batch,
                                                .num_queries = sizes.num_queries,
                                                .num_keys = sizes.num_keys,
                                                .num_threads = threads,
                                                .key_mass = options.key_mass,
                                                .quantized = is_quantized}));
    });
    ForwardArguments arguments{
        .input_sizes = {.query_size = queries.size(),
                        .key_size = keys.size(),
                        .value_size = values.size()},
        .queries = queries.data,
        .keys = keys.data,
        .values = values.data,
        .num_new_keys = keys.length(),
        .mask = &masks.mask(),
        .cache = options.cache,
        .output = output,
        .weights = {.to = weights, .rows = chosen.rows, .stage = options.weights_stage},
        .key_mass = key_mass,
        .captured = captured,
        .arena = &memory.arena(),
        .num_threads = threads,
        .requires_grad = options.requires_grad};
    if (options.head_gate.has_value()) {
      arguments.head_gate = options.head_gate->data();
      arguments.gate_stride = options.head_gate.has_two_axes() ? sizes.num_heads : 0;
    }
    if (!positions.empty()) {
      arguments.positions = positions.data();
      arguments.positions_sample_stride = options.positions.has_two_axes() ? sizes.num_queries : 0;
    }
    forward_into(arguments, allocate(arguments));
    if (options.requires_grad) {
      pending_has_batch_axis_ = queries.shape.size() == 3;
    }
  });
}

BackwardResult<3> MultiHeadAttention::backward(const TensorView<3>& grad_output) {
  return checked_backward(grad_output);
}

BackwardResult<2> MultiHeadAttention::backward(const TensorView<2>& grad_output) {
  return without_batch_axis(checked_backward(grad_output));
}

BackwardResult<3> MultiHeadAttention::checked_backward(const InputTensor& grad_output) {
  return report_out_of_memory([&] {
    validation::check_backward(*this, grad_output.shape);
    const AttentionMask& sizes = pending_sizes();
    BackwardResult<3> result{
        .queries = make_tensor<3>({sizes.batch, sizes.num_queries, *query_size()}),
        .keys = make_tensor<3>({sizes.batch, sizes.num_keys, *key_size()}),
        .values = make_tensor<3>({sizes.batch, sizes.num_keys, *value_size()}),
        .head_gate = make_tensor<2>({sizes.batch, settings().num_heads})};
    const std::size_t threads = parallel::num_threads();
    WorkingMemory memory([&](Arena& arena) {
      static_cast<void>(lay_out_backward(arena, {.batch = sizes.batch,
                                                 .num_queries = sizes.num_queries,
                                                 .num_keys = sizes.num_keys,
                                                 .num_threads = threads}));
    });
    backward_into({.grad_output = grad_output.data,
                   .queries = result.queries.data(),
                   .keys = result.keys.data(),
                   .values = result.values.data(),
                   .head_gate = result.head_gate.data(),
                   .arena = &memory.arena(),
                   .num_threads = threads});
    return result;
  });
}

void MultiHeadAttention::prune_heads(const std::vector<std::int64_t>& heads) {
  report_out_of_memory([&] {
    validation::check_prune_heads(*this, heads);
    const std::set<std::size_t> each_once(heads.begin(), heads.end());
    remove_heads(allocate_without(std::vector<std::size_t>(each_once.begin(), each_once.end())));
  });
}

KeyValueCache MultiHeadAttention::create_cache(const CacheOptions& options) const {
  return report_out_of_memory([&] {
    validation::check_cache_options(*this, options);
    return KeyValueCache(identity(),
                         {.batch = static_cast<std::size_t>(options.batch_size),
                          .num_heads = settings().num_kv_heads,
                          .max_length = static_cast<std::size_t>(options.max_length),
                          .head_size = settings().head_size},
                         options.precision);
  });
}

StateDict MultiHeadAttention::state_dict() const {
  return report_out_of_memory([&] {
    validation::check_sizes_known(*this, "state_dict");
    StateDict result;
    add_tensors(parameter_table(), parameters()->stored(), "", result);
    return result;
  });
}

StateDict MultiHeadAttention::gradients() const {
  return report_out_of_memory([&] {
    validation::check_sizes_known(*this, "gradients");
    StateDict result;
    add_gradients(parameter_table(), parameter_gradients(), "", result);
    return result;
  });
}

void MultiHeadAttention::load_state_dict(const StateDict& state_dict) {
  report_out_of_memory([&] {
    const InputSizes sizes = validation::check_state_dict(*this, state_dict);
    LayerParameters parameters(settings(), sizes);
    PlannedWrites writes;
    writes.add(parameters.table(), state_dict, "", parameters.stored());
    writes.run();
    set_parameters(std::move(parameters), sizes);
  });
}

}  // namespace headwise
