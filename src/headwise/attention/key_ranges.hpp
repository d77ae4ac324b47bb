#pragma once

#include <cstddef>
#include <cstdint>
#include <headwise/attention/valid_lens.hpp>
#include <vector>

namespace headwise {

/// Keys [begin, end) of one query's row.
struct KeyRange {
  std::size_t begin = 0;
  std::size_t end = 0;

  [[nodiscard]] std::size_t size() const noexcept { return end - begin; }
  [[nodiscard]] bool contains(std::size_t key) const noexcept { return begin <= key && key < end; }
  friend bool operator==(const KeyRange&, const KeyRange&) = default;
};

/// What one query does with the keys: which it reads, and whether their scores count.
struct QueryRow {
  KeyRange keys;
  /// The masks leave no key and empty rows are uniform: every key weighs the same, whatever its
  /// score.
  bool uniform = false;
};

/// Which keys each query of each sample may see. All masks meet here, so that pooling skips what is
/// masked instead of computing it and throwing it away.
class KeyRanges {
 public:
  /// Every query sees every key.
  KeyRanges(std::size_t batch, std::size_t num_queries, std::size_t num_keys, EmptyRows empty_rows);

  /// Limits samples (batch,) or single queries (batch, num_queries) to a prefix of the keys.
  /// `valid_lens` stays the caller's and must outlive this object.
  void limit_samples(const std::int32_t* valid_lens) noexcept;
  void limit_queries(const std::int32_t* valid_lens) noexcept;

  [[nodiscard]] QueryRow row(std::size_t sample, std::size_t query) const noexcept;

  /// The smallest range that holds every key that some query of the sample reads.
  [[nodiscard]] KeyRange of_sample(std::size_t sample) const noexcept;

  [[nodiscard]] std::size_t batch() const noexcept { return batch_; }
  [[nodiscard]] std::size_t num_queries() const noexcept { return num_queries_; }
  [[nodiscard]] std::size_t num_keys() const noexcept { return num_keys_; }

 private:
  std::size_t batch_;
  std::size_t num_queries_;
  std::size_t num_keys_;
  EmptyRows empty_rows_;
  const std::int32_t* valid_lens_ = nullptr;
  bool valid_lens_by_query_ = false;
};

/// Lengths as the ranges read them. Keeps the memory that `KeyRanges` points to.
class ValidLensStorage {
 public:
  explicit ValidLensStorage(const ValidLens& valid_lens);
  void limit(KeyRanges& ranges) const noexcept;

 private:
  std::vector<std::int32_t> lens_;
  std::size_t rank_ = 0;
};

}  // namespace headwise
