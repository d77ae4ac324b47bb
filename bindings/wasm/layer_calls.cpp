#include "layer_calls.hpp"

#include <algorithm>
#include <cstdint>
#include <headwise/api/validation_options.hpp>
#include <headwise/core/attention/layer_cache.hpp>
#include <headwise/core/parallel/for_each.hpp>
#include <vector>

#include "mask_record.hpp"
#include "memory.hpp"

namespace headwise::bindings {
namespace {

/// All but the seed.
MultiHeadAttentionOptions read_options(const LayerOptions& given) {
  MultiHeadAttentionOptions options{
      .num_hiddens = given.num_hiddens,
      .num_heads = given.num_heads,
      .dropout = given.dropout,
      .bias = given.bias,
      .output_bias = given.output_bias,
      .query_size = given.query_size,
      .key_size = given.key_size,
      .value_size = given.value_size,
      .output_size = given.output_size,
      .output_projection = given.output_projection,
      .num_kv_heads = given.num_kv_heads,
      .pooling = static_cast<Pooling>(given.pooling),
      .attention_hiddens = given.attention_hiddens,
      .projection = static_cast<Projection>(given.projection),
      .scale = given.scale,
      .softcap = given.softcap,
      .bias_kv = given.bias_kv,
      .zero_attention = given.zero_attention,
      .weights = static_cast<Precision>(given.weights),
  };
  if (given.has_rotary) {
    options.rotary = {.base = given.rotary_base,
                      .size = given.rotary_size,
                      .interleaved = given.rotary_interleaved};
  }
  return options;
}

}  // namespace

Address new_layer(Address request) {
  const auto& given = block_at<LayerOptions>(request);
  MultiHeadAttentionOptions options = read_options(given);
  validation::check_layer_options(options);
  // JavaScript draws and checks seeds.
  options.seed = std::uint64_t{given.seed};
  return address_of(new AttentionLayer(options));  // NOLINT(*-owning-memory): JavaScript owns it
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
  validation::check_cache_sizes(static_cast<std::int64_t>(batch_size),
                                static_cast<std::int64_t>(max_length));
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
