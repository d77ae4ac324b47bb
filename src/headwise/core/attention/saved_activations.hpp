#pragma once

#include <cstddef>
#include <cstdint>
#include <headwise/core/attention/attention_mask.hpp>
#include <headwise/core/attention/dropout.hpp>
#include <headwise/core/memory/aligned_floats.hpp>
#include <headwise/core/memory/arena.hpp>

namespace headwise {

/// Whether the layer's latest forward has a backward pending.
enum class PendingBackward : std::uint8_t {
  none,
  ready,
  outdated,  ///< the parameters have changed since the forward
};

/// What one forward pass saves for its backward: copies of its inputs, the projections and the
/// pooled heads. Linear in the number of queries and keys, except for a mask as large as it was
/// given.
class SavedActivations {
 public:
  /// Floats per position of each tensor.
  struct Sizes {
    std::size_t query_size;
    std::size_t key_size;
    std::size_t value_size;
    std::size_t query_width;      ///< of the heads' queries
    std::size_t key_value_width;  ///< of the heads' keys, and of their values
    /// How many versions of Q and K are saved: none, where the heads read the inputs; the projected
    /// ones; and those that norms made of them.
    std::size_t versions;
    std::size_t rotation_rows;  ///< of the table of rotations; 0 without rotary positions
    std::size_t rotation_size;
    /// Rows from one sample's first to the next one's; 0 where all samples share them.
    std::size_t rotation_sample_stride;
  };

  struct Tensors {
    float* queries;  ///< (batch, queries, query_size)
    float* keys;     ///< (batch, keys, key_size)
    float* values;   ///< (batch, keys, value_size)
    float* Q;        ///< (batch, queries, query width), projected, or the inputs; rotated
    float* K;        ///< (batch, keys, key-value width)
    float* V;
    /// Q and K before the norms, or themselves. Of `SavedActivations::tensors` alone.
    float* projected_Q;
    float* projected_K;
    float* pooled;     ///< (batch, queries, query width), the heads' results before the gates
    float* rotations;  ///< (rotation_rows, rotation_size)

    static Tensors lay_out(Arena& arena, const Sizes& sizes, const AttentionMask& mask) noexcept;
  };

  struct Masks {
    AttentionMask mask;
    const float* head_gate;  ///< entry [sample · gate_stride + head], or null
    std::size_t gate_stride;
  };

  /// Allocates the tensors and copies the mask and the gates. If `earlier`, which may be null, has
  /// memory of the right size, none is allocated: `reuse_memory` then takes it over.
  SavedActivations(const Sizes& sizes, const AttentionMask& mask, std::size_t num_heads,
                   const float* head_gate, std::size_t gate_stride,
                   const SavedActivations* earlier);

  /// Takes over the memory of the earlier one that it was made with.
  void reuse_memory(SavedActivations& earlier) noexcept;
  void set_dropout(const Dropout& dropout) noexcept { dropout_ = dropout; }
  void set_has_batch_axis(bool has_batch_axis) noexcept { has_batch_axis_ = has_batch_axis; }

  [[nodiscard]] Tensors tensors() noexcept;
  [[nodiscard]] std::size_t rotation_sample_stride() const noexcept {
    return sizes_.rotation_sample_stride;
  }

  /// The mask without what it points to.
  [[nodiscard]] const AttentionMask& sizes() const noexcept { return given_.mask; }
  /// The mask and the gates, pointing to the copies.
  [[nodiscard]] Masks masks() noexcept;
  [[nodiscard]] const Dropout& dropout() const noexcept { return dropout_; }
  [[nodiscard]] bool has_batch_axis() const noexcept { return has_batch_axis_; }

 private:
  [[nodiscard]] Masks lay_out_copies(Arena& arena, bool is_written) const noexcept;

  Sizes sizes_;
  /// As they were given: of what they point to, only whether there is any is known.
  Masks given_;
  std::size_t num_heads_;
  bool has_batch_axis_ = true;
  AlignedFloats copies_;
  Dropout dropout_{};
  AlignedFloats floats_;
};

}  // namespace headwise
