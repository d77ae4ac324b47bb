#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <headwise/core/attention/attention_mask.hpp>
#include <headwise/masks.hpp>
#include <optional>
#include <span>
#include <vector>

namespace headwise {

/// The mask options of a forward pass or a pooling function.
struct MaskOptions {
  const ValidLens& valid_lens;
  const Mask& mask;
  const Mask& key_mask;
  Causal causal = Causal::none;
  const std::optional<Window>& window;
  EmptyRows empty_rows = EmptyRows::zero;
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

/// Checked numbers as passes take them; empty without any.
[[nodiscard]] std::vector<std::int32_t> to_int32(const Numbers<std::int64_t>& numbers);

/// Whether each entry of a mask other than floats to add is not 0; empty without a mask.
[[nodiscard]] std::vector<std::uint8_t> bytes_of(const Mask& mask);

/// Strides that broadcast a row-major mask of `shape` to (batch, heads, queries, keys): 0 for axes
/// of size 1.
[[nodiscard]] std::array<std::size_t, 4> broadcast_strides(std::span<const std::size_t> shape);

/// An `AttentionMask` made from options, and memory that it points to. The options must outlive
/// it.
class MaskStorage {
 public:
  MaskStorage(const MaskOptions& options, const MaskSizes& sizes);

  [[nodiscard]] const AttentionMask& mask() const noexcept { return mask_; }

 private:
  std::vector<std::int32_t> valid_lens_;
  KeptKeys key_mask_;
  AttentionMask mask_;
};

}  // namespace headwise
