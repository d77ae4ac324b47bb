#pragma once

#include <cstddef>
#include <cstdint>
#include <headwise/core/attention/attention_mask.hpp>
#include <headwise/core/attention/dropout.hpp>
#include <headwise/tensor.hpp>
#include <vector>

namespace headwise {

/// What one forward pass leaves for its backward: copies of what it was given, and what it
/// projected and pooled. Linear in the number of queries and keys, but for a mask as large as it
/// was given.
class ForwardRecord {
 public:
  /// Floats of each part.
  struct Sizes {
    std::size_t queries;
    std::size_t keys;
    std::size_t values;
    std::size_t projections;  ///< of queries, keys and values
    std::size_t pooled;
  };

  /// Makes room and copies the mask and the gates. If `earlier`, a record or null, has the room,
  /// none is made: `take_room` then takes it over.
  ForwardRecord(const Sizes& sizes, const AttentionMask& mask, std::size_t num_heads,
                const float* head_gate, std::size_t gate_stride, const ForwardRecord* earlier);

  /// Takes the room of the earlier record that it was made with.
  void take_room(ForwardRecord& earlier) noexcept;
  void set_dropout(const Dropout& dropout) noexcept { dropout_ = dropout; }

  [[nodiscard]] float* queries() noexcept { return floats_.data(); }
  [[nodiscard]] float* keys() noexcept { return queries() + sizes_.queries; }
  [[nodiscard]] float* values() noexcept { return keys() + sizes_.keys; }
  [[nodiscard]] float* projections() noexcept { return values() + sizes_.values; }
  /// The heads' results before the gate.
  [[nodiscard]] float* pooled() noexcept { return projections() + sizes_.projections; }

  /// The mask without what it points to.
  [[nodiscard]] const AttentionMask& sizes() const noexcept { return mask_; }
  /// The mask, pointing into the record.
  [[nodiscard]] AttentionMask mask() const noexcept;
  [[nodiscard]] const float* head_gate() const noexcept {
    return head_gate_.empty() ? nullptr : head_gate_.data();
  }
  [[nodiscard]] std::size_t gate_stride() const noexcept { return gate_stride_; }
  [[nodiscard]] const Dropout& dropout() const noexcept { return dropout_; }

 private:
  Sizes sizes_;
  AttentionMask mask_;
  std::vector<std::int32_t> valid_lens_;
  std::vector<std::uint8_t> allowed_;
  std::vector<float> added_;
  std::vector<float> head_gate_;
  std::size_t gate_stride_;
  Dropout dropout_{};
  Tensor<1> floats_;
};

/// Whether there is a forward to go back from.
enum class PendingBackward : std::uint8_t {
  none,
  ready,
  outdated,  ///< there was, but the parameters have changed since
};

}  // namespace headwise
