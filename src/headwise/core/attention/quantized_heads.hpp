#pragma once

#include <cstddef>
#include <cstdint>
#include <headwise/core/attention/attention_mask.hpp>
#include <headwise/core/attention/attention_types.hpp>
#include <headwise/core/kernels/packed_matrix.hpp>
#include <headwise/core/memory/aligned_floats.hpp>

namespace headwise {

/// Keys and values of positions as integers of 15 or 7 bits and a sign, with a factor for each
/// position of each head: an error of at most 2⁻¹⁵, or 1/254, of the largest number in a key or
/// value. One that is not finite is NaN throughout. Each head is packed as products read it,
/// positions as columns of the keys and as rows of the values.
class QuantizedHeads {
 public:
  struct Sizes {
    std::size_t batch;
    std::size_t num_heads;
    std::size_t max_length;
    std::size_t head_size;
  };

  QuantizedHeads() noexcept = default;
  /// Leaves the numbers uninitialized. The precision is float16, of 15 bits, or int8, of 7.
  QuantizedHeads(const Sizes& sizes, Precision precision);

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
    return values_.scales.data() + first_row(sample, head) + first;
  }

 private:
  /// Integers in memory that can be copied, and their factors.
  struct Part {
    AlignedFloats integers;
    AlignedFloats scales;
    bool are_keys = false;
  };

  [[nodiscard]] std::size_t index(std::size_t sample, std::size_t head) const noexcept {
    return sample * sizes_.num_heads + head;
  }
  [[nodiscard]] std::size_t first_row(std::size_t sample, std::size_t head) const noexcept {
    return index(sample, head) * sizes_.max_length;
  }
  [[nodiscard]] int max_integer() const noexcept {
    return are_bytes_ ? kernels::max_int8 : kernels::max_int16;
  }
  /// Integers of one panel, and of one head.
  [[nodiscard]] std::size_t panel_size(const Part& part) const noexcept;
  [[nodiscard]] std::size_t head_size(const Part& part) const noexcept;
  /// The place of number `i` of a position, counted from the first head's first.
  [[nodiscard]] std::size_t place(const Part& part, std::size_t head_index, std::size_t position,
                                  std::size_t i) const noexcept;
  void write(Part& part, std::size_t head_index, std::size_t position,
             const float* numbers) noexcept;
  void read(const Part& part, std::size_t head_index, std::size_t position,
            float* numbers) const noexcept;
  /// The integers of a head from a position on.
  [[nodiscard]] kernels::QuantizedMatrix matrix(const Part& part, std::size_t head_index,
                                                std::size_t first) const noexcept;

  Sizes sizes_{};
  bool are_bytes_ = false;
  Part keys_{.integers = {}, .scales = {}, .are_keys = true};
  Part values_;
};

}  // namespace headwise
