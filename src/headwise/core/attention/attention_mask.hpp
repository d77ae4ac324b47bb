#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <headwise/core/attention/attention_types.hpp>
#include <headwise/core/attention/mask_rules.hpp>
#include <limits>
#include <vector>

namespace headwise {

/// The score of a masked key.
inline constexpr float minus_infinity = -std::numeric_limits<float>::infinity();

/// Keys [begin, end) of one query's row.
struct KeyRange {
  std::size_t begin = 0;
  std::size_t end = 0;

  [[nodiscard]] std::size_t size() const noexcept { return end - begin; }
  friend bool operator==(const KeyRange&, const KeyRange&) = default;
};

/// The keys that a key mask, (batch, keys), allows all queries of a sample. It owns nothing that it
/// points to.
struct AllowedKeys {
  /// (batch,): from the first allowed key to behind the last; null without a key mask.
  const KeyRange* ranges = nullptr;
  /// (batch, keys): 1 for allowed keys; null if every key of the ranges is allowed.
  const std::uint8_t* each = nullptr;

  /// Of a key mask, which may be null. Writes `ranges`, (batch,).
  static AllowedKeys of(const std::uint8_t* mask, std::size_t batch, std::size_t num_keys,
                        KeyRange* ranges) noexcept;

  [[nodiscard]] bool exist() const noexcept { return ranges != nullptr; }
  [[nodiscard]] bool allow(std::size_t sample, std::size_t key,
                           std::size_t num_keys) const noexcept {
    return ranges == nullptr ||
           (each != nullptr ? each[sample * num_keys + key] != 0
                            : ranges[sample].begin <= key && key < ranges[sample].end);
  }
};

/// Allowed keys with the memory that they point to.
class KeptKeys {
 public:
  KeptKeys() = default;
  /// Of a key mask, (batch, keys).
  KeptKeys(std::vector<std::uint8_t> mask, std::size_t batch);
  KeptKeys(const AllowedKeys& keys, std::size_t batch, std::size_t num_keys);

  [[nodiscard]] AllowedKeys keys() const noexcept;

 private:
  std::vector<KeyRange> ranges_;
  std::vector<std::uint8_t> each_;
};

/// Which keys each query of each head may attend to. Valid lengths, the key mask and the rules make
/// one range of keys per query, to which pooling is restricted; a given mask, and a key mask with
/// holes, apply inside that range. It owns nothing that it points to.
struct AttentionMask {
  std::size_t batch = 0;
  std::size_t num_queries = 0;
  std::size_t num_keys = 0;
  /// Slots after the keys, to which every query may attend regardless of the masks.
  std::size_t num_extra_slots = 0;

  /// Entry [sample · sample_stride + query · query_stride]; null for none.
  const std::int32_t* valid_lens = nullptr;
  std::size_t valid_lens_sample_stride = 0;
  std::size_t valid_lens_query_stride = 0;

  AllowedKeys key_mask = {};

  MaskRules rules = {};
  /// Position of the first query among the keys, for the rules.
  std::int64_t first_position = 0;

  /// At most one of the two is given. Strides are those of (batch, heads, queries, keys), 0 where
  /// the mask broadcasts.
  const std::uint8_t* allowed = nullptr;
  const float* added = nullptr;
  std::array<std::size_t, 4> mask_strides = {};

  /// The keys that lengths and rules allow the query, from the first to the last
  /// that the key mask allows.
  [[nodiscard]] KeyRange range(std::size_t sample, std::size_t query) const noexcept;

  /// Whether two queries of a sample may have different ranges.
  [[nodiscard]] bool ranges_differ() const noexcept {
    return rules.depend_on_position() || valid_lens_query_stride > 0;
  }

  /// Whether the masks inside the ranges allow the query this key.
  [[nodiscard]] bool allows(std::size_t sample, std::size_t head, std::size_t query,
                            std::size_t key) const noexcept;

  /// Applies the masks inside the ranges to the scores of the keys in `keys`; returns whether any
  /// is left unmasked.
  bool apply(std::size_t sample, std::size_t head, std::size_t query, KeyRange keys,
             float* scores) const noexcept;

  /// Whether the query may attend to no key. By `rules.empty_rows`, its row is zeros or uniform
  /// over all keys.
  [[nodiscard]] bool row_is_empty(std::size_t sample, std::size_t head,
                                  std::size_t query) const noexcept;

  /// The smallest range that holds every key that some query of the sample reads.
  [[nodiscard]] KeyRange range_of_sample(std::size_t sample, std::size_t num_heads) const noexcept;

  /// Sets read[key] to 1 for every key of the sample that some query reads in some head, to 0 for
  /// the others.
  void mark_read_keys(std::size_t sample, std::size_t num_heads, std::uint8_t* read) const noexcept;

 private:
  /// Heads whose rows of the inner mask may differ.
  [[nodiscard]] std::size_t distinct_heads(std::size_t num_heads) const noexcept {
    return mask_strides[1] != 0 ? num_heads : 1;
  }
  [[nodiscard]] bool has_empty_row(std::size_t sample, std::size_t num_heads) const noexcept;
  [[nodiscard]] KeyRange union_of_ranges(std::size_t sample) const noexcept;
  /// Sets marks[0], … to 1 for those of the keys that the inner mask allows the query.
  void mark_row(std::size_t sample, std::size_t head, std::size_t query, KeyRange keys,
                std::uint8_t* marks) const noexcept;
  [[nodiscard]] std::size_t mask_index(std::size_t sample, std::size_t head, std::size_t query,
                                       std::size_t key) const noexcept {
    return sample * mask_strides[0] + head * mask_strides[1] + query * mask_strides[2] +
           key * mask_strides[3];
  }
};

}  // namespace headwise
