#include <headwise/core/attention/quantized_heads.hpp>
#include <headwise/core/attention/quantized_weights.hpp>
#include <headwise/core/kernels/dispatch.hpp>

namespace headwise {
namespace {

std::size_t panels_of(std::size_t columns) noexcept {
  return kernels::round_up_to_panel(columns) / kernels::panel_width();
}

}  // namespace

QuantizedHeads::QuantizedHeads(const Sizes& sizes, Precision precision)
    : sizes_(sizes), are_bytes_(precision == Precision::int8) {
  const std::size_t heads = saturating_product(sizes.batch, sizes.num_heads);
  // Panels are whole floats.
  const std::size_t in_float = sizeof(float) / (are_bytes_ ? 1 : sizeof(std::int16_t));
  for (Part* part : {&keys_, &values_}) {
    part->integers = AlignedFloats(saturating_product(heads, head_size(*part) / in_float));
    part->scales = AlignedFloats(saturating_product(heads, sizes.max_length));
  }
}

std::size_t QuantizedHeads::panel_size(const Part& part) const noexcept {
  return kernels::quantized_panel_size(part.are_keys ? sizes_.head_size : sizes_.max_length);
}

std::size_t QuantizedHeads::head_size(const Part& part) const noexcept {
  return saturating_product(panels_of(part.are_keys ? sizes_.max_length : sizes_.head_size),
                            panel_size(part));
}

std::size_t QuantizedHeads::place(const Part& part, std::size_t head_index, std::size_t position,
                                  std::size_t i) const noexcept {
  return head_index * head_size(part) + kernels::quantized_place(part.are_keys ? i : position,
                                                                 part.are_keys ? position : i,
                                                                 panel_size(part));
}

void QuantizedHeads::write(Part& part, std::size_t head_index, std::size_t position,
                           const float* numbers) noexcept {
  const float largest = largest_magnitude(numbers, sizes_.head_size);
  part.scales.data()[head_index * sizes_.max_length + position] = largest;
  for (std::size_t i = 0; i < sizes_.head_size; ++i) {
    const std::size_t at = place(part, head_index, position, i);
    const std::int16_t integer = to_integer(numbers[i], largest, max_integer());
    if (are_bytes_) {
      reinterpret_cast<std::int8_t*>(part.integers.data())[at] = static_cast<std::int8_t>(integer);
    } else {
      reinterpret_cast<std::int16_t*>(part.integers.data())[at] = integer;
    }
  }
}

void QuantizedHeads::read(const Part& part, std::size_t head_index, std::size_t position,
                          float* numbers) const noexcept {
  const float largest = part.scales.data()[head_index * sizes_.max_length + position];
  for (std::size_t i = 0; i < sizes_.head_size; ++i) {
    const std::size_t at = place(part, head_index, position, i);
    const int integer = are_bytes_
                            ? reinterpret_cast<const std::int8_t*>(part.integers.data())[at]
                            : reinterpret_cast<const std::int16_t*>(part.integers.data())[at];
    numbers[i] = static_cast<float>(integer) / static_cast<float>(max_integer()) * largest;
  }
}

kernels::QuantizedMatrix QuantizedHeads::matrix(const Part& part, std::size_t head_index,
                                                std::size_t first) const noexcept {
  kernels::QuantizedMatrix result;
  result.panel_stride = panel_size(part);
  const std::size_t at = place(part, head_index, first, 0);
  if (are_bytes_) {
    result.int8 = reinterpret_cast<const std::int8_t*>(part.integers.data()) + at;
  } else {
    result.int16 = reinterpret_cast<const std::int16_t*>(part.integers.data()) + at;
  }
  return result;
}

void QuantizedHeads::store(std::size_t sample, std::size_t head, std::size_t position,
                           const float* key, const float* value) noexcept {
  write(keys_, index(sample, head), position, key);
  write(values_, index(sample, head), position, value);
}

void QuantizedHeads::read(std::size_t sample, std::size_t head, KeyRange positions, float* keys,
                          float* values) const noexcept {
  for (std::size_t position = positions.begin; position < positions.end; ++position) {
    const std::size_t at = (position - positions.begin) * sizes_.head_size;
    if (keys != nullptr) {
      read(keys_, index(sample, head), position, keys + at);
    }
    if (values != nullptr) {
      read(values_, index(sample, head), position, values + at);
    }
  }
}

kernels::QuantizedMatrix QuantizedHeads::keys(std::size_t sample, std::size_t head,
                                              std::size_t first) const noexcept {
  kernels::QuantizedMatrix result = matrix(keys_, index(sample, head), first);
  result.column_scales = keys_.scales.data() + first_row(sample, head) + first;
  return result;
}

kernels::QuantizedMatrix QuantizedHeads::values(std::size_t sample, std::size_t head,
                                                std::size_t first) const noexcept {
  return matrix(values_, index(sample, head), first);
}

}  // namespace headwise
