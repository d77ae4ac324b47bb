#include <algorithm>
#include <cstdint>
#include <headwise/api/layer_outputs.hpp>
#include <headwise/api/make_tensor.hpp>
#include <headwise/api/mask_options.hpp>
#include <headwise/api/parameter_tensors.hpp>
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

template <std::size_t Rank>
float* data_of(std::optional<Tensor<Rank>>& tensor) {
  return tensor.has_value() ? tensor->data() : nullptr;
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
  return checked_forward<3>(queries, &keys, &values, options);
}

ForwardResult<2> MultiHeadAttention::forward(const TensorView<2>& queries,
                                             const TensorView<2>& keys, const TensorView<2>& values,
                                             const ForwardOptions& options) {
  return checked_forward<2>(queries, &keys, &values, options);
}

AttentionResult MultiHeadAttention::forward(const TensorView<3>& queries,
                                            const ForwardOptions& options) {
  return checked_forward<3>(queries, nullptr, nullptr, options);
}

ForwardResult<2> MultiHeadAttention::forward(const TensorView<2>& queries,
                                             const ForwardOptions& options) {
  return checked_forward<2>(queries, nullptr, nullptr, options);
}

template <std::size_t Rank>
ForwardResult<Rank> MultiHeadAttention::checked_forward(const TensorView<Rank>& queries,
                                                        const TensorView<Rank>* keys,
                                                        const TensorView<Rank>* values,
                                                        const ForwardOptions& options) {
  const auto shape_of = [](const TensorView<Rank>* tensor) {
    return tensor != nullptr ? Shape(tensor->shape()) : Shape();
  };
  return report_out_of_memory([&] {
    const MaskSizes sizes = validation::check_forward(*this, queries.shape(), shape_of(keys),
                                                      shape_of(values), options);
    const MaskStorage masks({.valid_lens = options.valid_lens,
                             .mask = options.mask,
                             .key_mask = options.key_mask,
                             .causal = options.causal,
                             .window = options.window,
                             .empty_rows = options.empty_rows},
                            sizes);
    auto output_shape = queries.shape();
    output_shape.back() = settings().output_size;
    ForwardResult<Rank> result{.output = make_tensor<Rank>(output_shape),
                               .attention_weights = std::nullopt};
    const std::size_t columns = sizes.num_keys + sizes.num_extra_slots;
    const ChosenRows chosen(options.return_weights, sizes.num_heads, sizes.num_queries);
    if (options.return_weights) {
      result.attention_weights =
          make_heads<Rank>(sizes.batch, chosen.rows.num_heads, chosen.rows.num_queries, columns);
    }
    if (options.key_mass) {
      std::array<std::size_t, Rank> shape{};
      shape.front() = sizes.batch;
      shape[Rank - 2] = sizes.num_heads;
      shape[Rank - 1] = columns;
      result.key_mass = make_tensor<Rank>(shape);
    }
    const CapturedActivations captured =
        make_captured<Rank>(options.capture,
                            {.batch = sizes.batch,
                             .num_heads = sizes.num_heads,
                             .num_kv_heads = settings().num_kv_heads,
                             .num_queries = sizes.num_queries,
                             .num_keys = sizes.num_keys,
                             .num_extra_slots = sizes.num_extra_slots,
                             .head_size = settings().head_size},
                            result.captured);
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
    const auto size_of = [&](const TensorView<Rank>* tensor) {
      return tensor != nullptr ? tensor->shape().back() : 0;
    };
    ForwardArguments arguments{.input_sizes = {.query_size = size_of(&queries),
                                               .key_size = size_of(keys),
                                               .value_size = size_of(values)},
                               .queries = queries.data(),
                               .keys = keys != nullptr ? keys->data() : nullptr,
                               .values = values != nullptr ? values->data() : nullptr,
                               .num_new_keys = keys != nullptr ? keys->shape(Rank - 2) : 0,
                               .mask = &masks.mask(),
                               .cache = options.cache,
                               .output = result.output.data(),
                               .attention_weights = data_of(result.attention_weights),
                               .weight_rows = chosen.rows,
                               .weights_stage = options.weights_stage,
                               .key_mass = data_of(result.key_mass),
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
      pending_has_batch_axis_ = Rank == 3;
    }
    return result;
  });
}

BackwardResult<3> MultiHeadAttention::backward(const TensorView<3>& grad_output) {
  return checked_backward<3>(grad_output);
}

BackwardResult<2> MultiHeadAttention::backward(const TensorView<2>& grad_output) {
  return checked_backward<2>(grad_output);
}

template <std::size_t Rank>
BackwardResult<Rank> MultiHeadAttention::checked_backward(const TensorView<Rank>& grad_output) {
  return report_out_of_memory([&] {
    validation::check_backward(*this, grad_output.shape());
    const AttentionMask& sizes = pending_sizes();
    const auto like = [&](std::size_t length, std::size_t size) {
      auto shape = grad_output.shape();
      shape[Rank - 2] = length;
      shape[Rank - 1] = size;
      return make_tensor<Rank>(shape);
    };
    BackwardResult<Rank> result{.queries = like(sizes.num_queries, *query_size()),
                                .keys = like(sizes.num_keys, *key_size()),
                                .values = like(sizes.num_keys, *value_size()),
                                .head_gate = make_tensor<2>({sizes.batch, settings().num_heads})};
    const std::size_t threads = parallel::num_threads();
    WorkingMemory memory([&](Arena& arena) {
      static_cast<void>(lay_out_backward(arena, {.batch = sizes.batch,
                                                 .num_queries = sizes.num_queries,
                                                 .num_keys = sizes.num_keys,
                                                 .num_threads = threads}));
    });
    backward_into({.grad_output = grad_output.data(),
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
    add_tensors(parameter_table(), parameters()->values(), "", result);
    return result;
  });
}

StateDict MultiHeadAttention::gradients() const {
  return report_out_of_memory([&] {
    validation::check_sizes_known(*this, "gradients");
    StateDict result;
    add_tensors(parameter_table(), parameter_gradients(), "", result);
    return result;
  });
}

void MultiHeadAttention::load_state_dict(const StateDict& state_dict) {
  report_out_of_memory([&] {
    const InputSizes sizes = validation::check_state_dict(*this, state_dict);
    LayerParameters parameters(settings(), sizes);
    for (const ParameterTable::Entry& entry : parameters.table().entries()) {
      const auto& tensor = state_dict.at(entry.name);
      std::copy_n(tensor.data(), tensor.size(), parameters.values() + entry.offset);
    }
    set_parameters(std::move(parameters), sizes);
  });
}

}  // namespace headwise
