#include <algorithm>
#include <array>
#include <headwise/core/attention/attention_layer.hpp>
#include <headwise/core/attention/pooling.hpp>
#include <headwise/core/attention/rotary.hpp>
#include <utility>

namespace headwise {
namespace {

/// Keys and values of every sample as pooling reads them.
struct KeyValues {
  HeadsView<const float> keys;
  HeadsView<const float> values;
};

/// Appends the new keys and values to a cache of integers.
void quantize(const KeyValues& new_rows, std::size_t num_new_keys, const LayerCache& cache,
              std::size_t num_heads, QuantizedHeads& quantized) noexcept {
  const auto& [keys, values] = new_rows;
  for (std::size_t sample = 0; num_new_keys > 0 && sample < cache.batch_size(); ++sample) {
    for (std::size_t head = 0; head < num_heads; ++head) {
      for (std::size_t i = 0; i < num_new_keys; ++i) {
        quantized.store(sample, head, cache.length() + i,
                        keys.head(sample, head) + i * keys.row_stride,
                        values.head(sample, head) + i * values.row_stride);
      }
    }
  }
}

/// Appends the new keys and values to the cache and returns all of them, none of integers.
KeyValues append_to_cache(LayerCache& cache, const KeyValues& new_rows, std::size_t num_new_keys,
                          const LayerSettings& settings) noexcept {
  const auto append = [&](const HeadsView<const float>& rows, HeadsView<float> cached) {
    if (num_new_keys > 0) {  // Without rows, pointers may be null.
      cached.data += cache.length() * cached.row_stride;
      copy_heads(rows, cached, cache.batch_size(), settings.num_kv_heads, num_new_keys,
                 settings.head_size);
    }
  };
  if (QuantizedHeads* quantized = cache.quantized(); quantized != nullptr) {
    quantize(new_rows, num_new_keys, cache, settings.num_kv_heads, *quantized);
  } else {
    append(new_rows.keys, cache.keys());
    append(new_rows.values, cache.values());
  }
  cache.set_length(cache.length() + num_new_keys);
  return {.keys = cache.keys(), .values = cache.values()};
}

/// Copies all keys and values of a cache of integers.
void read_all(const QuantizedHeads& quantized, const AttentionMask& mask, std::size_t num_heads,
              std::size_t size, const CapturedActivations& captured) noexcept {
  for (std::size_t sample = 0; sample < mask.batch; ++sample) {
    for (std::size_t head = 0; head < num_heads; ++head) {
      const std::size_t first = (sample * num_heads + head) * mask.num_keys * size;
      quantized.read(sample, head, {.begin = 0, .end = mask.num_keys},
                     captured.keys != nullptr ? captured.keys + first : nullptr,
                     captured.values != nullptr ? captured.values + first : nullptr);
    }
  }
}

/// Copies what the pooling read and gave.
void capture(const PoolingArguments& pooling, const CapturedActivations& captured) noexcept {
  const AttentionMask& mask = *pooling.mask;
  const auto copy = [&](const HeadsView<const float>& heads, float* to, std::size_t num_heads,
                        std::size_t length, std::size_t size) {
    if (to != nullptr && length > 0) {  // Without rows, pointers may be null.
      copy_heads(heads, separate_heads_view(to, num_heads, length, size), mask.batch, num_heads,
                 length, size);
    }
  };
  copy(pooling.queries, captured.queries, pooling.num_heads, mask.num_queries, pooling.query_size);
  const bool is_any = captured.keys != nullptr || captured.values != nullptr;
  if (is_any && pooling.quantized != nullptr) {
    read_all(*pooling.quantized, mask, pooling.num_kv_heads, pooling.key_size, captured);
  } else if (is_any) {
    copy(pooling.keys, captured.keys, pooling.num_kv_heads, mask.num_keys, pooling.key_size);
    copy(pooling.values, captured.values, pooling.num_kv_heads, mask.num_keys, pooling.value_size);
  }
  copy(pooling.pooled, captured.pooled, pooling.num_heads, mask.num_queries, pooling.value_size);
}

}  // namespace

ForwardMemory AttentionLayer::allocate(const ForwardArguments& arguments) {
  ForwardMemory memory;
  const InputSizes inputs = parameters_ ? input_sizes() : arguments.input_sizes;
  if (!parameters_) {
    memory.parameters.emplace(settings_, inputs);
    memory.parameters->initialize(settings_.seed);
  }
  if (arguments.requires_grad) {
    LayerParameters& parameters = parameters_ ? *parameters_ : *memory.parameters;
    static_cast<void>(parameters.stored().row_major());
    if (gradients_.empty()) {
      memory.gradients = zero_floats(parameters.table().size());
    }
    memory.saved.emplace(saved_sizes(inputs, arguments), *arguments.mask, settings_.num_heads,
                         arguments.head_gate, arguments.gate_stride, saved_ ? &*saved_ : nullptr);
    memory.saved->set_has_batch_axis(arguments.has_batch_axis);
  }
  return memory;
}

void AttentionLayer::keep(ForwardMemory&& memory, const InputSizes& inputs) noexcept {
  if (memory.parameters) {
    set_parameters(std::move(*memory.parameters), inputs);
  }
  if (!memory.gradients.empty()) {
    gradients_ = std::move(memory.gradients);
  }
  if (memory.saved) {
    if (saved_) {
      memory.saved->reuse_memory(*saved_);
    }
    saved_ = std::move(memory.saved);
    saved_->set_dropout(dropout());
    pending_ = PendingBackward::ready;
    ++num_saved_passes_;
  }
}

AttentionLayer::ForwardBuffers AttentionLayer::lay_out_forward(
    Arena& arena, const PassSizes& sizes) const noexcept {
  const auto& [batch, num_queries, num_keys, num_threads, key_mass, quantized] = sizes;
  const std::size_t projected = settings_.projection != Projection::none ? batch : 0;
  // Without projections, what is rotated is a copy of the inputs.
  const std::size_t rotated = settings_.rotary ? batch : projected;
  const ForwardBuffers buffers{
      .Q = arena.take(rotated, num_queries, settings_.query_width()),
      .K = arena.take(rotated, num_keys, settings_.key_value_width()),
      .V = arena.take(projected, num_keys, settings_.key_value_width()),
      .rotations = arena.take(settings_.rotary ? batch : 0, std::max(num_queries, num_keys),
                              settings_.rotary ? settings_.rotary->size : 0),
      .read = arena.take<std::uint8_t>(projected, num_keys),
      .gated = arena.take(settings_.output_projection ? batch : 0, num_queries,
                          settings_.query_width())};
  const Arena::Scope scope(arena);
  static_cast<void>(PoolingMemory::lay_out(arena, pooling_sizes(sizes), num_threads));
  return buffers;
}

std::size_t AttentionLayer::rotation_rows(const ForwardArguments& arguments) const noexcept {
  if (!settings_.rotary) {
    return 0;
  }
  const AttentionMask& mask = *arguments.mask;
  const std::size_t length = std::max(mask.num_queries, arguments.num_new_keys);
  return arguments.positions_sample_stride > 0 ? mask.batch * length : length;
}

const float* AttentionLayer::rotations_of(const ForwardArguments& arguments, float* memory,
                                          bool is_kept) const noexcept {
  const std::size_t rows = rotation_rows(arguments);
  if (arguments.rotations == nullptr) {
    const std::size_t first = arguments.cache != nullptr ? arguments.cache->length() : 0;
    rotations_into(arguments.positions, static_cast<std::int64_t>(first), rows, *settings_.rotary,
                   memory);
    return memory;
  }
  if (is_kept) {
    std::copy_n(arguments.rotations, rows * settings_.rotary->size, memory);
    return memory;
  }
  return arguments.rotations;
}

void AttentionLayer::forward_into(const ForwardArguments& arguments,
                                  ForwardMemory&& memory) noexcept {
  keep(std::move(memory), arguments.input_sizes);
  Arena& arena = *arguments.arena;
  const Arena::Scope scope(arena);
  const AttentionMask& mask = *arguments.mask;
  QuantizedHeads* const quantized =
      arguments.cache != nullptr ? arguments.cache->quantized() : nullptr;
  const ForwardBuffers buffers = lay_out_forward(arena, {.batch = mask.batch,
                                                         .num_queries = mask.num_queries,
                                                         .num_keys = mask.num_keys,
                                                         .num_threads = arguments.num_threads,
                                                         .key_mass = arguments.key_mass != nullptr,
                                                         .quantized = quantized != nullptr});
  const std::size_t query_rows = mask.batch * mask.num_queries;
  const std::size_t key_rows = mask.batch * arguments.num_new_keys;
  LayerParameters& parameters = *parameters_;
  parameters.stored().pack();

  const float* queries = arguments.queries;
  const float* keys = arguments.keys;
  const float* values = arguments.values;
  float* Q = buffers.Q;  // (batch, queries, query width)
  float* K = buffers.K;  // (batch, new keys, key-value width)
  float* V = buffers.V;
  float* gated = settings_.output_projection ? buffers.gated : arguments.output;
  float* pooled = gated;  // (batch, queries, query width)
  float* rotations = buffers.rotations;
  float* projected_Q = Q;  // what the norms read
  float* projected_K = K;
  if (arguments.requires_grad) {
    const SavedActivations::Tensors saved = saved_->tensors();
    const auto copy = [](const float*& tensor, std::size_t rows, std::size_t size, float* to) {
      std::copy_n(tensor, rows * size, to);
      tensor = to;
    };
    copy(queries, query_rows, *query_size_, saved.queries);
    copy(keys, key_rows, *key_size_, saved.keys);
    copy(values, key_rows, *value_size_, saved.values);
    Q = saved.Q;
    K = saved.K;
    V = saved.V;
    projected_Q = saved.projected_Q;
    projected_K = saved.projected_K;
    pooled = saved.pooled;
    rotations = saved.rotations;
  }

  const std::uint8_t* read_keys = nullptr;  // Null is all of them.
  if (settings_.projection != Projection::none) {
    // A later query may read what this one does not, so with a cache all keys are projected;
    // otherwise keys that no query reads are skipped.
    const std::uint8_t* read = nullptr;
    if (arguments.cache == nullptr) {
      for (std::size_t sample = 0; mask.num_keys > 0 && sample < mask.batch; ++sample) {
        mask.mark_read_keys(sample, settings_.num_heads, buffers.read + sample * mask.num_keys);
      }
      read = buffers.read;
    }
    const bool scores_every_key =
        arguments.weights.to != nullptr && (arguments.weights.stage == WeightsStage::raw ||
                                            arguments.weights.stage == WeightsStage::softcap);
    const bool probes_keys = arguments.probe != nullptr && arguments.probe->reads_all_keys();
    read_keys =
        scores_every_key || probes_keys || arguments.captured.keys != nullptr ? nullptr : read;
    const std::array<RowProjection, 3> projections = {
        RowProjection{.linear = parameters.linear(parameter_number::W_q),
                      .inputs = queries,
                      .outputs = projected_Q,
                      .rows = query_rows},
        RowProjection{.linear = parameters.linear(parameter_number::W_k),
                      .inputs = keys,
                      .outputs = projected_K,
                      .rows = key_rows,
                      .read = read_keys},
        RowProjection{
            .linear = parameters.linear(parameter_number::W_v),
            .inputs = values,
            .outputs = V,
            .rows = key_rows,
            .read = probes_keys || arguments.captured.values != nullptr ? nullptr : read}};
    project(projections, arguments.num_threads);
    if (settings_.qk_norm) {
      settings_.qk_norm->functions.forward(*this, {projected_Q, projected_K, query_rows, key_rows},
                                           read_keys, Q, K);
    }
    queries = Q;
    keys = K;
    values = V;
  }
  if (settings_.rotary && mask.batch > 0) {
    if (queries != Q) {
      std::copy_n(queries, query_rows * settings_.query_width(), Q);
      std::copy_n(keys, key_rows * settings_.key_value_width(), K);
      queries = Q;
      keys = K;
    }
    const float* table = rotations_of(arguments, rotations, arguments.requires_grad);
    const auto rotate = [&](float* rows, std::size_t length, std::size_t num_heads,
                            const std::uint8_t* read) {
      rotate_heads({.rows = rows,
                    .batch = mask.batch,
                    .length = length,
                    .num_heads = num_heads,
                    .head_size = settings_.head_size,
                    .read = read},
                   table, arguments.positions_sample_stride, *settings_.rotary, false);
    };
    rotate(Q, mask.num_queries, settings_.num_heads, nullptr);
    rotate(K, arguments.num_new_keys, settings_.num_kv_heads, read_keys);
  }

  const auto kv_heads = [&](auto* rows) {
    return split_heads_view(rows, arguments.num_new_keys, settings_.num_kv_heads,
                            settings_.head_size);
  };
  if (arguments.probe != nullptr) {
    arguments.probe->projected(
        {.queries = split_heads_view(Q, mask.num_queries, settings_.num_heads, settings_.head_size),
         .keys = kv_heads(K),
         .values = kv_heads(V)});
  }
  KeyValues key_values{.keys = kv_heads(keys), .values = kv_heads(values)};
  if (arguments.cache != nullptr) {
    key_values = append_to_cache(*arguments.cache, key_values, arguments.num_new_keys, settings_);
  }
  // transpose_qkv, the pooling of each head and transpose_output, without copies: heads are read
  // and written side by side in queries, keys, values and output.
  PoolingArguments pooling =
      pooling_arguments(mask, queries, key_values.keys, key_values.values, pooled);
  pooling.quantized = quantized;
  pooling.dropout = dropout();
  pooling.weights = {
      arguments.weights,
      WeightsOutput{.to = arguments.captured.scores, .rows = {}, .stage = WeightsStage::masked}};
  pooling.dropped_weights.to = arguments.captured.dropped_weights;
  pooling.key_mass = arguments.key_mass;
  pooling.num_threads = arguments.num_threads;
  if (arguments.probe != nullptr) {
    arguments.probe->before_pooling(pooling);
  }
  pool(pooling, scoring(), arena);
  if (arguments.probe != nullptr) {
    arguments.probe->after_pooling(pooling);
  }
  capture(pooling, arguments.captured);

  // The gradient of a gate needs the heads before it, so `pooled` is kept.
  const bool is_copied = pooled != gated && !settings_.output_projection;
  if (arguments.head_gate != nullptr || is_copied) {
    gate_heads(mask, pooled, arguments.head_gate, arguments.gate_stride, gated);
    pooled = gated;
  }
  if (settings_.output_projection) {
    const RowProjection last{.linear = parameters.linear(parameter_number::W_o),
                             .inputs = pooled,
                             .outputs = arguments.output,
                             .rows = query_rows};
    project({&last, 1}, arguments.num_threads);
  }
  if (arguments.probe != nullptr) {
    arguments.probe->after_output(arguments.output);
  }
  if (training_ && settings_.dropout > 0) {
    ++dropout_calls_;
  }
}

}  // namespace headwise
