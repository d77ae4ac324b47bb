#include <algorithm>
#include <array>
#include <headwise/api/validation.hpp>
#include <headwise/core/attention/head_gate.hpp>
#include <headwise/core/attention/linear_backward.hpp>
#include <headwise/core/attention/parameter_names.hpp>
#include <headwise/core/attention/pooling_backward.hpp>
#include <headwise/core/kernels/dispatch.hpp>
#include <headwise/core/memory/checked_sizes.hpp>
#include <headwise/core/memory/workspace.hpp>
#include <headwise/core/parallel/for_each.hpp>
#include <headwise/multi_head_attention.hpp>
#include <utility>

namespace headwise {
ForwardRecord::Sizes MultiHeadAttention::record_sizes(const InputSizes& inputs,
                                                      const AttentionMask& mask) const noexcept {
  const std::size_t query_rows = mask.batch * mask.num_queries;
  const std::size_t key_rows = mask.batch * mask.num_keys;
  return {.queries = query_rows * inputs.query_size,
          .keys = key_rows * inputs.key_size,
          .values = key_rows * inputs.value_size,
          .projections = settings_.projection == Projection::none
                             ? 0
                             : Workspace::padded(query_rows * settings_.query_width()) +
                                   2 * Workspace::padded(key_rows * settings_.key_value_width()),
          .pooled = query_rows * settings_.query_width()};
}

void MultiHeadAttention::keep_inputs(ForwardArguments& arguments) noexcept {
  const ForwardRecord::Sizes sizes = record_sizes(input_sizes(), *arguments.mask);
  arguments.queries =
      std::copy_n(arguments.queries, sizes.queries, record_->queries()) - sizes.queries;
  arguments.keys = std::copy_n(arguments.keys, sizes.keys, record_->keys()) - sizes.keys;
  arguments.values = std::copy_n(arguments.values, sizes.values, record_->values()) - sizes.values;
}

double MultiHeadAttention::backward_workspace_size(double batch, double num_queries,
                                                   double num_keys,
                                                   double num_threads) const noexcept {
  const auto head_size = static_cast<double>(settings_.head_size);
  const auto query_width = static_cast<double>(settings_.query_width());
  const auto key_value_width = static_cast<double>(settings_.key_value_width());
  const auto columns = num_keys + static_cast<double>(settings_.num_extra_slots());
  const double attention_hiddens =
      settings_.pooling == Pooling::additive ? static_cast<double>(settings_.attention_hiddens) : 0;
  const double heads = batch * (num_queries * query_width * 2 + num_keys * key_value_width * 2);
  const double partial_sums =
      batch * (2 * key_value_width + static_cast<double>(settings_.num_kv_heads) *
                                         attention_hiddens * (2 * head_size + 1));
  const double widest =
      std::max({query_width, key_value_width, static_cast<double>(settings_.output_size)});
  // Of each piece of workspace: gradients of the projections, heads, slots and parameters.
  constexpr double padding = 9.0 * Workspace::line;
  return heads + partial_sums + padding +
         num_threads * std::max(linear_backward_workspace_size(widest),
                                pooling_backward_workspace_size(columns, head_size, head_size,
                                                                head_size, attention_hiddens));
}

void MultiHeadAttention::backward_into(const BackwardArguments& arguments) noexcept {
  ForwardRecord& record = *record_;
  const LayerParameters& parameters = *parameters_;
  const AttentionMask mask = record.mask();
  const std::size_t query_rows = mask.batch * mask.num_queries;
  const std::size_t key_rows = mask.batch * mask.num_keys;
  const std::size_t query_width = settings_.query_width();
  const std::size_t key_value_width = settings_.key_value_width();
  const std::size_t head_size = settings_.head_size;
  pending_ = PendingBackward::none;

  Workspace workspace(arguments.workspace);
  const auto differentiate = [&](const Linear& linear, std::size_t number, const float* inputs,
                                 const float* gradient, std::size_t rows, float* input_gradient) {
    linear_backward(linear, {.inputs = inputs,
                             .gradient = gradient,
                             .rows = rows,
                             .input_gradient = input_gradient,
                             .weight_gradient = gradients_.data(number),
                             .bias_gradient = gradients_.data(number + 1),
                             .workspace = workspace.rest(),
                             .num_threads = arguments.num_threads});
  };
  const bool has_projections = parameters.W_q.has_value();
  Workspace projections(record.projections());
  const auto projected = [&](std::size_t floats, const float* inputs) -> const float* {
    return has_projections ? projections.take(floats) : inputs;
  };
  const float* Q = projected(query_rows * query_width, record.queries());
  const float* K = projected(key_rows * key_value_width, record.keys());
  const float* V = projected(key_rows * key_value_width, record.values());
  const auto query_heads = [&](auto* data) {
    return split_heads_view(data, mask.num_queries, settings_.num_heads, head_size);
  };
  const auto key_value_heads = [&](auto* data) {
    return split_heads_view(data, mask.num_keys, settings_.num_kv_heads, head_size);
  };
  PoolingArguments pooling =
      pooling_arguments(mask, Q, key_value_heads(K), key_value_heads(V), record.pooled());
  pooling.dropout = record.dropout();
  pooling.head_gate = record.head_gate();
  pooling.gate_stride = record.gate_stride();
  pooling.num_threads = arguments.num_threads;

  const float* grad_pooled = arguments.grad_output;
  float* grad_Q = has_projections ? workspace.take(query_rows * query_width) : arguments.queries;
  float* grad_K = has_projections ? workspace.take(key_rows * key_value_width) : arguments.keys;
  float* grad_V = has_projections ? workspace.take(key_rows * key_value_width) : arguments.values;
  if (parameters.W_o) {
    float* gradient = workspace.take(query_rows * query_width);
    // The gated heads once more: they are not needed later.
    float* gated = grad_Q;
    gate_heads(record.pooled(), pooling.head_gate, pooling.gate_stride,
               {.batch = mask.batch,
                .num_heads = settings_.num_heads,
                .length = mask.num_queries,
                .size = head_size},
               gated);
    differentiate(*parameters.W_o, parameter_number::W_o, gated, arguments.grad_output, query_rows,
                  gradient);
    grad_pooled = gradient;
  }

  PoolingGradients gradients{.pooled = query_heads(grad_pooled),
                             .queries = query_heads(grad_Q),
                             .keys = key_value_heads(grad_K),
                             .values = key_value_heads(grad_V),
                             .head_gate = arguments.head_gate};
  if (parameters.bias_k) {
    gradients.extra_slots[0] = {.key = workspace.take(mask.batch * key_value_width),
                                .value = workspace.take(mask.batch * key_value_width)};
  }
  if (settings_.pooling == Pooling::additive) {
    const std::size_t hiddens = settings_.attention_hiddens;
    const std::size_t kv_heads = mask.batch * settings_.num_kv_heads;
    gradients.W_q = workspace.take(kv_heads * hiddens * head_size);
    gradients.W_k = workspace.take(kv_heads * hiddens * head_size);
    gradients.w_v = workspace.take(kv_heads * hiddens);
    pool_backward(pooling, additive_scoring(), gradients, workspace.rest());
    kernels::add_rows(gradients.W_q, kv_heads, hiddens * head_size,
                      gradients_.data(parameter_number::attention_W_q));
    kernels::add_rows(gradients.W_k, kv_heads, hiddens * head_size,
                      gradients_.data(parameter_number::attention_W_k));
    kernels::add_rows(gradients.w_v, kv_heads, hiddens,
                      gradients_.data(parameter_number::attention_w_v));
  } else {
    pool_backward(pooling,
                  DotProductScoring{.scale = settings_.scale, .softcap = settings_.softcap},
                  gradients, workspace.rest());
  }
  if (parameters.bias_k) {
    kernels::add_rows(gradients.extra_slots[0].key, mask.batch, key_value_width,
                      gradients_.data(parameter_number::bias_k));
    kernels::add_rows(gradients.extra_slots[0].value, mask.batch, key_value_width,
                      gradients_.data(parameter_number::bias_v));
  }
  if (has_projections) {
    differentiate(*parameters.W_q, parameter_number::W_q, record.queries(), grad_Q, query_rows,
                  arguments.queries);
    differentiate(*parameters.W_k, parameter_number::W_k, record.keys(), grad_K, key_rows,
                  arguments.keys);
    differentiate(*parameters.W_v, parameter_number::W_v, record.values(), grad_V, key_rows,
                  arguments.values);
  }
}

BackwardResult<3> MultiHeadAttention::backward(const Tensor<3>& grad_output) {
  return checked_backward<3>(grad_output);
}

BackwardResult<2> MultiHeadAttention::backward(const Tensor<2>& grad_output) {
  return checked_backward<2>(grad_output);
}

template <std::size_t Rank>
BackwardResult<Rank> MultiHeadAttention::checked_backward(const Tensor<Rank>& grad_output) {
  return report_out_of_memory([&] {
    if constexpr (validation::enabled) {
      validation::check_backward(*this, grad_output.shape());
    }
    const AttentionMask& sizes = pending_sizes();
    const auto like = [&](std::size_t length, std::size_t size) {
      auto shape = grad_output.shape();
      shape[Rank - 2] = length;
      shape[Rank - 1] = size;
      return make_tensor<Rank>(shape);
    };
    BackwardResult<Rank> result{.queries = like(sizes.num_queries, *query_size_),
                                .keys = like(sizes.num_keys, *key_size_),
                                .values = like(sizes.num_keys, *value_size_),
                                .head_gate = make_tensor<2>({sizes.batch, settings_.num_heads})};
    const std::size_t threads = parallel::num_threads();
    auto workspace = make_tensor<1>({checked_count(backward_workspace_size(
        static_cast<double>(sizes.batch), static_cast<double>(sizes.num_queries),
        static_cast<double>(sizes.num_keys), static_cast<double>(threads)))});
    backward_into({.grad_output = grad_output.data(),
                   .queries = result.queries.data(),
                   .keys = result.keys.data(),
                   .values = result.values.data(),
                   .head_gate = result.head_gate.data(),
                   .workspace = workspace.data(),
                   .num_threads = threads});
    return result;
  });
}

StateDict MultiHeadAttention::gradients() const {
  return report_out_of_memory([&] {
    validation::check_sizes_known(*this, "gradients");
    StateDict result;
    for (const auto& [number, shape] : parameter_shapes(settings_, input_sizes())) {
      auto tensor = make_array(shape);
      if (gradients_.exist()) {
        std::copy_n(gradients_.data(number), tensor.size(), tensor.data());
      } else {
        tensor.fill(0.0F);
      }
      result.emplace(parameter_names[number], std::move(tensor));
    }
    return result;
  });
}

std::vector<TrainableParameter> MultiHeadAttention::trainable_parameters() {
  return report_out_of_memory([&] {
    if constexpr (validation::enabled) {
      validation::check_in_use(in_use(), "layer");
    }
    std::vector<TrainableParameter> result;
    if (parameters_) {
      for (const ParameterShape& parameter : parameter_shapes(settings_, input_sizes())) {
        result.push_back({.name = parameter_names[parameter.number],
                          .values = nullptr,
                          .gradients = nullptr,
                          .rows = parameter.rows(),
                          .columns = parameter.columns()});
      }
      locate(result);
    }
    return result;
  });
}

void MultiHeadAttention::locate(std::span<TrainableParameter> parameters) noexcept {
  std::size_t place = 0;
  for (std::size_t number = 0; number < parameter_names.size() && place < parameters.size();
       ++number) {
    if (float* values = parameters_->data(number); values != nullptr) {
      parameters[place].values = values;
      parameters[place++].gradients = gradient(number);
    }
  }
}

void MultiHeadAttention::parameters_changed() noexcept {
  if (parameters_) {
    parameters_->invalidate();
  }
  if (pending_ == PendingBackward::ready) {
    pending_ = PendingBackward::outdated;
  }
}

}  // namespace headwise
