#include <algorithm>
#include <headwise/core/attention/attention_mask.hpp>
#include <headwise/core/kernels/dispatch.hpp>
#include <utility>

namespace headwise {

AllowedKeys AllowedKeys::of(const std::uint8_t* mask, std::size_t batch, std::size_t num_keys,
                            KeyRange* ranges) noexcept {
  if (mask == nullptr) {
    return {};
  }
  bool has_holes = false;
  for (std::size_t sample = 0; sample < batch; ++sample) {
    const std::uint8_t* keys = mask + sample * num_keys;
    const auto* const first = std::find(keys, keys + num_keys, std::uint8_t{1});
    const auto* const hole = std::find(first, keys + num_keys, std::uint8_t{0});
    KeyRange& range = ranges[sample];
    range = {.begin = static_cast<std::size_t>(first - keys),
             .end = static_cast<std::size_t>(hole - keys)};
    for (std::size_t key = range.end; key < num_keys; ++key) {
      if (keys[key] != 0) {
        range.end = key + 1;
        has_holes = true;
      }
    }
  }
  return {.ranges = ranges, .each = has_holes ? mask : nullptr};
}

KeptKeys::KeptKeys(std::vector<std::uint8_t> mask, std::size_t batch)
    : ranges_(batch), each_(std::move(mask)) {
  const std::size_t num_keys = batch > 0 ? each_.size() / batch : 0;
  if (AllowedKeys::of(each_.data(), batch, num_keys, ranges_.data()).each == nullptr) {
    each_.clear();
  }
}

KeptKeys::KeptKeys(const AllowedKeys& keys, std::size_t batch, std::size_t num_keys) {
  if (keys.ranges != nullptr) {
    ranges_.assign(keys.ranges, keys.ranges + batch);
  }
  if (keys.each != nullptr) {
    each_.assign(keys.each, keys.each + batch * num_keys);
  }
}

AllowedKeys KeptKeys::keys() const noexcept {
  return {.ranges = ranges_.empty() ? nullptr : ranges_.data(),
          .each = each_.empty() ? nullptr : each_.data()};
}

KeyRange AttentionMask::range(std::size_t sample, std::size_t query) const noexcept {
  std::int64_t begin = 0;
  auto end = static_cast<std::int64_t>(num_keys);
  if (valid_lens != nullptr) {
    const std::size_t index = sample * valid_lens_sample_stride + query * valid_lens_query_stride;
    end = std::min<std::int64_t>(end, valid_lens[index]);
  }
  if (key_mask.ranges != nullptr) {
    begin = static_cast<std::int64_t>(key_mask.ranges[sample].begin);
    end = std::min(end, static_cast<std::int64_t>(key_mask.ranges[sample].end));
  }
  rules.narrow(begin, end, first_position + static_cast<std::int64_t>(query));
  if (begin >= end) {
    return {};
  }
  return {.begin = static_cast<std::size_t>(begin), .end = static_cast<std::size_t>(end)};
}

bool AttentionMask::allows(std::size_t sample, std::size_t head, std::size_t query,
                           std::size_t key) const noexcept {
  if (key_mask.each != nullptr && key_mask.each[sample * num_keys + key] == 0) {
    return false;
  }
  const std::size_t index = mask_index(sample, head, query, key);
  if (allowed != nullptr) {
    return allowed[index] != 0;
  }
  return added == nullptr || added[index] != minus_infinity;
}

bool AttentionMask::apply(std::size_t sample, std::size_t head, std::size_t query, KeyRange keys,
                          float* scores) const noexcept {
  const std::size_t index = mask_index(sample, head, query, keys.begin);
  bool any = keys.size() > 0;
  if (allowed != nullptr) {
    any = kernels::mask_scores(scores, keys.size(), allowed + index, mask_strides[3]);
  } else if (added != nullptr) {
    any = kernels::add_mask_to_scores(scores, keys.size(), added + index, mask_strides[3]);
  }
  if (key_mask.each == nullptr) {
    return any;
  }
  const std::uint8_t* of_sample = key_mask.each + sample * num_keys;
  const bool any_of_sample = kernels::mask_scores(scores, keys.size(), of_sample + keys.begin, 1);
  const bool both = allowed != nullptr || added != nullptr;
  // Each of two masks may leave keys that the other one masks.
  return any && any_of_sample && !(both && row_is_empty(sample, head, query));
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

bool AttentionMask::has_empty_row(std::size_t sample, std::size_t num_heads) const noexcept {
  for (std::size_t query = 0; query < num_queries; ++query) {
    for (std::size_t head = 0; head < distinct_heads(num_heads); ++head) {
      if (row_is_empty(sample, head, query)) {
        return true;
      }
    }
  }
  return false;
}

KeyRange AttentionMask::union_of_ranges(std::size_t sample) const noexcept {
  KeyRange all{.begin = num_keys, .end = 0};
  for (std::size_t query = 0; query < num_queries; ++query) {
    const KeyRange keys = range(sample, query);
    if (keys.size() > 0) {
      all.begin = std::min(all.begin, keys.begin);
      all.end = std::max(all.end, keys.end);
    }
  }
  return all.begin < all.end ? all : KeyRange{};
}

KeyRange AttentionMask::range_of_sample(std::size_t sample, std::size_t num_heads) const noexcept {
  if (rules.empty_rows == EmptyRows::uniform && has_empty_row(sample, num_heads)) {
    return {.begin = 0, .end = num_keys};
  }
  return union_of_ranges(sample);
}

void AttentionMask::mark_read_keys(std::size_t sample, std::size_t num_heads,
                                   std::uint8_t* read) const noexcept {
  if (rules.empty_rows == EmptyRows::uniform && has_empty_row(sample, num_heads)) {
    std::fill_n(read, num_keys, std::uint8_t{1});
    return;
  }
  std::fill_n(read, num_keys, std::uint8_t{0});
  KeyRange unmarked = union_of_ranges(sample);
  KeyRange marked{};
  // From the last query on: under a causal mask, its row has all keys.
  for (std::size_t query = num_queries; query-- > 0 && unmarked.size() > 0;) {
    const KeyRange keys = range(sample, query);
    // Without an inner mask, or with one that repeats over queries, most queries repeat the keys of
    // another.
    const bool is_repeated = mask_strides[2] == 0 && keys == marked;
    const KeyRange missing{.begin = std::max(keys.begin, unmarked.begin),
                           .end = std::min(keys.end, unmarked.end)};
    if (is_repeated || missing.begin >= missing.end) {
      continue;
    }
    for (std::size_t head = 0; head < distinct_heads(num_heads); ++head) {
      mark_row(sample, head, query, missing, read + missing.begin);
    }
    marked = keys;
    while (unmarked.size() > 0 && read[unmarked.begin] != 0) {
      ++unmarked.begin;
    }
    while (unmarked.size() > 0 && read[unmarked.end - 1] != 0) {
      --unmarked.end;
    }
  }
  for (std::size_t key = 0; key_mask.each != nullptr && key < num_keys; ++key) {
    read[key] &= key_mask.each[sample * num_keys + key];
  }
}

void AttentionMask::mark_row(std::size_t sample, std::size_t head, std::size_t query, KeyRange keys,
                             std::uint8_t* marks) const noexcept {
  const std::size_t index = mask_index(sample, head, query, keys.begin);
  if (allowed != nullptr) {
    kernels::mark_allowed(marks, keys.size(), allowed + index, mask_strides[3]);
  } else if (added != nullptr) {
    kernels::mark_added(marks, keys.size(), added + index, mask_strides[3]);
  } else {
    std::fill_n(marks, keys.size(), std::uint8_t{1});
  }
}

}  // namespace headwise
