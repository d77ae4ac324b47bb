#include <algorithm>
#include <headwise/core/attention/attention_mask.hpp>
#include <headwise/core/kernels/mask_scores.hpp>
#include <limits>

namespace headwise {

KeyRange AttentionMask::range(std::size_t sample, std::size_t query) const noexcept {
  const std::int64_t position = first_position + static_cast<std::int64_t>(query);
  std::int64_t begin = 0;
  auto end = static_cast<std::int64_t>(num_keys);
  if (valid_lens != nullptr) {
    const std::size_t index = sample * valid_lens_sample_stride + query * valid_lens_query_stride;
    end = std::min<std::int64_t>(end, valid_lens[index]);
  }
  if (causal) {
    end = std::min(end, position + 1);
  }
  if (window_right < unlimited) {
    end = std::min(end, position + window_right + 1);
  }
  if (window_left < unlimited) {
    begin = std::max<std::int64_t>(begin, position - window_left);
  }
  if (begin >= end) {
    return {};
  }
  return {.begin = static_cast<std::size_t>(begin), .end = static_cast<std::size_t>(end)};
}

bool AttentionMask::allows(std::size_t sample, std::size_t head, std::size_t query,
                           std::size_t key) const noexcept {
  const std::size_t index = mask_index(sample, head, query, key);
  if (allowed != nullptr) {
    return allowed[index] != 0;
  }
  return added == nullptr || added[index] != -std::numeric_limits<float>::infinity();
}

bool AttentionMask::apply(std::size_t sample, std::size_t head, std::size_t query, KeyRange keys,
                          float* scores) const noexcept {
  const std::size_t index = mask_index(sample, head, query, keys.begin);
  if (allowed != nullptr) {
    return kernels::mask_scores(scores, keys.size(), allowed + index, mask_strides[3]);
  }
  if (added != nullptr) {
    return kernels::add_mask_to_scores(scores, keys.size(), added + index, mask_strides[3]);
  }
  return keys.size() > 0;
}

bool AttentionMask::row_is_empty(std::size_t sample, std::size_t head,
                                 std::size_t query) const noexcept {
  if (num_extra_slots > 0) {
    return false;
  }
  const KeyRange keys = range(sample, query);
  for (std::size_t key = keys.begin; key < keys.end; ++key) {
    if (allows(sample, head, query, key)) {
      return false;
    }
  }
  return true;
}

KeyRange AttentionMask::range_of_sample(std::size_t sample, std::size_t num_heads) const noexcept {
  KeyRange all{.begin = num_keys, .end = 0};
  const std::size_t distinct_heads = mask_strides[1] != 0 ? num_heads : 1;
  for (std::size_t query = 0; query < num_queries; ++query) {
    if (empty_rows == EmptyRows::uniform) {
      for (std::size_t head = 0; head < distinct_heads; ++head) {
        if (row_is_empty(sample, head, query)) {
          return {.begin = 0, .end = num_keys};
        }
      }
    }
    const KeyRange keys = range(sample, query);
    if (keys.size() > 0) {
      all.begin = std::min(all.begin, keys.begin);
      all.end = std::max(all.end, keys.end);
    }
  }
  return all.begin < all.end ? all : KeyRange{};
}

void AttentionMask::mark_read_keys(std::size_t sample, std::size_t num_heads,
                                   std::uint8_t* read) const noexcept {
  std::fill_n(read, num_keys, std::uint8_t{0});
  const std::size_t distinct_heads = mask_strides[1] != 0 ? num_heads : 1;
  KeyRange marked{};
  for (std::size_t query = 0; query < num_queries; ++query) {
    const KeyRange keys = range(sample, query);
    for (std::size_t head = 0; head < distinct_heads; ++head) {
      if (empty_rows == EmptyRows::uniform && row_is_empty(sample, head, query)) {
        std::fill_n(read, num_keys, std::uint8_t{1});
        return;
      }
      for (std::size_t key = keys.begin; has_inner_mask() && key < keys.end; ++key) {
        read[key] |= static_cast<std::uint8_t>(allows(sample, head, query, key));
      }
    }
    // Without a mask inside, most queries repeat the range of the one before.
    if (!has_inner_mask() && keys != marked) {
      std::fill(read + keys.begin, read + keys.end, std::uint8_t{1});
      marked = keys;
    }
  }
}

}  // namespace headwise
