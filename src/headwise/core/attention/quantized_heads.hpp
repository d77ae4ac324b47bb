#pragma once

#include <cstddef>
#include <cstdint>
#include <headwise/core/attention/attention_mask.hpp>
#include <headwise/core/kernels/packed_matrix.hpp>
#include <headwise/core/memory/aligned_floats.hpp>

namespace headwise {

/// Keys and values of positions as integers of 15 bits, with a factor for each position of each
/// head: an error of at most 2⁻¹⁵ of the largest number in a key or value. One that is not finite
/// is NaN throughout. Each head is packed as products read it, positions as columns of the keys and
/// as rows of the values.
class QuantizedHeads {
 public:
  struct Sizes {
    std::size_t batch;
    std::size_t num_heads;
    std::size_t max_length;
    std::size_t head_size;
  };

  QuantizedHeads() noexcept = default;
  /// Leaves the numbers uninitialized.
  explicit QuantizedHeads(const Sizes& sizes);

  /// Writes one position of a head.
  void store(std::size_t sample, std::size_t head, std::size_t position, const float* key,
             const float* value) noexcept;

  /// Read as floats, (positions, head size) each; null is left out.
  void read(std::size_t sample, std::size_t head, KeyRange positions, float* keys,
            float* values) const noexcept;

  /// The keys, (head size, positions), from a position on that is a multiple of a panel's width.
  [[nodiscard]] kernels::QuantizedMatrix keys(std::size_t sample, std::size_t head,
                                              std::size_t first) const noexcept;
  /// The values, (positions, head size), from a position on that is a multiple of
  /// `kernels::quantized_block`. Their factors are those of `value_scales`.
  [[nodiscard]] kernels::QuantizedMatrix values(std::size_t sample, std::size_t head,
                                                std::size_t first) const noexcept;
  [[nodiscard]] const float* value_scales(std::size_t sample, std::size_t head,
                                          std::size_t first) const noexcept {
    return value_scales_.data() + first_row(sample, head) + first;
  }

 private:
  /// Integers of one panel, and of one head.
  [[nodiscard]] std::size_t key_panel() const noexcept;
  [[nodiscard]] std::size_t key_head() const noexcept;
  [[nodiscard]] std::size_t value_panel() const noexcept;
  [[nodiscard]] std::size_t value_head() const noexcept;
  [[nodiscard]] std::size_t index(std::size_t sample, std::size_t head) const noexcept {
    return sample * sizes_.num_heads + head;
  }
  [[nodiscard]] std::size_t first_row(std::size_t sample, std::size_t head) const noexcept {
    return index(sample, head) * sizes_.max_length;
  }

  Sizes sizes_{};
  // Integers, in memory that can be copied.
  AlignedFloats keys_;
  AlignedFloats values_;
  AlignedFloats key_scales_;
  AlignedFloats value_scales_;
};

}  // namespace headwise
