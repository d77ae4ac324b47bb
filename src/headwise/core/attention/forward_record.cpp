#include <headwise/core/attention/forward_record.hpp>
#include <headwise/core/memory/checked_sizes.hpp>
#include <span>
#include <utility>

namespace headwise {
namespace {

/// Entries up to the last that strides reach; none if an axis has none.
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

ForwardRecord::ForwardRecord(const Sizes& sizes, const AttentionMask& mask, std::size_t num_heads,
                             const float* head_gate, std::size_t gate_stride,
                             const ForwardRecord* earlier)
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
  double floats = 0;
  for (const std::size_t part :
       {sizes.queries, sizes.keys, sizes.values, sizes.projections, sizes.pooled}) {
    floats += static_cast<double>(part);
  }
  const std::size_t size = checked_count(floats);
  if (earlier == nullptr || earlier->floats_.size() != size) {
    floats_ = make_tensor<1>({size});
  }
}

void ForwardRecord::take_room(ForwardRecord& earlier) noexcept {
  if (floats_.size() == 0) {
    floats_ = std::move(earlier.floats_);
  }
}

AttentionMask ForwardRecord::mask() const noexcept {
  AttentionMask mask = mask_;
  mask.valid_lens = mask_.valid_lens != nullptr ? valid_lens_.data() : nullptr;
  mask.allowed = mask_.allowed != nullptr ? allowed_.data() : nullptr;
  mask.added = mask_.added != nullptr ? added_.data() : nullptr;
  return mask;
}

}  // namespace headwise
