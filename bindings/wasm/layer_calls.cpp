#include "layer_calls.hpp"

#include <cstdint>
#include <headwise/api/validation_options.hpp>

#include "parameters.hpp"
#include "records.hpp"
#include "response.hpp"
#include "results.hpp"

namespace headwise::bindings {

ParameterList::ParameterList(AttentionLayer& layer) {
  if (layer.parameters()) {
    add("", layer.parameter_table(), &layer.parameters()->stored(), layer.parameter_gradients());
  } else {
    add("",
        parameter_table(layer.settings(), {.query_size = layer.query_size().value_or(0),
                                           .key_size = layer.key_size().value_or(0),
                                           .value_size = layer.value_size().value_or(0)}),
        nullptr, nullptr);
  }
}

void ParameterList::add(const std::string& prefix, const ParameterTable& table,
                        StoredParameters* stored, float* gradients) {
  std::size_t index = 0;
  for (const ParameterTable::Entry& entry : table.entries()) {
    parameters_.push_back({.name = prefix + entry.name,
                           .shape = entry.shape,
                           .stored = stored,
                           .index = index++,
                           .gradient = gradients != nullptr ? gradients + entry.offset : nullptr});
  }
}

Address new_layer(Address request) {
  // NOLINTNEXTLINE(*-owning-memory): JavaScript owns it
  return address_of(new MultiHeadAttention(message_at<LayerOptions>(request)));
}

void delete_layer(Address layer) { delete at<MultiHeadAttention>(layer); }

void initialize(Address layer, double query_size, double key_size, double value_size) {
  layer_at(layer).initialize({.query_size = static_cast<std::size_t>(query_size),
                              .key_size = static_cast<std::size_t>(key_size),
                              .value_size = static_cast<std::size_t>(value_size)},
                             InitialParameters::zeros);
}

std::size_t is_training(Address layer) { return layer_at(layer).training() ? 1 : 0; }

void set_training(Address layer, std::size_t training) {
  layer_at(layer).set_training(training != 0);
}

Address layer_parameters(Address layer) { return respond(ParameterList(layer_at(layer))); }

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
