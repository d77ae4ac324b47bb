#include <algorithm>
#include <headwise/core/attention/quantized_weights.hpp>
#include <headwise/core/attention/stored_parameters.hpp>
#include <headwise/core/kernels/dispatch.hpp>
#include <headwise/core/memory/arena.hpp>
#include <utility>

namespace headwise {

StoredParameters::StoredParameters(const ParameterTable& table, std::vector<LinearMap> maps,
                                   Precision precision)
    : precision_(precision), maps_(std::move(maps)) {
  for (const ParameterTable::Entry& entry : table.entries()) {
    entries_.push_back({.rows = entry.rows(), .columns = entry.columns(), .offset = 0});
  }
  Arena packed;
  for (std::size_t number = 0; number < maps_.size(); ++number) {
    const LinearMap& map = maps_[number];
    packed_offsets_.push_back(packed.bytes() / sizeof(float));
    static_cast<void>(packed.take(map.sizes.packed_size(precision)));
    if (precision != Precision::float16) {
      entries_[map.weight].map = number;
    }
  }
  std::size_t floats = 0;
  for (Entry& entry : entries_) {
    entry.offset = floats;
    floats = saturating_sum(floats,
                            entry.map == none ? saturating_product(entry.rows, entry.columns) : 0);
  }
  values_ = zero_floats(floats);
  // Outputs that only pad a panel are never written.
  packed_ = zero_floats(packed.bytes() / sizeof(float));
}

float* StoredParameters::row_major() {
  if (holds_integers(precision_)) {
    return nullptr;
  }
  std::size_t size = 0;
  for (const Entry& entry : entries_) {
    size += entry.rows * entry.columns;
  }
  if (size != values_.size()) {
    AlignedFloats values(size);
    size = 0;
    for (std::size_t index = 0; index < entries_.size(); ++index) {
      Entry& entry = entries_[index];
      read(index, 0, entry.rows, values.data() + size);
      entry.offset = size;
      entry.map = none;
      size += entry.rows * entry.columns;
    }
    values_ = std::move(values);
    packed_is_current_ = true;
  }
  return values_.data();
}

void StoredParameters::read(std::size_t index, std::size_t first_row, std::size_t rows,
                            float* to) const noexcept {
  const auto [all, columns, offset, map] = entries_[index];
  if (map == none) {
    std::copy_n(values_.data() + offset + first_row * columns, rows * columns, to);
    return;
  }
  copy_weights(linear(map), {.row = first_row, .rows = rows, .first = 0, .count = columns}, to,
               columns);
}

void StoredParameters::write(std::size_t index, std::size_t first_row, std::size_t rows,
                             const float* from) noexcept {
  const auto [all, columns, offset, map] = entries_[index];
  if (map == none) {
    std::copy_n(from, rows * columns, values_.data() + offset + first_row * columns);
    return;
  }
  pack_rows(maps_[map].sizes, precision_, first_row, rows, from, packed(map));
}

void StoredParameters::fill_by_rows(std::size_t index, const void* with,
                                    void (*set)(const void* with, float* numbers, std::size_t first,
                                                std::size_t count)) {
  const auto [rows, columns, offset, map] = entries_[index];
  if (map == none) {
    set(with, values_.data() + offset, 0, rows * columns);
    return;
  }
  const std::size_t at_once = kernels::panel_width();
  AlignedFloats numbers(at_once * columns);
  for (std::size_t row = 0; row < rows; row += at_once) {
    const std::size_t part = std::min(at_once, rows - row);
    set(with, numbers.data(), row * columns, part * columns);
    write(index, row, part, numbers.data());
  }
}

Linear StoredParameters::linear(std::size_t number) const noexcept {
  const LinearMap& map = maps_[number];
  return {.sizes = map.sizes,
          .weight = values(map.weight),
          .bias = values(map.bias),
          .packed = packed_.data() + packed_offsets_[number],
          .precision = precision_};
}

void StoredParameters::changed() noexcept {
  for (const LinearMap& map : maps_) {
    if (precision_ == Precision::float16) {
      round_to_float16(values(map.weight), map.sizes.out * map.sizes.group_in());
    }
  }
  packed_is_current_ = false;
}

void StoredParameters::pack() noexcept {
  if (packed_is_current_) {
    return;
  }
  for (std::size_t number = 0; number < maps_.size(); ++number) {
    if (const float* weight = values(maps_[number].weight); weight != nullptr) {
      headwise::pack(maps_[number].sizes, precision_, weight, packed(number));
    }
  }
  packed_is_current_ = true;
}

}  // namespace headwise
