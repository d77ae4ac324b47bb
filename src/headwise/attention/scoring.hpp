#pragma once

#include <cstddef>
#include <headwise/attention/pooling.hpp>
#include <headwise/kernels/matrix_multiply.hpp>

/// How one head scores its keys: the part in which the pooling functions differ. Internal to
/// `pooling.cpp`.
namespace headwise {

/// Queries whose scores exist at the same time.
inline constexpr std::size_t scoring_block_rows = 16;

/// Additive scoring with W_q and W_k packed by `pack_columns`.
struct PackedAdditiveScoring {
  const float* W_q = nullptr;
  const float* W_k = nullptr;
  const float* w_v = nullptr;
  std::size_t hiddens = 0;
};

/// Either kind of scoring: additive if it is given, else dot products.
struct Scoring {
  DotProductScoring dot_product{};
  PackedAdditiveScoring additive{};

  [[nodiscard]] bool is_additive() const noexcept { return additive.w_v != nullptr; }
};

/// The scores of one head for some queries at a time. Its columns are the keys that it was given.
class HeadScores {
 public:
  HeadScores(const Scoring& scoring, const PoolingArguments& arguments, std::size_t columns,
             float* workspace) noexcept;

  /// keys (columns, key size), `stride` floats between rows
  void take_keys(const float* keys, std::size_t stride) noexcept;

  /// scores (rows, columns) of queries (rows, query size), not scaled yet
  void score(const float* queries, std::size_t stride, std::size_t rows,
             float* scores) const noexcept;

  // Additive scores are neither scaled nor capped.
  void scale(float* row) const noexcept;
  void softcap(float* row) const noexcept;

 private:
  const Scoring& scoring_;
  std::size_t query_size_;
  std::size_t key_size_;
  std::size_t columns_;
  /// Keys, or their features, packed as columns.
  float* packed_keys_;
  /// For additive scores: W_k k of every key, W_q q of a block of queries.
  float* key_features_;
  float* query_features_;
};

}  // namespace headwise
