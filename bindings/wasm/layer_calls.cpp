#include "layer_calls.hpp"

#include <algorithm>
#include <cstdint>
#include <headwise/core/attention/layer_cache.hpp>
#include <headwise/core/parallel/for_each.hpp>
#include <optional>
#include <vector>

#include "mask_record.hpp"
#include "memory.hpp"

namespace headwise::bindings {
namespace {

/// Sizes that are still to be inferred are 0.
std::optional<std::int64_t> known_size(std::size_t size) {
  return size != 0 ? std::optional<std::int64_t>(size) : std::nullopt;
}

MultiHeadAttentionOptions read_options(const LayerOptionsRecord& record, double dropout,
                                       double scale, double softcap, double seed,
                                       double rotary_base) {
  MultiHeadAttentionOptions options;
  options.num_hiddens = record.num_hiddens;
  options.num_heads = record.num_heads;
  options.num_kv_heads = record.num_kv_heads;
  options.output_size = record.output_size;
  options.output_projection = record.output_projection;
  options.bias = record.bias;
  options.output_bias = record.output_bias;
  options.projection = static_cast<Projection>(record.projection);
  options.pooling = static_cast<Pooling>(record.pooling);
  options.attention_hiddens = record.attention_hiddens;
  options.bias_kv = record.bias_kv;
  options.zero_attention = record.zero_attention;
  if (record.rotary_size != 0) {
    options.rotary = {
        .base = rotary_base, .size = record.rotary_size, .interleaved = record.rotary_interleaved};
  }
  options.weights = static_cast<Precision>(record.weights);
  options.query_size = known_size(record.query_size);
  options.key_size = known_size(record.key_size);
  options.value_size = known_size(record.value_size);
  options.dropout = dropout;
  options.scale = scale;
  options.softcap = softcap;
  options.seed = static_cast<std::uint64_t>(seed);
  return options;
}

}  // namespace

Address new_layer(Address options, double dropout, double scale, double softcap, double seed,
                  double rotary_base) {
  return address_of(new AttentionLayer(  // NOLINT(*-owning-memory): JavaScript owns it
      read_options(record_at<LayerOptionsRecord>(options), dropout, scale, softcap, seed,
                   rotary_base)));
}

void delete_layer(Address layer) { delete at<AttentionLayer>(layer); }

void initialize(Address layer, double query_size, double key_size, double value_size) {
  layer_at(layer).initialize({.query_size = static_cast<std::size_t>(query_size),
                              .key_size = static_cast<std::size_t>(key_size),
                              .value_size = static_cast<std::size_t>(value_size)});
}

std::size_t is_training(Address layer) { return layer_at(layer).training() ? 1 : 0; }

void set_training(Address layer, std::size_t training) {
  layer_at(layer).set_training(training != 0);
}

Address stored_parameters(Address layer) {
  return address_of(&layer_at(layer).parameters()->stored());
}

void read_parameter(Address stored, std::size_t index, std::size_t first_row, std::size_t rows,
                    Address to) {
  at<StoredParameters>(stored)->read(index, first_row, rows, at<float>(to));
}

void write_parameter(Address stored, std::size_t index, std::size_t first_row, std::size_t rows,
                     Address from) {
  at<StoredParameters>(stored)->write(index, first_row, rows, at<const float>(from));
}

double workspace_size(Address layer, double batch, double num_queries, double num_keys,
                      std::size_t key_mass, std::size_t quantized) {
  return floats_of([&](Arena& arena) {
    layer_at(layer).lay_out_forward(arena, {.batch = size_of(batch),
                                            .num_queries = size_of(num_queries),
                                            .num_keys = size_of(num_keys),
                                            .num_threads = parallel::num_threads(),
                                            .key_mass = key_mass != 0,
                                            .quantized = quantized != 0});
  });
}

void forward(Address layer, Address address) {
  const auto& record = record_at<ForwardRecord>(address);
  const AttentionMask mask = read_mask(record.mask);
  ForwardArguments arguments;
  arguments.mask = &mask;
  arguments.queries = record.queries;
  arguments.keys = record.keys;
  arguments.values = record.values;
  arguments.num_new_keys = record.num_new_keys;
  arguments.positions = record.positions;
  arguments.positions_sample_stride = record.positions_sample_stride;
  arguments.head_gate = record.head_gate;
  arguments.gate_stride = record.gate_stride;
  arguments.cache = static_cast<LayerCache*>(record.cache);
  arguments.output = record.output;
  arguments.weights = {.to = record.attention_weights,
                       .rows = {.head_places = record.weight_heads,
                                .query_places = record.weight_queries,
                                .num_heads = record.num_weight_heads,
                                .num_queries = record.num_weight_queries},
                       .stage = static_cast<WeightsStage>(record.weights_stage)};
  arguments.key_mass = record.key_mass;
  arguments.captured = {.queries = record.captured_queries,
                        .keys = record.captured_keys,
                        .values = record.captured_values,
                        .scores = record.captured_scores,
                        .pooled = record.captured_pooled,
                        .dropped_weights = record.dropped_weights};
  Arena arena = working_arena(record.workspace);
  arguments.arena = &arena;
  arguments.num_threads = parallel::num_threads();
  arguments.requires_grad = record.requires_grad;
  arguments.input_sizes = {.query_size = record.query_size,
                           .key_size = record.key_size,
                           .value_size = record.value_size};
  layer_at(layer).forward_into(arguments, layer_at(layer).allocate(arguments));
}

Address create_cache(Address layer, double batch_size, double max_length, std::size_t precision) {
  const LayerSettings& settings = layer_at(layer).settings();
  return address_of(new LayerCache(  // NOLINT(*-owning-memory): JavaScript owns it
      layer_at(layer).identity(),
      {.batch = size_of(batch_size),
       .num_heads = settings.num_kv_heads,
       .max_length = size_of(max_length),
       .head_size = settings.head_size},
      static_cast<Precision>(precision)));
}

void delete_cache(Address cache) { delete at<LayerCache>(cache); }

std::size_t cache_length(Address cache) { return at<LayerCache>(cache)->length(); }

void set_cache_length(Address cache, double length) {
  at<LayerCache>(cache)->set_length(static_cast<std::size_t>(length));
}

}  // namespace headwise::bindings
