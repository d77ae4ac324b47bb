#include <algorithm>
#include <headwise/core/kernels/dispatch.hpp>
#include <headwise/core/memory/zeros.hpp>
#include <headwise/core/models/row_norms.hpp>
#include <headwise/core/models/transformer_stack.hpp>
#include <utility>

namespace headwise {

std::size_t TransformerStack::num_sublayers() const noexcept {
  const std::size_t of_layer =
      1U + (settings_->has_cross_attention ? 1U : 0U) + (settings_->ffn_hiddens > 0 ? 1U : 0U);
  return settings_->num_layers * of_layer;
}

template <typename Function>
void TransformerStack::for_each_layer(const ModelPassSizes& sizes,
                                      const Function& function) const noexcept {
  const auto visit = [&](std::span<AttentionLayer* const> layers, std::size_t num_keys) {
    for (const AttentionLayer* layer : layers) {
      function(*layer, {.batch = sizes.batch,
                        .num_queries = sizes.length,
                        .num_keys = num_keys,
                        .num_threads = sizes.num_threads,
                        .key_mass = sizes.probes(ActivationName::key_mass),
                        .quantized = sizes.quantized});
    }
  };
  visit(self_, sizes.num_keys);
  visit(cross_, sizes.num_source_keys);
}

std::size_t TransformerStack::max_heads() const noexcept {
  std::size_t most = 0;
  for_each_layer({}, [&](const AttentionLayer& layer, const PassSizes& /*sizes*/) {
    most = std::max(most, layer.num_heads());
  });
  return most;
}

SavedStack TransformerStack::lay_out_saved(Arena& arena,
                                           const ModelPassSizes& sizes) const noexcept {
  const TransformerSettings& model = parameters_->settings();
  const std::size_t rows = sizes.rows();
  const bool norm_after = model.norm != Norm::none && (!model.norm_first || model.post_norms);
  SavedStack saved;
  saved.streams = arena.take(num_sublayers() + 1, rows, model.num_hiddens);
  saved.sums = arena.take(norm_after ? num_sublayers() : 0, rows, model.num_hiddens);
  saved.hiddens = arena.take(settings_->num_layers, rows, settings_->ffn_hiddens,
                             std::size_t{model.gated ? 2U : 1U});
  return saved;
}

FeedForwardHiddens TransformerStack::hiddens_of(const SavedStack& saved, std::size_t layer,
                                                std::size_t rows) const noexcept {
  const std::size_t floats = rows * settings_->ffn_hiddens;
  if (!parameters_->settings().gated) {
    return {.x = saved.hiddens + layer * floats, .up = nullptr};
  }
  float* x = saved.hiddens + 2 * layer * floats;
  return {.x = x, .up = x + floats};
}

TransformerStack::ForwardBuffers TransformerStack::lay_out_forward(
    Arena& arena, const ModelPassSizes& sizes) const noexcept {
  const TransformerSettings& model = parameters_->settings();
  const std::size_t rows = sizes.rows();
  const ForwardBuffers buffers{
      .normalized = arena.take(rows, model.num_hiddens),
      .output = arena.take(rows, model.num_hiddens),
      .parallel = arena.take(model.parallel_residual ? rows : 0, model.num_hiddens),
      .probe = LayerProbeBuffers::lay_out(
          arena, sizes.probed, sizes.batch, max_heads(), sizes.length,
          std::max(sizes.num_keys, sizes.num_source_keys), model.num_hiddens)};
  for_each_layer(sizes, [&](const AttentionLayer& layer, const PassSizes& of_layer) {
    const Arena::Scope scope(arena);
    layer.lay_out_forward(arena, of_layer);
  });
  const Arena::Scope scope(arena);
  static_cast<void>(FeedForwardHiddens::lay_out(arena, model, rows, settings_->ffn_hiddens));
  static_cast<void>(arena.take(rows, settings_->ffn_hiddens));
  return buffers;
}

/// x becomes x + post_norm(function(norm(x))) or norm(x + function(x)). `function(inputs,
/// outputs)`.
template <typename Function>
void TransformerStack::forward_sublayer(const Sublayer& of, const StackPass& pass,
                                        const ForwardBuffers& buffers, float*& x,
                                        const SavedStack* saved, std::size_t sublayer,
                                        const Function& function) const noexcept {
  const TransformerSettings& model = parameters_->settings();
  const std::size_t rows = pass.rows();
  const std::size_t floats = rows * model.num_hiddens;
  const auto& [norm, post_norm] = of.norms;
  const bool norm_first = norm.exists() && model.norm_first;
  const bool norm_after = norm.exists() && !model.norm_first;
  const float* inputs = x;
  if (is_parallel(sublayer)) {
    inputs = buffers.parallel;
  } else if (norm_first) {
    normalize_rows(*parameters_, norm, x, rows, buffers.normalized, pass.num_threads);
    inputs = buffers.normalized;
  }
  function(inputs, buffers.output);
  if (post_norm.exists()) {
    if (saved != nullptr) {
      std::copy_n(buffers.output, floats, saved->sums + sublayer * floats);
    }
    normalize_rows(*parameters_, post_norm, buffers.output, rows, buffers.output, pass.num_threads);
  }
  pass.probe.visit(of.added, stream(pass, buffers.output));
  float* next = x;
  float* sum = x;
  if (saved != nullptr) {
    next = saved->streams + (sublayer + 1) * floats;
    sum = norm_after ? saved->sums + sublayer * floats : next;
    std::copy_n(x, floats, sum);
  }
  kernels::add(sum, buffers.output, floats);
  if (norm_after) {
    normalize_rows(*parameters_, norm, sum, rows, next, pass.num_threads);
  }
  x = next;
}

ForwardArguments AttentionPasses::arguments_of(std::size_t layer,
                                               AttentionMask& of_layer) const noexcept {
  const AttentionPass given = layers.empty() ? AttentionPass{} : layers[layer];
  of_layer = mask;
  if (!rules.empty()) {
    of_layer.rules = rules[layer];
  }
  return {.num_new_keys = num_new_keys,
          .positions_sample_stride = rotations_sample_stride,
          .rotations = rotations,
          .mask = &of_layer,
          .head_gate = given.head_gate,
          .gate_stride = given.gate_stride,
          .cache = caches.empty() ? nullptr : &caches[layer],
          .weights = given.weights};
}

void TransformerStack::attend(AttentionLayer& layer, const AttentionPasses& passes,
                              std::size_t number, const float* inputs, const StackPass& pass,
                              const ForwardBuffers& buffers) const noexcept {
  AttentionMask mask;
  ForwardArguments arguments = passes.arguments_of(number, mask);
  arguments.queries = inputs;
  arguments.keys = arguments.values = passes.side == Side::cross ? passes.source : inputs;
  arguments.output = buffers.output;
  arguments.arena = pass.arena;
  arguments.num_threads = pass.num_threads;
  arguments.requires_grad = !passes.memory.empty();
  LayerProbe probe(pass.probe, passes.side, number, layer, arguments, buffers.probe);
  arguments.probe = pass.probe.any() ? &probe : nullptr;
  layer.forward_into(arguments,
                     arguments.requires_grad ? std::move(passes.memory[number]) : ForwardMemory{});
}

ActivationView TransformerStack::stream(const StackPass& pass, float* x) const noexcept {
  return stream_view(x, pass.batch, pass.length, parameters_->settings().num_hiddens);
}

void TransformerStack::copy_or_normalize(const ModelParameters::NormIndices& norm, const float* x,
                                         const StackPass& pass, float* y) const noexcept {
  if (norm.exists()) {
    normalize_rows(*parameters_, norm, x, pass.rows(), y, pass.num_threads);
  } else {
    std::copy_n(x, pass.rows() * parameters_->settings().num_hiddens, y);
  }
}

void TransformerStack::keep_last_positions(const StackPass& pass, float* x,
                                           float* buffer) const noexcept {
  const std::span<const std::int32_t> positions = pass.last_positions;
  copy_positions(stream(pass, x), positions.data(), positions.size(), buffer);
  std::copy_n(buffer, pass.batch * positions.size() * parameters_->settings().num_hiddens, x);
}

float* TransformerStack::forward(const StackPass& pass, float* x,
                                 const SavedStack* saved) noexcept {
  const Arena::Scope scope(*pass.arena);
  const ForwardBuffers buffers = lay_out_forward(*pass.arena, pass);
  const Side side = pass.self.side;
  std::size_t sublayer = 0;
  for (std::size_t i = pass.first_layer; i < indices_->layers.size(); ++i) {
    const ModelParameters::Layer& layer = indices_->layers[i];
    const auto visit = [&](ActivationName name) {
      pass.probe.visit({name, side, i}, stream(pass, x));
    };
    const auto attention = [&](const ModelParameters::SublayerNorms& norms,
                               std::span<AttentionLayer* const> layers,
                               const AttentionPasses& passes) {
      forward_sublayer({norms, {ActivationName::attn_out, passes.side, i}}, pass, buffers, x, saved,
                       sublayer++, [&](const float* inputs, float* /*outputs*/) {
                         attend(*layers[i], passes, i, inputs, pass, buffers);
                       });
    };
    visit(ActivationName::resid_pre);
    if (is_parallel(sublayer + 1)) {
      copy_or_normalize(layer.feed_forward.norm, x, pass, buffers.parallel);
    }
    attention(layer.attention, self_, pass.self);
    if (settings_->has_cross_attention) {
      attention(layer.cross_attention, cross_, pass.cross);
    }
    visit(ActivationName::resid_mid);
    StackPass rest = pass;
    if (i + 1 == indices_->layers.size() && !pass.last_positions.empty()) {
      keep_last_positions(pass, x, buffers.output);
      if (is_parallel(sublayer)) {
        keep_last_positions(pass, buffers.parallel, buffers.output);
      }
      rest.length = pass.last_positions.size();
    }
    if (settings_->ffn_hiddens > 0) {
      forward_sublayer(
          {layer.feed_forward, {ActivationName::mlp_out, side, i}}, rest, buffers, x, saved,
          sublayer++, [&](const float* inputs, float* outputs) {
            const Arena::Scope of_sublayer(*pass.arena);
            const FeedForwardHiddens hiddens =
                saved != nullptr ? hiddens_of(*saved, i, rest.rows())
                                 : FeedForwardHiddens::lay_out(*pass.arena, parameters_->settings(),
                                                               rest.rows(), settings_->ffn_hiddens);
            float* activated = saved != nullptr
                                   ? pass.arena->take(rest.rows(), settings_->ffn_hiddens)
                                   : hiddens.x;
            feed_forward({.parameters = parameters_,
                          .layer = &layer.ffn,
                          .inputs = inputs,
                          .rows = rest.rows(),
                          .num_threads = pass.num_threads},
                         hiddens, activated, outputs);
          });
    }
    pass.probe.visit({ActivationName::resid_post, side, i}, stream(rest, x));
  }
  return x;
}

TransformerStack::BackwardBuffers TransformerStack::lay_out_backward(
    Arena& arena, const ModelPassSizes& sizes) const noexcept {
  const TransformerSettings& model = parameters_->settings();
  const std::size_t size = model.num_hiddens;
  const std::size_t rows = sizes.rows();
  const std::size_t keys = std::max(sizes.num_keys, sizes.num_source_keys);
  const BackwardBuffers buffers{.normalized = arena.take(rows, size),
                                .queries = arena.take(rows, size),
                                .grad_sum = arena.take(rows, size),
                                .keys = arena.take(sizes.batch, keys, size),
                                .values = arena.take(sizes.batch, keys, size),
                                .gate_gradient = arena.take(sizes.batch, max_heads()),
                                .parallel = arena.take(model.parallel_residual ? rows : 0, size)};
  for_each_layer(sizes, [&](const AttentionLayer& layer, const PassSizes& of_layer) {
    const Arena::Scope scope(arena);
    layer.lay_out_backward(arena, of_layer);
  });
  const Arena::Scope scope(arena);
  static_cast<void>(
      FeedForwardBackwardBuffers::lay_out(arena, model, rows, settings_->ffn_hiddens));
  static_cast<void>(LinearBackwardMemory::lay_out(arena, std::max(settings_->ffn_hiddens, size),
                                                  sizes.num_threads));
  return buffers;
}

/// Turns the gradient of a sublayer's output into that of its input. `function(inputs, gradient)`
/// leaves the gradient of the inputs in `buffers.queries`.
template <typename Function>
void TransformerStack::backward_sublayer(const Sublayer& of, const StackPass& pass,
                                         const BackwardBuffers& buffers, const SavedStack& saved,
                                         std::size_t sublayer, float* gradient,
                                         const Function& function) const noexcept {
  const auto& [norm, post_norm] = of.norms;
  const TransformerSettings& model = parameters_->settings();
  const std::size_t rows = pass.rows();
  const std::size_t floats = rows * model.num_hiddens;
  // A parallel feed-forward layer reads the same input as the attention.
  const float* x = saved.streams + (is_parallel(sublayer) ? sublayer - 1 : sublayer) * floats;
  if (norm.exists() && !model.norm_first) {
    write_zeros(buffers.grad_sum, floats);
    normalize_rows_backward(*parameters_, norm, saved.sums + sublayer * floats, gradient, rows,
                            buffers.grad_sum);
    std::copy_n(buffers.grad_sum, floats, gradient);
    pass.probe.clear_patched(of.added, stream(pass, buffers.grad_sum));
    function(x, buffers.grad_sum);
    kernels::add(gradient, buffers.queries, floats);
    return;
  }
  float* of_output = gradient;
  if (pass.probe.patches_any(of.added)) {
    // The stream itself keeps the gradient of what is patched.
    of_output = post_norm.exists() ? buffers.normalized : buffers.grad_sum;
    std::copy_n(gradient, floats, of_output);
    pass.probe.clear_patched(of.added, stream(pass, of_output));
  }
  if (post_norm.exists()) {
    write_zeros(buffers.grad_sum, floats);
    normalize_rows_backward(*parameters_, post_norm, saved.sums + sublayer * floats, of_output,
                            rows, buffers.grad_sum);
    of_output = buffers.grad_sum;
  }
  function(x, of_output);
  // The attention beside it is still to read the gradient of the sum.
  float* const of_input = is_parallel(sublayer) ? buffers.parallel : gradient;
  if (is_parallel(sublayer)) {
    write_zeros(of_input, floats);
  }
  if (norm.exists()) {
    normalize_rows_backward(*parameters_, norm, x, buffers.queries, rows, of_input);
  } else {
    kernels::add(of_input, buffers.queries, floats);
  }
  if (is_parallel(sublayer + 1)) {
    kernels::add(gradient, buffers.parallel, floats);
  }
}

void TransformerStack::attend_backward(AttentionLayer& layer, const AttentionPasses& passes,
                                       std::size_t number, const float* gradient,
                                       const StackPass& pass,
                                       const BackwardBuffers& buffers) const noexcept {
  float* wanted = passes.layers.empty() ? nullptr : passes.layers[number].head_gate_gradient;
  LayerGradientProbe probe(pass.probe, passes.side, number);
  layer.backward_into({.grad_output = gradient,
                       .queries = buffers.queries,
                       .keys = buffers.keys,
                       .values = buffers.values,
                       .head_gate = wanted != nullptr ? wanted : buffers.gate_gradient,
                       .probe = pass.probe.patches.empty() ? nullptr : &probe,
                       .arena = pass.arena,
                       .num_threads = pass.num_threads});
}

void TransformerStack::backward(const StackPass& pass, const SavedStack& saved, float* gradient,
                                float* source_gradient) noexcept {
  const Arena::Scope scope(*pass.arena);
  const BackwardBuffers buffers = lay_out_backward(*pass.arena, pass);
  std::size_t sublayer = num_sublayers();
  for (std::size_t i = indices_->layers.size(); i-- > 0;) {
    const ModelParameters::Layer& layer = indices_->layers[i];
    const auto clear = [&](ActivationName name, float* of_stream) {
      pass.probe.clear_patched({name, pass.self.side, i}, stream(pass, of_stream));
    };
    // Adds the gradients of keys and values to `of_keys`.
    const auto attention = [&](const ModelParameters::SublayerNorms& norms,
                               std::span<AttentionLayer* const> layers,
                               const AttentionPasses& passes, float* of_keys) {
      backward_sublayer({norms, {ActivationName::attn_out, passes.side, i}}, pass, buffers, saved,
                        --sublayer, gradient, [&](const float* /*x*/, const float* of_output) {
                          attend_backward(*layers[i], passes, i, of_output, pass, buffers);
                          const std::size_t floats = pass.batch * passes.num_new_keys *
                                                     parameters_->settings().num_hiddens;
                          kernels::add(of_keys, buffers.keys, floats);
                          kernels::add(of_keys, buffers.values, floats);
                        });
    };
    clear(ActivationName::resid_post, gradient);
    if (settings_->ffn_hiddens > 0) {
      backward_sublayer(
          {layer.feed_forward, {ActivationName::mlp_out, pass.self.side, i}}, pass, buffers, saved,
          --sublayer, gradient, [&](const float* x, const float* output_gradient) {
            const Arena::Scope of_sublayer(*pass.arena);
            const float* inputs = x;
            if (layer.feed_forward.norm.exists() && parameters_->settings().norm_first) {
              normalize_rows(*parameters_, layer.feed_forward.norm, x, pass.rows(),
                             buffers.normalized, pass.num_threads);
              inputs = buffers.normalized;
            }
            const auto of_layer = FeedForwardBackwardBuffers::lay_out(
                *pass.arena, parameters_->settings(), pass.rows(), settings_->ffn_hiddens);
            feed_forward_backward({.parameters = parameters_,
                                   .layer = &layer.ffn,
                                   .inputs = inputs,
                                   .rows = pass.rows(),
                                   .num_threads = pass.num_threads},
                                  hiddens_of(saved, i, pass.rows()), output_gradient, of_layer,
                                  buffers.queries, *pass.arena);
          });
    }
    clear(ActivationName::resid_mid, gradient);
    if (settings_->has_cross_attention) {
      attention(layer.cross_attention, cross_, pass.cross, source_gradient);
    }
    attention(layer.attention, self_, pass.self, buffers.queries);
    clear(ActivationName::resid_pre, gradient);
  }
}

}  // namespace headwise
