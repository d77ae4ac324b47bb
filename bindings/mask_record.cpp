#include "mask_record.hpp"

namespace headwise::bindings {

AttentionMask read_mask(Record& record) noexcept {
  AttentionMask mask;
  mask.batch = record.size();
  mask.num_queries = record.size();
  mask.num_keys = record.size();
  mask.num_extra_slots = record.size();
  mask.empty_rows = record.flag() ? EmptyRows::uniform : EmptyRows::zero;
  mask.valid_lens = record.pointer<const std::int32_t>();
  mask.valid_lens_sample_stride = record.size();
  mask.valid_lens_query_stride = record.size();
  mask.causal = record.flag();
  mask.first_position = record.integer();
  mask.window_left = record.integer();
  mask.window_right = record.integer();
  mask.allowed = record.pointer<const std::uint8_t>();
  mask.added = record.pointer<const float>();
  for (std::size_t& stride : mask.mask_strides) {
    stride = record.size();
  }
  return mask;
}

}  // namespace headwise::bindings
