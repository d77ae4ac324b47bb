#include <algorithm>
#include <headwise/core/attention/attention_layer.hpp>
#include <headwise/core/attention/pooling_backward.hpp>
#include <headwise/core/attention/rotary.hpp>
#include <headwise/core/kernels/dispatch.hpp>

namespace headwise {
AttentionLayer::BackwardBuffers AttentionLayer::lay_out_backward(
    Arena& arena, const PassSizes& sizes) const noexcept {
  const auto& [batch, num_queries, num_keys, num_threads, key_mass, quantized] = sizes;
  const std::size_t query_width = settings_.query_width();
  const std::size_t key_value_width = settings_.key_value_width();
  const std::size_t projected = settings_.projection != Projection::none ? batch : 0;
  const std::size_t biased = settings_.bias_kv ? batch : 0;
  const std::size_t hiddens =
      settings_.pooling == Pooling::additive ? settings_.attention_hiddens : 0;
  const std::size_t head_size = settings_.head_size;
  const std::size_t kv_heads = settings_.num_kv_heads;
  const BackwardBuffers buffers{
      .Q = arena.take(projected, num_queries, query_width),
      .K = arena.take(projected, num_keys, key_value_width),
      .V = arena.take(projected, num_keys, key_value_width),
      .gated = arena.take(settings_.output_projection ? batch : 0, num_queries, query_width),
      .bias_k = arena.take(biased, key_value_width),
      .bias_v = arena.take(biased, key_value_width),
      .attention_W_q = arena.take(batch, kv_heads, hiddens, head_size),
      .attention_W_k = arena.take(batch, kv_heads, hiddens, head_size),
      .attention_w_v = arena.take(batch, kv_heads, hiddens)};
  {
    const Arena::Scope scope(arena);
    static_cast<void>(PoolingBackwardMemory::lay_out(arena, pooling_sizes(sizes), num_threads));
  }
  const Arena::Scope scope(arena);
  static_cast<void>(LinearBackwardMemory::lay_out(
      arena, std::max({query_width, key_value_width, settings_.output_size}), num_threads));
  return buffers;
}

void AttentionLayer::backward_into(const BackwardArguments& arguments) noexcept {
  pending_ = PendingBackward::none;
  const LayerParameters& parameters = *parameters_;
  const SavedActivations::Tensors saved = saved_->tensors();
  const auto [mask, head_gate, gate_stride] = saved_->masks();
  const std::size_t query_rows = mask.batch * mask.num_queries;
  const std::size_t key_rows = mask.batch * mask.num_keys;
  const std::size_t key_value_width = settings_.key_value_width();
  const std::size_t head_size = settings_.head_size;
  Arena& arena = *arguments.arena;
  const Arena::Scope scope(arena);
  const BackwardBuffers buffers = lay_out_backward(arena, {.batch = mask.batch,
                                                           .num_queries = mask.num_queries,
                                                           .num_keys = mask.num_keys,
                                                           .num_threads = arguments.num_threads});

  const auto backward_linear = [&](std::size_t number, const float* inputs, const float* gradient,
                                   std::size_t rows, float* input_gradient) {
    linear_backward(parameters.linear(number),
                    {.inputs = inputs,
                     .gradient = gradient,
                     .rows = rows,
                     .input_gradient = input_gradient,
                     .weight_gradient = this->gradient(number),
                     .bias_gradient = this->gradient(number + 1),
                     .num_threads = arguments.num_threads},
                    arena);
  };
  const bool has_projections = settings_.projection != Projection::none;
  float* grad_Q = has_projections ? buffers.Q : arguments.queries;
  float* grad_K = has_projections ? buffers.K : arguments.keys;
  float* grad_V = has_projections ? buffers.V : arguments.values;
  const float* grad_gated = arguments.grad_output;
  if (settings_.output_projection) {
    const float* gated = saved.pooled;
    if (head_gate != nullptr) {
      // Recomputes the gated heads, in the buffer that later holds the gradient of the queries.
      gate_heads(mask, saved.pooled, head_gate, gate_stride, grad_Q);
      gated = grad_Q;
    }
    backward_linear(parameter_number::W_o, gated, arguments.grad_output, query_rows, buffers.gated);
    grad_gated = buffers.gated;
  }

  const auto query_heads = [&](auto* data) {
    return split_heads_view(data, mask.num_queries, settings_.num_heads, head_size);
  };
  const auto key_value_heads = [&](auto* data) {
    return split_heads_view(data, mask.num_keys, settings_.num_kv_heads, head_size);
  };
  PoolingArguments pooling = pooling_arguments(mask, saved.Q, key_value_heads(saved.K),
                                               key_value_heads(saved.V), saved.pooled);
  pooling.dropout = saved_->dropout();
  pooling.num_threads = arguments.num_threads;
  PoolingGradients gradients{.pooled = query_heads(grad_gated),
                             .gates = head_gate,
                             .gate_stride = gate_stride,
                             .queries = query_heads(grad_Q),
                             .keys = key_value_heads(grad_K),
                             .values = key_value_heads(grad_V),
                             .head_gate = arguments.head_gate,
                             .W_q = buffers.attention_W_q,
                             .W_k = buffers.attention_W_k,
                             .w_v = buffers.attention_w_v};
  if (settings_.bias_kv) {
    gradients.extra_slots[0] = {.key = buffers.bias_k, .value = buffers.bias_v};
  }
  if (arguments.probe != nullptr) {
    arguments.probe->before_pooling(pooling, query_heads(buffers.gated));
  }
  pool_backward(pooling, scoring(), gradients, arena);
  if (arguments.probe != nullptr) {
    arguments.probe->after_pooling(pooling, gradients);
  }
  if (settings_.rotary) {
    const auto rotate_back = [&](float* rows, std::size_t length, std::size_t num_heads) {
      rotate_heads({.rows = rows,
                    .batch = mask.batch,
                    .length = length,
                    .num_heads = num_heads,
                    .head_size = head_size},
                   saved.rotations, saved_->rotation_sample_stride(), *settings_.rotary, true);
    };
    rotate_back(grad_Q, mask.num_queries, settings_.num_heads);
    rotate_back(grad_K, mask.num_keys, settings_.num_kv_heads);
  }

  if (settings_.qk_norm) {
    settings_.qk_norm->functions.backward(
        *this, {saved.projected_Q, saved.projected_K, query_rows, key_rows}, grad_Q, grad_K);
  }
  if (settings_.pooling == Pooling::additive) {
    const std::size_t hiddens = settings_.attention_hiddens;
    const std::size_t kv_heads = mask.batch * settings_.num_kv_heads;
    kernels::add_rows(gradients.W_q, kv_heads, hiddens * head_size,
                      gradient(parameter_number::attention_W_q));
    kernels::add_rows(gradients.W_k, kv_heads, hiddens * head_size,
                      gradient(parameter_number::attention_W_k));
    kernels::add_rows(gradients.w_v, kv_heads, hiddens, gradient(parameter_number::attention_w_v));
  }
  if (settings_.bias_kv) {
    kernels::add_rows(buffers.bias_k, mask.batch, key_value_width,
                      gradient(parameter_number::bias_k));
    kernels::add_rows(buffers.bias_v, mask.batch, key_value_width,
                      gradient(parameter_number::bias_v));
  }
  if (has_projections) {
    backward_linear(parameter_number::W_q, saved.queries, grad_Q, query_rows, arguments.queries);
    backward_linear(parameter_number::W_k, saved.keys, grad_K, key_rows, arguments.keys);
    backward_linear(parameter_number::W_v, saved.values, grad_V, key_rows, arguments.values);
  }
}

}  // namespace headwise
