#pragma once

#include <cstddef>
#include <headwise/core/attention/pooling.hpp>
#include <headwise/core/kernels/dispatch.hpp>

/// How one head scores its keys: the part in which the pooling functions differ. Internal to
/// pooling and its gradient.
namespace headwise {

/// Queries whose scores exist at the same time while they are pooled.
inline constexpr std::size_t scoring_block_rows = 16;

/// Queries that share a key-value head and are so few that packing keys and values for them would
/// take longer than reading them in place.
inline constexpr std::size_t most_direct_queries = 3;
/// Scores that are so few.
inline constexpr std::size_t most_direct_scores = 32;

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

/// Packs W_q and W_k at the beginning of the workspace, of which as much is left as
/// `packed_weights_size` takes.
[[nodiscard]] PackedAdditiveScoring pack_weights(const AdditiveScoring& scoring,
                                                 const PoolingArguments& arguments,
                                                 float* workspace) noexcept;
[[nodiscard]] std::size_t packed_weights_size(const AdditiveScoring& scoring,
                                              const PoolingArguments& arguments) noexcept;

/// The scores of one head for some queries at a time. Its columns are the keys that it was given.
class HeadScores {
 public:
  /// Scores exist for `block_rows` queries at a time, whose rows lie `row_stride` floats apart.
  HeadScores(const Scoring& scoring, const PoolingArguments& arguments, std::size_t columns,
             bool is_direct, std::size_t block_rows, std::size_t row_stride,
             float* workspace) noexcept;

  /// Workspace behind what this takes.
  [[nodiscard]] float* workspace_end() const noexcept { return workspace_end_; }

  /// keys (columns, key size), `stride` floats between rows. They stay where they are.
  void take_keys(const float* keys, std::size_t stride) noexcept;

  /// scores (rows, columns) of queries (rows, query size) at the keys of `columns` and nowhere
  /// else. Dot products are scaled.
  void score(const float* queries, std::size_t stride, std::size_t rows, KeyRange columns,
             float* scores) const noexcept;

  /// Additive scores are not capped.
  [[nodiscard]] bool has_softcap() const noexcept { return scoring_.dot_product.softcap > 0.0F; }
  void softcap(float* scores, std::size_t count) const noexcept;
  /// Gradients of capped scores become those of scores.
  void softcap_gradient(float* gradients, const float* capped, std::size_t count) const noexcept;

  /// For additive scores: W_q q of query i of those scored last; W_k k of all keys, packed as
  /// columns.
  [[nodiscard]] const float* query_features(std::size_t i) const noexcept {
    return query_features_ + i * scoring_.additive.hiddens;
  }
  [[nodiscard]] const float* packed_key_features() const noexcept { return packed_keys_; }

 private:
  const Scoring& scoring_;
  std::size_t query_size_;
  std::size_t key_size_;
  std::size_t columns_;
  std::size_t row_stride_;
  /// Whether queries are so few that keys are read in place.
  bool is_direct_;
  const float* keys_ = nullptr;
  std::size_t keys_stride_ = 0;
  /// Keys, or their features, packed as columns.
  float* packed_keys_;
  /// For additive scores: W_k k of every key, W_q q of a block of queries.
  float* key_features_;
  float* query_features_;
  float* workspace_end_;
};

}  // namespace headwise
