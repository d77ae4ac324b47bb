#pragma once

#include <cstddef>
#include <cstdint>
#include <headwise/core/attention/layer_options.hpp>

/// Rotary positions (Su et al. 2021): element pair i of a head at position p is rotated by the
/// angle p · base^(−2i/size), or its scaling.
namespace headwise {

/// The rotations of `count` positions, those at `positions` or, if that is null, from `first` on:
/// table (count, size), in each row size/2 cosines, then size/2 sines. A row depends on its
/// position alone, to the bit.
void rotations_into(const std::int32_t* positions, std::int64_t first, std::size_t count,
                    const RotarySettings& rotary, float* table) noexcept;

/// Heads side by side, (batch, length, heads · head size), which are rotated in place.
struct RotatedHeads {
  float* rows;
  std::size_t batch;
  std::size_t length;
  std::size_t num_heads;
  std::size_t head_size;
  /// Entry [sample · length + i]: whether the row is rotated; null for all.
  const std::uint8_t* read = nullptr;
};

/// Rotates every head by the table's row [sample · sample_stride + i], or back.
void rotate_heads(const RotatedHeads& heads, const float* table, std::size_t sample_stride,
                  const RotarySettings& rotary, bool inverse) noexcept;

}  // namespace headwise
