#include <algorithm>
#include <headwise/core/attention/quantized_weights.hpp>
#include <headwise/core/attention/stored_parameters.hpp>
#include <headwise/core/memory/arena.hpp>
#include <utility>

namespace headwise {

StoredParameters::StoredParameters(const ParameterTable& table, std::vector<LinearMap> maps,
                                   Precision precision)
    : precision_(precision), maps_(std::move(maps)) {
  for (const ParameterTable::Entry& entry : table.entries()) {
    entries_.push_back({.rows = entry.rows(), .columns = entry.columns(), .offset = entry.offset});
  }
  Arena packed;
  for (std::size_t number = 0; number < maps_.size(); ++number) {
    const LinearMap& map = maps_[number];
    packed_offsets_.push_back(packed.bytes() / sizeof(float));
    static_cast<void>(packed.take(map.sizes.packed_size(precision)));
    if (holds_integers(precision)) {
      entries_[map.weight].map = number;
    }
  }
  std::size_t floats = table.size();
  if (holds_integers(precision)) {
    floats = 0;
    for (Entry& entry : entries_) {
      entry.offset = floats;
      floats = saturating_sum(
          floats, entry.map == none ? saturating_product(entry.rows, entry.columns) : 0);
    }
  }
  values_ = AlignedFloats(floats);
  packed_ = AlignedFloats(packed.bytes() / sizeof(float));
}

void StoredParameters::read(std::size_t index, std::size_t first_row, std::size_t rows,
                            float* to) const noexcept {
  const auto [all, columns, offset, map] = entries_[index];
  if (map == none) {
    std::copy_n(values_.data() + offset + first_row * columns, rows * columns, to);
    return;
  }
  const Linear of_map = linear(map);
  for (std::size_t row = first_row; row < first_row + rows; ++row, to += columns) {
    copy_weights(of_map, row, 0, columns, to);
  }
}

void StoredParameters::write(std::size_t index, std::size_t first_row, std::size_t rows,
                             const float* from) noexcept {
  const auto [all, columns, offset, map] = entries_[index];
  if (map == none) {
    std::copy_n(from, rows * columns, values_.data() + offset + first_row * columns);
    return;
  }
  for (std::size_t row = first_row; row < first_row + rows; ++row, from += columns) {
    pack_row(maps_[map].sizes, precision_, row, from, packed(map));
  }
}

void StoredParameters::fill_by_rows(std::size_t index, const void* with,
                                    void (*set)(const void* with, float* numbers, std::size_t first,
                                                std::size_t count)) {
  const auto [rows, columns, offset, map] = entries_[index];
  if (map == none) {
    set(with, values_.data() + offset, 0, rows * columns);
    return;
  }
  AlignedFloats numbers(columns);
  for (std::size_t row = 0; row < rows; ++row) {
    set(with, numbers.data(), row * columns, columns);
    write(index, row, 1, numbers.data());
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
  for (std::size_t number = 0; !holds_integers(precision_) && number < maps_.size(); ++number) {
    headwise::pack(maps_[number].sizes, precision_, values(maps_[number].weight), packed(number));
  }
  packed_is_current_ = true;
}

}  // namespace headwise
