#pragma once

#include <cstddef>
#include <headwise/attention/pooling.hpp>
#include <headwise/kernels/matrix_multiply.hpp>
#include <headwise/kernels/scores.hpp>

/// How one head scores its keys: the part in which the pooling functions differ. Internal to
/// `pooling.cpp`.
namespace headwise {

/// Queries whose scores exist at the same time.
inline constexpr std::size_t scoring_block_rows = 16;

/// scale · Q Kᵀ, then the softcap.
class DotProductScores {
 public:
  using Parameters = DotProductScoring;

  DotProductScores(const Parameters& parameters, std::size_t /*query_size*/, std::size_t key_size,
                   std::size_t columns, float* workspace) noexcept
      : parameters_(parameters), key_size_(key_size), columns_(columns), packed_keys_(workspace) {}

  /// keys (columns, key size), `stride` floats between rows
  void take_keys(const float* keys, std::size_t stride) noexcept {
    kernels::pack_columns(keys, stride, key_size_, columns_, packed_keys_);
  }

  /// scores (rows, columns) of queries (rows, query size)
  void score(const float* queries, std::size_t stride, std::size_t rows,
             float* scores) const noexcept {
    kernels::matrix_multiply(
        rows, columns_, key_size_, queries, stride,
        {.panels = packed_keys_, .panel_stride = key_size_ * kernels::panel_width}, nullptr, scores,
        columns_);
  }

  void scale(float* row) const noexcept { kernels::scale(row, columns_, parameters_.scale); }

  void softcap(float* row) const noexcept {
    if (parameters_.softcap > 0.0F) {
      kernels::softcap(row, columns_, parameters_.softcap);
    }
  }

 private:
  Parameters parameters_;
  std::size_t key_size_;
  std::size_t columns_;
  float* packed_keys_;
};

/// w_v · tanh(W_q q + W_k k), with W_q and W_k packed by `pack_columns`.
class AdditiveScores {
 public:
  struct Parameters {
    const float* packed_W_q;
    const float* packed_W_k;
    const float* w_v;
    std::size_t hiddens;
  };

  AdditiveScores(const Parameters& parameters, std::size_t query_size, std::size_t key_size,
                 std::size_t columns, float* workspace) noexcept
      : parameters_(parameters),
        query_size_(query_size),
        key_size_(key_size),
        columns_(columns),
        key_features_(workspace),
        packed_features_(key_features_ + columns * parameters.hiddens),
        query_features_(packed_features_ + kernels::packed_size(parameters.hiddens, columns)) {}

  void take_keys(const float* keys, std::size_t stride) noexcept {
    const std::size_t hiddens = parameters_.hiddens;
    kernels::matrix_multiply(
        columns_, hiddens, key_size_, keys, stride,
        {.panels = parameters_.packed_W_k, .panel_stride = key_size_ * kernels::panel_width},
        nullptr, key_features_, hiddens);
    kernels::pack_columns(key_features_, hiddens, hiddens, columns_, packed_features_);
  }

  void score(const float* queries, std::size_t stride, std::size_t rows,
             float* scores) const noexcept {
    const std::size_t hiddens = parameters_.hiddens;
    kernels::matrix_multiply(
        rows, hiddens, query_size_, queries, stride,
        {.panels = parameters_.packed_W_q, .panel_stride = query_size_ * kernels::panel_width},
        nullptr, query_features_, hiddens);
    for (std::size_t i = 0; i < rows; ++i) {
      kernels::additive_scores(query_features_ + i * hiddens, packed_features_, parameters_.w_v,
                               hiddens, columns_, scores + i * columns_);
    }
  }

  // Scale and softcap go with dot products only.
  void scale(float* /*row*/) const noexcept {}
  void softcap(float* /*row*/) const noexcept {}

 private:
  Parameters parameters_;
  std::size_t query_size_;
  std::size_t key_size_;
  std::size_t columns_;
  float* key_features_;
  float* packed_features_;
  float* query_features_;
};

}  // namespace headwise
