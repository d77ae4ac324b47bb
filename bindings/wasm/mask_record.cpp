#include "mask_record.hpp"

#include <algorithm>

namespace headwise::bindings {

AttentionMask read_mask(const MaskRecord& record) noexcept {
  AttentionMask mask;
  mask.batch = record.batch;
  mask.num_queries = record.num_queries;
  mask.num_keys = record.num_keys;
  mask.num_extra_slots = record.num_extra_slots;
  mask.empty_rows = record.uniform ? EmptyRows::uniform : EmptyRows::zero;
  mask.valid_lens = record.valid_lens;
  mask.valid_lens_sample_stride = record.valid_lens_sample_stride;
  mask.valid_lens_query_stride = record.valid_lens_query_stride;
  mask.key_mask =
      AllowedKeys::of(record.key_mask, record.batch, record.num_keys, record.key_ranges);
  mask.causal = record.causal;
  mask.first_position = record.first_position;
  mask.window_left = record.window_left;
  mask.window_right = record.window_right;
  mask.allowed = record.allowed;
  mask.added = record.added;
  std::ranges::copy(record.mask_strides, std::begin(mask.mask_strides));
  return mask;
}

}  // namespace headwise::bindings
