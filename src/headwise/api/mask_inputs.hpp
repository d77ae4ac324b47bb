#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <headwise/caller_memory.hpp>
#include <headwise/core/attention/attention_mask.hpp>
#include <headwise/core/memory/arena.hpp>
#include <span>

namespace headwise {

/// The masks of a call as both languages give them.
struct MaskInputs {
  /// Integers as JavaScript gives them, which may turn out to be fractions.
  Input<double> valid_lens;
  /// At most one of the two.
  Input<std::uint8_t> allowed;
  Input<float> added;
  Input<std::uint8_t> key_mask;
  MaskRules rules;
};

struct MaskSizes {
  std::size_t batch;
  std::size_t num_heads;
  std::size_t num_queries;
  std::size_t num_keys;
  std::size_t num_extra_slots = 0;
  /// Position of the first query among the keys: the length of a cache, or `query_offset`.
  std::int64_t query_offset = 0;
};

/// Working memory for checked integers.
struct Integers {
  std::int32_t* to = nullptr;

  Integers(Arena& arena, const Input<double>& numbers) noexcept
      : to(arena.take<std::int32_t>(numbers.numbers().size())) {}
  /// Copies the numbers there; returns null without any.
  const std::int32_t* copy(const Input<double>& numbers) const noexcept;
};

/// Working memory of the masks of a call.
struct MaskMemory {
  Integers valid_lens;
  KeyRange* key_ranges;

  MaskMemory(Arena& arena, const MaskInputs& masks, std::size_t batch) noexcept
      : valid_lens(arena, masks.valid_lens),
        key_ranges(arena.take<KeyRange>(masks.key_mask.is_given() ? batch : 0)) {}
  /// The masks, which were checked, as passes read them. They point to this memory and to the
  /// inputs.
  [[nodiscard]] AttentionMask mask(const MaskInputs& masks, const MaskSizes& sizes) const noexcept;
};

/// Strides that broadcast a row-major mask of `shape` to (batch, heads, queries, keys): 0 for axes
/// of size 1.
[[nodiscard]] std::array<std::size_t, 4> broadcast_strides(
    std::span<const std::size_t> shape) noexcept;

}  // namespace headwise
