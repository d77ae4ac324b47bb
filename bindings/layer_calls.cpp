#include "layer_calls.hpp"

#include <algorithm>
#include <cstdint>
#include <headwise/core/parallel/for_each.hpp>
#include <headwise/key_value_cache.hpp>
#include <optional>
#include <vector>

#include "mask_record.hpp"

namespace headwise::bindings {
namespace {

/// The order of the numbers is that of `layerRecord` in layer-options.ts.
MultiHeadAttentionOptions read_options(Address address, double dropout, double scale,
                                       double softcap, double seed) {
  Record record(address);
  MultiHeadAttentionOptions options;
  options.num_hiddens = record.integer();
  options.num_heads = record.integer();
  options.num_kv_heads = record.integer();
  options.output_size = record.integer();
  options.output_projection = record.flag();
  options.bias = record.flag();
  options.projection = static_cast<Projection>(record.integer());
  options.pooling = static_cast<Pooling>(record.integer());
  options.attention_hiddens = record.integer();
  options.bias_kv = record.flag();
  options.zero_attention = record.flag();
  for (std::optional<std::int64_t>* size :
       {&options.query_size, &options.key_size, &options.value_size}) {
    const std::int32_t known = record.integer();
    *size = known != 0 ? std::optional<std::int64_t>(known) : std::nullopt;
  }
  options.dropout = dropout;
  options.scale = scale;
  options.softcap = softcap;
  options.seed = static_cast<std::uint64_t>(seed);
  return options;
}

}  // namespace

Address new_layer(Address options, double dropout, double scale, double softcap, double seed) {
  return address_of(new MultiHeadAttention(  // NOLINT(*-owning-memory): JavaScript owns it
      read_options(options, dropout, scale, softcap, seed)));
}

void delete_layer(Address layer) { delete at<MultiHeadAttention>(layer); }

void initialize(Address layer, double query_size, double key_size, double value_size) {
  layer_at(layer).initialize({.query_size = static_cast<std::size_t>(query_size),
                              .key_size = static_cast<std::size_t>(key_size),
                              .value_size = static_cast<std::size_t>(value_size)});
}

std::vector<std::size_t> read_heads(Record& record) {
  std::vector<std::size_t> heads(record.size());
  std::ranges::generate(heads, [&] { return record.size(); });
  return heads;
}

void set_training(Address layer, std::size_t training) {
  training != 0 ? layer_at(layer).train() : layer_at(layer).eval();
}

Address parameter(Address layer, std::size_t number) {
  return address_of(layer_at(layer).parameters()->data(number));
}

double workspace_size(Address layer, double batch, double num_queries, double num_keys) {
  return layer_at(layer).workspace_size(batch, num_queries, num_keys,
                                        static_cast<double>(parallel::num_threads()));
}

void forward(Address layer, Address address) {
  Record record(address);
  const AttentionMask mask = read_mask(record);
  ForwardArguments arguments;
  arguments.mask = &mask;
  arguments.queries = record.pointer<const float>();
  arguments.keys = record.pointer<const float>();
  arguments.values = record.pointer<const float>();
  arguments.num_new_keys = record.size();
  arguments.head_gate = record.pointer<const float>();
  arguments.gate_stride = record.size();
  arguments.cache = record.pointer<KeyValueCache>();
  arguments.output = record.pointer<float>();
  arguments.attention_weights = record.pointer<float>();
  arguments.weights_stage = static_cast<WeightsStage>(record.integer());
  arguments.workspace = record.pointer<float>();
  arguments.num_threads = parallel::num_threads();
  arguments.requires_grad = record.flag();
  arguments.input_sizes = {
      .query_size = record.size(), .key_size = record.size(), .value_size = record.size()};
  layer_at(layer).forward_into(arguments, layer_at(layer).allocate(arguments));
}

Address create_cache(Address layer, double batch_size, double max_length) {
  const LayerSettings& settings = layer_at(layer).settings();
  return address_of(new KeyValueCache(  // NOLINT(*-owning-memory): JavaScript owns it
      layer_at(layer).identity(), static_cast<std::size_t>(batch_size),
      static_cast<std::size_t>(max_length), settings.num_kv_heads, settings.head_size));
}

void delete_cache(Address cache) { delete at<KeyValueCache>(cache); }

void set_cache_length(Address cache, double length) {
  at<KeyValueCache>(cache)->truncate(static_cast<std::int64_t>(length));
}

}  // namespace headwise::bindings
