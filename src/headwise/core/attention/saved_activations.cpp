#include <algorithm>
#include <headwise/core/attention/saved_activations.hpp>
#include <span>
#include <utility>

namespace headwise {
namespace {

/// Number of entries up to the last that the strides reach; 0 if an axis is empty.
std::size_t extent(std::span<const std::size_t> strides, std::span<const std::size_t> shape) {
  std::size_t last = 0;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] == 0) {
      return 0;
    }
    last += strides[axis] * (shape[axis] - 1);
  }
  return last + 1;
}

template <typename Number>
std::vector<Number> copy_of(const Number* numbers, std::span<const std::size_t> strides,
                            std::span<const std::size_t> shape) {
  return numbers == nullptr ? std::vector<Number>()
                            : std::vector<Number>(numbers, numbers + extent(strides, shape));
}

}  // namespace

SavedActivations::SavedActivations(const Sizes& sizes, const AttentionMask& mask,
                                   std::size_t num_heads, const float* head_gate,
                                   std::size_t gate_stride, const SavedActivations* earlier)
    : sizes_(sizes), mask_(mask), gate_stride_(gate_stride) {
  const std::array<std::size_t, 4> shape = {mask.batch, num_heads, mask.num_queries, mask.num_keys};
  const std::array<std::size_t, 2> lens_strides = {mask.valid_lens_sample_stride,
                                                   mask.valid_lens_query_stride};
  valid_lens_ = copy_of(mask.valid_lens, lens_strides,
                        std::array<std::size_t, 2>{mask.batch, mask.num_queries});
  allowed_ = copy_of(mask.allowed, mask.mask_strides, shape);
  added_ = copy_of(mask.added, mask.mask_strides, shape);
  head_gate_ = copy_of(head_gate, std::array<std::size_t, 2>{gate_stride, 1},
                       std::array<std::size_t, 2>{mask.batch, num_heads});
  const std::size_t bytes =
      measure([&](Arena& arena) { static_cast<void>(Tensors::lay_out(arena, sizes_, mask_)); });
  if (earlier == nullptr || earlier->floats_.size() != bytes / sizeof(float)) {
    floats_ = AlignedFloats(bytes / sizeof(float));
  }
}

SavedActivations::Tensors SavedActivations::Tensors::lay_out(Arena& arena, const Sizes& sizes,
                                                             const AttentionMask& mask) noexcept {
  const auto [batch, num_queries, num_keys] =
      std::array{mask.batch, mask.num_queries, mask.num_keys};
  Tensors tensors{.queries = arena.take(batch, num_queries, sizes.query_size),
                  .keys = arena.take(batch, num_keys, sizes.key_size),
                  .values = arena.take(batch, num_keys, sizes.value_size),
                  .Q = nullptr,
                  .K = nullptr,
                  .V = nullptr,
                  .pooled = arena.take(batch, num_queries, sizes.query_width),
                  .rotations = arena.take(sizes.rotation_rows, sizes.rotation_size)};
  tensors.Q =
      sizes.has_projections ? arena.take(batch, num_queries, sizes.query_width) : tensors.queries;
  tensors.K =
      sizes.has_projections ? arena.take(batch, num_keys, sizes.key_value_width) : tensors.keys;
  tensors.V =
      sizes.has_projections ? arena.take(batch, num_keys, sizes.key_value_width) : tensors.values;
  return tensors;
}

SavedActivations::Tensors SavedActivations::tensors() noexcept {
  Arena arena(floats_.data(), floats_.size() * sizeof(float));
  return Tensors::lay_out(arena, sizes_, mask_);
}

void SavedActivations::reuse_memory(SavedActivations& earlier) noexcept {
  if (floats_.empty()) {
    floats_ = std::move(earlier.floats_);
  }
}

AttentionMask SavedActivations::mask() const noexcept {
  AttentionMask mask = mask_;
  mask.valid_lens = mask_.valid_lens != nullptr ? valid_lens_.data() : nullptr;
  mask.allowed = mask_.allowed != nullptr ? allowed_.data() : nullptr;
  mask.added = mask_.added != nullptr ? added_.data() : nullptr;
  return mask;
}

}  // namespace headwise
