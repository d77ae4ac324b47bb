#include <algorithm>
#include <array>
#include <headwise/core/attention/saved_activations.hpp>
#include <span>
#include <utility>

namespace headwise {
namespace {

/// Number of entries up to the last that the strides reach; 0 if an axis is empty.
std::size_t extent(std::span<const std::size_t> strides,
                   std::span<const std::size_t> shape) noexcept {
  std::size_t last = 0;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] == 0) {
      return 0;
    }
    last += strides[axis] * (shape[axis] - 1);
  }
  return last + 1;
}

/// Takes memory for what the pointer points to, if anything, and points it there; writes a copy if
/// `is_written`.
template <typename Number>
void place(Arena& arena, bool is_written, const Number*& numbers, std::size_t count) noexcept {
  if (numbers == nullptr) {
    return;
  }
  auto* const bytes = arena.take<char>(count, sizeof(Number));
  if (is_written) {
    std::copy_n(reinterpret_cast<const char*>(numbers), count * sizeof(Number), bytes);
  }
  numbers = reinterpret_cast<const Number*>(bytes);
}

}  // namespace

SavedActivations::SavedActivations(const Sizes& sizes, const AttentionMask& mask,
                                   std::size_t num_heads, const float* head_gate,
                                   std::size_t gate_stride, const SavedActivations* earlier)
    : sizes_(sizes),
      given_{.mask = mask, .head_gate = head_gate, .gate_stride = gate_stride},
      num_heads_(num_heads),
      copies_(measure([&](Arena& arena) { static_cast<void>(lay_out_copies(arena, false)); }) /
              sizeof(float)) {
  Arena arena(copies_.data(), copies_.size() * sizeof(float));
  static_cast<void>(lay_out_copies(arena, true));
  const std::size_t bytes = measure(
      [&](Arena& measuring) { static_cast<void>(Tensors::lay_out(measuring, sizes_, mask)); });
  if (earlier == nullptr || earlier->floats_.size() != bytes / sizeof(float)) {
    floats_ = AlignedFloats(bytes / sizeof(float));
  }
}

SavedActivations::Masks SavedActivations::lay_out_copies(Arena& arena,
                                                         bool is_written) const noexcept {
  Masks copies = given_;
  AttentionMask& mask = copies.mask;
  const auto [batch, queries, keys] = std::array{mask.batch, mask.num_queries, mask.num_keys};
  const std::size_t entries =
      extent(mask.mask_strides, std::array{batch, num_heads_, queries, keys});
  place(arena, is_written, mask.valid_lens,
        extent(std::array{mask.valid_lens_sample_stride, mask.valid_lens_query_stride},
               std::array{batch, queries}));
  place(arena, is_written, mask.key_mask.ranges, batch);
  place(arena, is_written, mask.key_mask.each, batch * keys);
  place(arena, is_written, mask.allowed, entries);
  place(arena, is_written, mask.added, entries);
  place(arena, is_written, copies.head_gate,
        extent(std::array{copies.gate_stride, std::size_t{1}}, std::array{batch, num_heads_}));
  return copies;
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
                  .projected_Q = nullptr,
                  .projected_K = nullptr,
                  .pooled = arena.take(batch, num_queries, sizes.query_width),
                  .rotations = arena.take(sizes.rotation_rows, sizes.rotation_size)};
  const std::size_t versions = sizes.versions;
  const bool has_projections = versions > 0;
  tensors.Q = has_projections ? arena.take(batch, num_queries, sizes.query_width, versions)
                              : tensors.queries;
  tensors.K =
      has_projections ? arena.take(batch, num_keys, sizes.key_value_width, versions) : tensors.keys;
  tensors.V = has_projections ? arena.take(batch, num_keys, sizes.key_value_width) : tensors.values;
  return tensors;
}

SavedActivations::Tensors SavedActivations::tensors() noexcept {
  Arena arena(floats_.data(), floats_.size() * sizeof(float));
  Tensors tensors = Tensors::lay_out(arena, sizes_, given_.mask);
  const std::size_t before_norms = sizes_.versions > 1 ? given_.mask.batch : 0;
  tensors.projected_Q = tensors.Q + before_norms * given_.mask.num_queries * sizes_.query_width;
  tensors.projected_K = tensors.K + before_norms * given_.mask.num_keys * sizes_.key_value_width;
  return tensors;
}

SavedActivations::Masks SavedActivations::masks() noexcept {
  Arena arena(copies_.data(), copies_.size() * sizeof(float));
  return lay_out_copies(arena, false);
}

void SavedActivations::reuse_memory(SavedActivations& earlier) noexcept {
  if (floats_.empty()) {
    floats_ = std::move(earlier.floats_);
  }
}

}  // namespace headwise
