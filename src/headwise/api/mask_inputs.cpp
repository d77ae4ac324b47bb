#include <algorithm>
#include <headwise/api/mask_inputs.hpp>

namespace headwise {

const std::int32_t* Integers::copy(const Input<double>& numbers) const noexcept {
  std::ranges::transform(numbers.numbers(), to,
                         [](double number) { return static_cast<std::int32_t>(number); });
  return numbers.is_given() ? to : nullptr;
}

std::array<std::size_t, 4> broadcast_strides(std::span<const std::size_t> shape) noexcept {
  std::array<std::size_t, 4> strides{};
  std::size_t stride = 1;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::size_t size = shape[shape.size() - 1 - i];
    strides[strides.size() - 1 - i] = size == 1 ? 0 : stride;
    stride *= size;
  }
  return strides;
}

AttentionMask MaskMemory::mask(const MaskInputs& masks, const MaskSizes& sizes) const noexcept {
  AttentionMask mask;
  mask.batch = sizes.batch;
  mask.num_queries = sizes.num_queries;
  mask.num_keys = sizes.num_keys;
  mask.num_extra_slots = sizes.num_extra_slots;
  mask.rules = masks.rules;
  mask.first_position =
      masks.rules.first_position(sizes.query_offset, sizes.num_queries, sizes.num_keys);
  const bool by_query = masks.valid_lens.shape.size() == 2;
  mask.valid_lens = valid_lens.copy(masks.valid_lens);
  mask.valid_lens_sample_stride = by_query ? sizes.num_queries : 1;
  mask.valid_lens_query_stride = by_query ? 1 : 0;
  if (masks.key_mask.is_given()) {
    mask.key_mask = AllowedKeys::of(masks.key_mask.data, sizes.batch, sizes.num_keys, key_ranges);
  }
  mask.allowed = masks.allowed.data;
  mask.added = masks.added.data;
  mask.mask_strides =
      broadcast_strides(mask.added != nullptr ? masks.added.shape : masks.allowed.shape);
  return mask;
}

}  // namespace headwise
