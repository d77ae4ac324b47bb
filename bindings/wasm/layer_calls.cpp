#include "layer_calls.hpp"

#include <cstdint>
#include <headwise/api/validation_options.hpp>
#include <headwise/api/validation_state_dict.hpp>
#include <headwise/core/attention/parameter_list.hpp>

#include "records.hpp"
#include "response.hpp"
#include "results.hpp"

namespace headwise::bindings {

Address new_layer(Address request) {
  // NOLINTNEXTLINE(*-owning-memory): JavaScript owns it
  return address_of(new MultiHeadAttention(message_at<LayerOptions>(request)));
}

Address copy_layer(Address layer) {
  auto* copy =
      new MultiHeadAttention(layer_at(layer));  // NOLINT(*-owning-memory): JavaScript owns it
  copy->set_training(false);
  return address_of(copy);
}

void delete_layer(Address layer) { delete at<MultiHeadAttention>(layer); }

Address initialize(Address layer, double query_size, double key_size, double value_size) {
  MultiHeadAttention& target = layer_at(layer);
  target.initialize({.query_size = static_cast<std::size_t>(query_size),
                     .key_size = static_cast<std::size_t>(key_size),
                     .value_size = static_cast<std::size_t>(value_size)},
                    InitialParameters::zeros);
  return address_of(&target.parameters()->stored());
}

std::size_t is_training(Address layer) { return layer_at(layer).training() ? 1 : 0; }

void set_training(Address layer, std::size_t training) {
  layer_at(layer).set_training(training != 0);
}

Address layer_parameters(Address layer) { return respond(parameter_list(layer_at(layer))); }

Address check_layer_tensors(Address layer, Address request) {
  return respond(
      validation::check_layer_tensors(layer_at(layer), message_at<NamedTensors>(request).tensors));
}

void read_parameter(Address stored, std::size_t index, std::size_t first_row, std::size_t rows,
                    Address to) {
  at<StoredParameters>(stored)->read(index, first_row, rows, at<float>(to));
}

void write_parameter(Address stored, std::size_t index, std::size_t first_row, std::size_t rows,
                     Address from) {
  at<StoredParameters>(stored)->write(index, first_row, rows, at<const float>(from));
}

void forward(Address layer, Address inputs) {
  Results results;
  layer_at(layer).forward(record_at<ForwardInputs>(inputs), results);
}

Address create_cache(Address layer, double batch_size, double max_length, std::size_t precision) {
  const CacheOptions options{.batch_size = static_cast<std::int64_t>(batch_size),
                             .max_length = static_cast<std::int64_t>(max_length),
                             .precision = static_cast<Precision>(precision)};
  // NOLINTNEXTLINE(*-owning-memory): JavaScript owns it
  return address_of(new KeyValueCache(layer_at(layer).create_cache(options)));
}

void delete_cache(Address cache) { delete at<KeyValueCache>(cache); }

std::size_t cache_length(Address cache) { return at<KeyValueCache>(cache)->length(); }

void set_cache_length(Address cache, double length) {
  auto& changed = *at<KeyValueCache>(cache);
  validation::check_truncate(static_cast<std::int64_t>(length), changed.length());
  changed.set_length(static_cast<std::size_t>(length));
}

}  // namespace headwise::bindings
