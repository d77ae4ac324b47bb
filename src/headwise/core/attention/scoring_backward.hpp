#pragma once

#include <cstddef>
#include <headwise/core/attention/head_weights.hpp>
#include <headwise/core/attention/pooling_backward.hpp>
#include <headwise/core/attention/scoring.hpp>

/// The gradient of one head's scores: the part in which the pooling functions differ. Internal to
/// `pooling_backward.cpp`.
namespace headwise {

/// Queries whose scores exist at the same time in the backward pass: more than in the forward pass,
/// since some of its products are as deep as there are queries.
inline constexpr std::size_t backward_block_rows = 64;

/// Gradients of the scores of some queries, as `HeadWeights` lays scores out.
struct ScoreGradients {
  std::size_t head;
  std::size_t first;  ///< of the queries
  std::size_t rows;
  KeyRange columns;
  const float* data;
};

/// Turns the gradients of one key-value head's scores into those of queries and keys.
class ScoringBackward {
 public:
  /// `additive` holds the parameters of additive scores as they are.
  ScoringBackward(const PoolingArguments& arguments, const PoolingGradients& gradients,
                  const Scoring& scoring, const AdditiveScoring& additive, const HeadWeights& head,
                  std::size_t sample, std::size_t kv_head, float* workspace) noexcept;

  /// Makes every sum 0. `careful` leaves out of those to come what is multiplied by 0.
  void reset(bool careful) noexcept;

  /// Writes the gradients of the queries that were scored last and adds to those of the keys.
  void add(const ScoreGradients& scores) const noexcept;

  /// Gradients of the keys, (columns, key size), when all queries were added.
  [[nodiscard]] const float* finish() const noexcept;

  /// Whether the gradients of keys and parameters are finite.
  [[nodiscard]] bool all_finite() const noexcept;

  /// Floats of workspace, at most.
  [[nodiscard]] static double workspace_size(double columns, double query_size, double key_size,
                                             double attention_hiddens) noexcept;

 private:
  void add_dot_products(const ScoreGradients& scores) const noexcept;
  void add_additive(const ScoreGradients& scores) const noexcept;
  void finish_additive() const noexcept;
  void add_rows(std::size_t rows, std::size_t columns, std::size_t depth, kernels::StridedMatrix a,
                Rows b, float scale, float* c, std::size_t c_stride) const noexcept;

  const PoolingArguments& arguments_;
  const PoolingGradients& gradients_;
  const Scoring& scoring_;
  const AdditiveScoring& additive_;
  const HeadWeights& head_;
  std::size_t sample_;
  bool careful_ = false;
  float* key_gradients_;
  /// For the right-hand matrix of a product.
  float* packed_;
  /// For dot products: keys, packed as rows.
  float* packed_keys_ = nullptr;
  // For additive scores: what this head adds to the gradients of the parameters; gradients of the
  // features of a block of queries and of all keys, those once packed as the keys are.
  float* W_q_ = nullptr;
  float* W_k_ = nullptr;
  float* w_v_ = nullptr;
  float* query_features_ = nullptr;
  float* key_features_ = nullptr;
  float* packed_key_features_ = nullptr;
};

}  // namespace headwise
