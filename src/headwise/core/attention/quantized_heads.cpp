#include <headwise/core/attention/quantized_heads.hpp>
#include <headwise/core/attention/quantized_weights.hpp>
#include <headwise/core/kernels/dispatch.hpp>

namespace headwise {
namespace {

std::int16_t* integers(AlignedFloats& memory) noexcept {
  return reinterpret_cast<std::int16_t*>(memory.data());
}

const std::int16_t* integers(const AlignedFloats& memory) noexcept {
  return reinterpret_cast<const std::int16_t*>(memory.data());
}

/// Floats of the memory for so many integers of each head. Panels have an even number of them.
std::size_t memory_for(const QuantizedHeads::Sizes& sizes, std::size_t integers_of_head) noexcept {
  return saturating_product(sizes.batch, sizes.num_heads, integers_of_head / 2);
}

std::size_t panels_of(std::size_t columns) noexcept {
  return kernels::round_up_to_panel(columns) / kernels::panel_width();
}

/// Turns `count` numbers into integers, each where `place` says; returns their factor, which is as
/// large as the largest of them.
template <typename Place>
float quantize_row(const float* numbers, std::size_t count, std::int16_t* to,
                   const Place& place) noexcept {
  const float largest = largest_magnitude(numbers, count);
  for (std::size_t i = 0; i < count; ++i) {
    to[place(i)] = to_int16(numbers[i], largest);
  }
  return largest;
}

/// The number that an integer stands for.
float number_of(std::int16_t integer, float largest) noexcept {
  return static_cast<float>(integer) / kernels::max_int16 * largest;
}

}  // namespace

QuantizedHeads::QuantizedHeads(const Sizes& sizes) : sizes_(sizes) {
  const std::size_t rows = saturating_product(sizes.batch, sizes.num_heads, sizes.max_length);
  keys_ = AlignedFloats(memory_for(sizes, key_head()));
  values_ = AlignedFloats(memory_for(sizes, value_head()));
  key_scales_ = AlignedFloats(rows);
  value_scales_ = AlignedFloats(rows);
}

std::size_t QuantizedHeads::key_panel() const noexcept {
  return kernels::quantized_panel_size(sizes_.head_size);
}

std::size_t QuantizedHeads::key_head() const noexcept {
  return saturating_product(panels_of(sizes_.max_length), key_panel());
}

std::size_t QuantizedHeads::value_panel() const noexcept {
  return kernels::quantized_panel_size(sizes_.max_length);
}

std::size_t QuantizedHeads::value_head() const noexcept {
  return saturating_product(panels_of(sizes_.head_size), value_panel());
}

void QuantizedHeads::store(std::size_t sample, std::size_t head, std::size_t position,
                           const float* key, const float* value) noexcept {
  const std::size_t row = first_row(sample, head) + position;
  key_scales_.data()[row] = quantize_row(
      key, sizes_.head_size, integers(keys_) + index(sample, head) * key_head(),
      [&](std::size_t i) { return kernels::quantized_place(i, position, key_panel()); });
  value_scales_.data()[row] = quantize_row(
      value, sizes_.head_size, integers(values_) + index(sample, head) * value_head(),
      [&](std::size_t i) { return kernels::quantized_place(position, i, value_panel()); });
}

void QuantizedHeads::read(std::size_t sample, std::size_t head, KeyRange positions, float* keys,
                          float* values) const noexcept {
  const std::int16_t* key_integers = integers(keys_) + index(sample, head) * key_head();
  const std::int16_t* value_integers = integers(values_) + index(sample, head) * value_head();
  for (std::size_t position = positions.begin; position < positions.end; ++position) {
    const std::size_t row = first_row(sample, head) + position;
    for (std::size_t i = 0; keys != nullptr && i < sizes_.head_size; ++i) {
      const std::size_t place = kernels::quantized_place(i, position, key_panel());
      *keys++ = number_of(key_integers[place], key_scales_.data()[row]);
    }
    for (std::size_t i = 0; values != nullptr && i < sizes_.head_size; ++i) {
      const std::size_t place = kernels::quantized_place(position, i, value_panel());
      *values++ = number_of(value_integers[place], value_scales_.data()[row]);
    }
  }
}

kernels::QuantizedMatrix QuantizedHeads::keys(std::size_t sample, std::size_t head,
                                              std::size_t first) const noexcept {
  return {.int16 = integers(keys_) + index(sample, head) * key_head() +
                   first / kernels::panel_width() * key_panel(),
          .panel_stride = key_panel(),
          .column_scales = key_scales_.data() + first_row(sample, head) + first};
}

kernels::QuantizedMatrix QuantizedHeads::values(std::size_t sample, std::size_t head,
                                                std::size_t first) const noexcept {
  return {.int16 = integers(values_) + index(sample, head) * value_head() +
                   first * kernels::panel_width(),
          .panel_stride = value_panel()};
}

}  // namespace headwise
