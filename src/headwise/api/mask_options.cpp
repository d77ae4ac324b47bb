#include <algorithm>
#include <headwise/api/mask_options.hpp>
#include <type_traits>

namespace headwise {

std::vector<std::int32_t> to_int32(const Numbers<std::int64_t>& numbers) {
  return numbers.has_value() ? std::vector<std::int32_t>(numbers->begin(), numbers->end())
                             : std::vector<std::int32_t>();
}

std::vector<std::uint8_t> bytes_of(const Mask& mask) {
  std::vector<std::uint8_t> bytes(mask.size());
  if (mask.allowed() != nullptr) {
    std::copy_n(mask.allowed(), bytes.size(), bytes.begin());
  } else if (mask.added() != nullptr) {
    std::transform(mask.added(), mask.added() + bytes.size(), bytes.begin(),
                   [](float number) { return number != 0 ? 1 : 0; });
  }
  return bytes;
}

std::array<std::size_t, 4> broadcast_strides(std::span<const std::size_t> shape) {
  std::array<std::size_t, 4> strides{};
  std::size_t stride = 1;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::size_t size = shape[shape.size() - 1 - i];
    strides[strides.size() - 1 - i] = size == 1 ? 0 : stride;
    stride *= size;
  }
  return strides;
}

MaskStorage::MaskStorage(const MaskOptions& options, const MaskSizes& sizes) {
  mask_.batch = sizes.batch;
  mask_.num_queries = sizes.num_queries;
  mask_.num_keys = sizes.num_keys;
  mask_.num_extra_slots = sizes.num_extra_slots;
  mask_.empty_rows = options.empty_rows;
  mask_.causal = options.causal != Causal::none;
  mask_.first_position =
      options.causal == Causal::bottom_right
          ? static_cast<std::int64_t>(sizes.num_keys) - static_cast<std::int64_t>(sizes.num_queries)
          : sizes.query_offset;
  if (options.window.has_value()) {
    const auto width = [](const std::optional<std::int64_t>& size) {
      return std::min(size.value_or(AttentionMask::unlimited), AttentionMask::unlimited);
    };
    mask_.window_left = width(options.window->left);
    mask_.window_right = width(options.window->right);
  }
  if (options.valid_lens.has_value()) {
    const bool by_query = options.valid_lens.has_two_axes();
    valid_lens_ = to_int32(options.valid_lens);
    mask_.valid_lens = valid_lens_.data();
    mask_.valid_lens_sample_stride = by_query ? sizes.num_queries : 1;
    mask_.valid_lens_query_stride = by_query ? 1 : 0;
  }
  if (options.key_mask.has_value()) {
    key_mask_ = KeptKeys(bytes_of(options.key_mask), sizes.batch);
    mask_.key_mask = key_mask_.keys();
  }
  if (options.mask.has_value()) {
    mask_.mask_strides = broadcast_strides(options.mask.shape());
    mask_.allowed = options.mask.allowed();
    mask_.added = options.mask.added();
  }
}

}  // namespace headwise
