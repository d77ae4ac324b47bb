#include <algorithm>
#include <array>
#include <cstdint>
#include <headwise/api/forward_inputs.hpp>
#include <headwise/api/make_tensor.hpp>
#include <headwise/api/native_inputs.hpp>
#include <headwise/api/parameter_tensors.hpp>
#include <headwise/api/result_tensors.hpp>
#include <headwise/api/results.hpp>
#include <headwise/api/validation.hpp>
#include <headwise/api/validation_state_dict.hpp>
#include <headwise/api/working_memory.hpp>
#include <headwise/core/parallel/for_each.hpp>
#include <headwise/multi_head_attention.hpp>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace headwise {
namespace {

using Shape = std::span<const std::size_t>;

/// The member of this name.
template <std::size_t Rank>
std::optional<Tensor<Rank + 1>>& captured_tensor(CapturedTensors<Rank>& captured,
                                                 ResultName name) noexcept {
  return name == ResultName::captured_queries  ? captured.queries
         : name == ResultName::captured_keys   ? captured.keys
         : name == ResultName::captured_values ? captured.values
         : name == ResultName::captured_scores ? captured.scores
         : name == ResultName::captured_pooled ? captured.pooled
                                               : captured.dropped_weights;
}

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

/// Makes tensors of the gradients.
template <std::size_t Rank>
class GradientTensors final : public ResultMemory {
 public:
  float* of(ResultName name, Shape shape) override {
    switch (name) {
      case ResultName::gradient_of_queries:
        return make_result(result.queries, shape);
      case ResultName::gradient_of_keys:
        return make_result(result.keys, shape);
      case ResultName::gradient_of_values:
        return make_result(result.values, shape);
      default:
        return make_result(result.head_gate, shape);
    }
  }

  BackwardResult<Rank> result;
};

/// What a forward takes from its working memory before the layer does.
struct PassMemory {
  MaskMemory masks;
  Integers positions;
  std::int32_t* head_places;
  std::int32_t* query_places;
};

/// Writes the place of each of `count` indices in a list, −1 if it is not there. Returns null,
/// which is all of them, without a list. Fails if one is there twice; `one` is what errors call it.
const std::int32_t* write_places(std::string_view argument, std::string_view one,
                                 const Input<double>& list, std::size_t count,
                                 std::int32_t* places) {
  if (!list.is_given()) {
    return nullptr;
  }
  std::fill_n(places, count, -1);
  std::int32_t place = 0;
  for (const double index : list.numbers()) {
    std::int32_t& place_of_index = places[static_cast<std::size_t>(index)];
    if (place_of_index >= 0) {
      validation::fail_twice(argument, one, index);
    }
    place_of_index = place++;
  }
  return places;
}

}  // namespace

MultiHeadAttention::MultiHeadAttention(const MultiHeadAttentionOptions& options,
                                       InitialParameters initial)
    : AttentionLayer(report_out_of_memory([&] {
        validation::check_layer_options(options);
        return AttentionLayer(options, initial);
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
    const MaskOptions masks(options);
    const ReturnedWeights& weights = options.return_weights;
    const IntegerInput positions(options.positions);
    const IntegerInput heads(weights.heads);
    const IntegerInput rows = queries_of(weights, queries.length());
    forward({.queries = queries,
             .keys = keys,
             .values = values,
             .masks = masks.inputs(),
             .head_gate = input_of(options.head_gate),
             .positions = positions.input(),
             .requires_grad = options.requires_grad,
             .cache = options.cache,
             .return_weights = weights.all,
             .weight_heads = heads.input(),
             .weight_queries = rows.input(),
             .key_mass = options.key_mass,
             .weights_stage = options.weights_stage,
             .capture = options.capture},
            results);
  });
}

void MultiHeadAttention::forward(const ForwardInputs& inputs, ResultMemory& results) {
  const MaskSizes sizes = validation::check_forward(*this, inputs);
  const auto& [batch, num_heads, num_queries, num_keys, num_extra_slots, query_offset] = sizes;
  const LayerSettings& layer = settings();
  const Capture& capture = inputs.capture;
  const std::size_t columns = num_keys + num_extra_slots;
  const auto chosen = [](const Input<double>& list, std::size_t count) {
    return list.is_given() ? list.size() : count;
  };
  const std::size_t weight_heads = chosen(inputs.weight_heads, num_heads);
  const std::size_t weight_queries = chosen(inputs.weight_queries, num_queries);
  // In the order of their names.
  std::array<Result, 9> wanted = {
      Result(ResultName::output, true, batch, num_queries, layer.output_size),
      Result(ResultName::attention_weights, inputs.return_weights, batch, weight_heads,
             weight_queries, columns),
      Result(ResultName::key_mass, inputs.key_mass, batch, num_heads, columns),
      Result(ResultName::captured_queries, capture.queries, batch, num_heads, num_queries,
             layer.head_size),
      Result(ResultName::captured_keys, capture.keys, batch, layer.num_kv_heads, num_keys,
             layer.head_size),
      Result(ResultName::captured_values, capture.values, batch, layer.num_kv_heads, num_keys,
             layer.head_size),
      Result(ResultName::captured_scores, capture.scores, batch, num_heads, num_queries, columns),
      Result(ResultName::captured_pooled, capture.pooled, batch, num_heads, num_queries,
             layer.head_size),
      Result(ResultName::dropped_weights, capture.dropped_weights, batch, num_heads, num_queries,
             columns)};
  Result::place(wanted, results);
  const std::size_t threads = parallel::num_threads();
  const auto lay_out = [&](Arena& arena) {
    Result::lay_out(wanted, arena);
    return PassMemory{
        .masks = {arena, inputs.masks, batch},
        .positions = {arena, inputs.positions},
        .head_places = arena.take<std::int32_t>(inputs.weight_heads.is_given() ? num_heads : 0),
        .query_places =
            arena.take<std::int32_t>(inputs.weight_queries.is_given() ? num_queries : 0)};
  };
  WorkingMemory memory([&](Arena& arena) {
    static_cast<void>(lay_out(arena));
    static_cast<void>(lay_out_forward(
        arena,
        {.batch = batch,
         .num_queries = num_queries,
         .num_keys = num_keys,
         .num_threads = threads,
         .key_mass = inputs.key_mass,
         .quantized = inputs.cache != nullptr && inputs.cache->precision() != Precision::float32}));
  });
  const PassMemory lists = lay_out(memory.arena());
  const AttentionMask mask = lists.masks.mask(inputs.masks, sizes);
  const auto to = [&](ResultName name) { return wanted[static_cast<std::size_t>(name)].to(); };
  const ForwardArguments arguments{
      .input_sizes = {.query_size = inputs.queries.size(),
                      .key_size = inputs.keys.size(),
                      .value_size = inputs.values.size()},
      .queries = inputs.queries.data,
      .keys = inputs.keys.data,
      .values = inputs.values.data,
      .num_new_keys = inputs.keys.length(),
      .positions = lists.positions.copy(inputs.positions),
      .positions_sample_stride = inputs.positions.shape.size() == 2 ? num_queries : 0,
      .mask = &mask,
      .head_gate = inputs.head_gate.data,
      .gate_stride = inputs.head_gate.shape.size() == 2 ? num_heads : 0,
      .cache = inputs.cache,
      .output = to(ResultName::output),
      .weights = {.to = to(ResultName::attention_weights),
                  .rows = {.head_places =
                               write_places("return_weights.heads", "head", inputs.weight_heads,
                                            num_heads, lists.head_places),
                           .query_places =
                               write_places("return_weights.queries", "query",
                                            inputs.weight_queries, num_queries, lists.query_places),
                           .num_heads = weight_heads,
                           .num_queries = weight_queries},
                  .stage = inputs.weights_stage},
      .key_mass = to(ResultName::key_mass),
      .captured = {.queries = to(ResultName::captured_queries),
                   .keys = to(ResultName::captured_keys),
                   .values = to(ResultName::captured_values),
                   .scores = to(ResultName::captured_scores),
                   .pooled = to(ResultName::captured_pooled),
                   .dropped_weights = to(ResultName::dropped_weights)},
      .arena = &memory.arena(),
      .num_threads = threads,
      .requires_grad = inputs.requires_grad,
      .has_batch_axis = inputs.queries.shape.size() == 3};
  forward_into(arguments, allocate(arguments));
  Result::give(wanted, results);
}

BackwardResult<3> MultiHeadAttention::backward(const TensorView<3>& grad_output) {
  GradientTensors<3> tensors;
  backward(grad_output, tensors);
  return std::move(tensors.result);
}

BackwardResult<2> MultiHeadAttention::backward(const TensorView<2>& grad_output) {
  GradientTensors<2> tensors;
  backward(grad_output, tensors);
  return std::move(tensors.result);
}

void MultiHeadAttention::backward(const InputTensor& grad_output, ResultMemory& results) {
  report_out_of_memory([&] {
    validation::check_backward(*this, grad_output.shape);
    const AttentionMask& sizes = pending_sizes();
    const auto gradient = [&](ResultName name, std::size_t length,
                              const std::optional<std::size_t>& size) {
      return pending_has_batch_axis() ? Result(name, true, sizes.batch, length, *size)
                                      : Result(name, true, length, *size);
    };
    std::array<Result, 4> gradients = {
        gradient(ResultName::gradient_of_queries, sizes.num_queries, query_size()),
        gradient(ResultName::gradient_of_keys, sizes.num_keys, key_size()),
        gradient(ResultName::gradient_of_values, sizes.num_keys, value_size()),
        Result(ResultName::gradient_of_head_gate, true, sizes.batch, settings().num_heads)};
    Result::place(gradients, results);
    const std::size_t threads = parallel::num_threads();
    WorkingMemory memory([&](Arena& arena) {
      Result::lay_out(gradients, arena);
      static_cast<void>(lay_out_backward(arena, {.batch = sizes.batch,
                                                 .num_queries = sizes.num_queries,
                                                 .num_keys = sizes.num_keys,
                                                 .num_threads = threads}));
    });
    Result::lay_out(gradients, memory.arena());
    const auto& [queries, keys, values, head_gate] = gradients;
    backward_into({.grad_output = grad_output.data,
                   .queries = queries.to(),
                   .keys = keys.to(),
                   .values = values.to(),
                   .head_gate = head_gate.to(),
                   .arena = &memory.arena(),
                   .num_threads = threads});
    Result::give(gradients, results);
  });
}

void MultiHeadAttention::prune_heads(const std::vector<std::int64_t>& heads) {
  report_out_of_memory([&] {
    const std::vector<double> given(heads.begin(), heads.end());
    remove_heads(allocate_without(validation::check_prune_heads(*this, given)));
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
    return values_of(parameter_list(*this));
  });
}

StateDict MultiHeadAttention::gradients() const {
  return report_out_of_memory([&] {
    validation::check_sizes_known(*this, "gradients");
    return gradients_of(parameter_list(*this));
  });
}

void MultiHeadAttention::load_state_dict(const StateDict& state_dict) {
  report_out_of_memory([&] {
    const InputSizes sizes = validation::check_layer_tensors(*this, names_and_shapes(state_dict));
    if (parameters()) {
      write_values(parameter_list(*this), state_dict);
      parameters_changed();
      return;
    }
    LayerParameters inferred(settings(), sizes);
    ParameterList list;
    append_parameters(inferred.table(), &inferred.stored(), nullptr, this, "", list);
    write_values(list, state_dict);
    set_parameters(std::move(inferred), sizes);
  });
}

}  // namespace headwise
