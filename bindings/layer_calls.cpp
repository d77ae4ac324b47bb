#include "layer_calls.hpp"

#include <cstdint>
#include <headwise/attention/key_value_cache.hpp>
#include <headwise/parallel/for_each.hpp>

#include "mask_record.hpp"
#include "memory.hpp"

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
  options.dropout = dropout;
  options.scale = scale;
  options.softcap = softcap;
  options.seed = static_cast<std::uint64_t>(seed);
  return options;
}

}  // namespace

double parameters_bound(const LayerSettings& settings, const InputSizes& sizes) {
  constexpr double padding = 64;
  const auto query_width = static_cast<double>(settings.query_width());
  const auto width = query_width + static_cast<double>(settings.output_size) + padding;
  const double inputs = static_cast<double>(sizes.query_size) +
                        static_cast<double>(sizes.key_size) +
                        static_cast<double>(sizes.value_size) + query_width + padding;
  const auto attention_hiddens = static_cast<double>(settings.attention_hiddens) + 1;
  return 2 * (width * inputs +
              2 * attention_hiddens * (static_cast<double>(settings.head_size) + 1)) +
         small_objects;
}

double missing_parameters(MultiHeadAttention& layer, const InputSizes& sizes) {
  return layer.parameters() ? 0 : parameters_bound(layer.settings(), sizes);
}

Address new_layer(Address options, double dropout, double scale, double softcap, double seed) {
  if (!can_allocate(small_objects)) {
    return 0;
  }
  return address_of(new MultiHeadAttention(  // NOLINT(*-owning-memory): JavaScript owns it
      read_options(options, dropout, scale, softcap, seed)));
}

void delete_layer(Address layer) { delete at<MultiHeadAttention>(layer); }

std::size_t initialize(Address layer, double query_size, double key_size, double value_size) {
  const InputSizes sizes{.query_size = static_cast<std::size_t>(query_size),
                         .key_size = static_cast<std::size_t>(key_size),
                         .value_size = static_cast<std::size_t>(value_size)};
  if (!can_allocate(parameters_bound(layer_at(layer).settings(), sizes) * sizeof(float))) {
    return 0;
  }
  layer_at(layer).initialize(sizes);
  return 1;
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
  layer_at(layer).forward_into(arguments);
}

Address create_cache(Address layer, double batch_size, double max_length) {
  const LayerSettings& settings = layer_at(layer).settings();
  const double floats =
      2 * batch_size * max_length * static_cast<double>(settings.key_value_width());
  if (!can_allocate(floats * sizeof(float) + small_objects)) {
    return 0;
  }
  return address_of(new KeyValueCache(  // NOLINT(*-owning-memory): JavaScript owns it
      layer_at(layer).identity(), static_cast<std::size_t>(batch_size),
      static_cast<std::size_t>(max_length), settings.num_kv_heads, settings.head_size));
}

void delete_cache(Address cache) { delete at<KeyValueCache>(cache); }

void set_cache_length(Address cache, double length) {
  at<KeyValueCache>(cache)->truncate(static_cast<std::int64_t>(length));
}

}  // namespace headwise::bindings
