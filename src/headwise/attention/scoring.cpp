#include <headwise/attention/scoring.hpp>
#include <headwise/kernels/scores.hpp>

namespace headwise {

HeadScores::HeadScores(const Scoring& scoring, const PoolingArguments& arguments,
                       std::size_t columns, float* workspace) noexcept
    : scoring_(scoring),
      query_size_(arguments.query_size),
      key_size_(arguments.key_size),
      columns_(columns),
      packed_keys_(workspace),
      key_features_(packed_keys_ + kernels::packed_size(scoring.is_additive()
                                                            ? scoring.additive.hiddens
                                                            : arguments.key_size,
                                                        columns)),
      query_features_(key_features_ + columns * scoring.additive.hiddens) {}

void HeadScores::take_keys(const float* keys, std::size_t stride) noexcept {
  if (!scoring_.is_additive()) {
    kernels::pack_columns(keys, stride, key_size_, columns_, packed_keys_);
    return;
  }
  const std::size_t hiddens = scoring_.additive.hiddens;
  kernels::matrix_multiply(
      columns_, hiddens, key_size_, keys, stride,
      {.panels = scoring_.additive.W_k, .panel_stride = key_size_ * kernels::panel_width}, nullptr,
      key_features_, hiddens);
  kernels::pack_columns(key_features_, hiddens, hiddens, columns_, packed_keys_);
}

void HeadScores::score(const float* queries, std::size_t stride, std::size_t rows,
                       float* scores) const noexcept {
  if (!scoring_.is_additive()) {
    kernels::matrix_multiply(
        rows, columns_, key_size_, queries, stride,
        {.panels = packed_keys_, .panel_stride = key_size_ * kernels::panel_width}, nullptr, scores,
        columns_);
    return;
  }
  const std::size_t hiddens = scoring_.additive.hiddens;
  kernels::matrix_multiply(
      rows, hiddens, query_size_, queries, stride,
      {.panels = scoring_.additive.W_q, .panel_stride = query_size_ * kernels::panel_width},
      nullptr, query_features_, hiddens);
  for (std::size_t i = 0; i < rows; ++i) {
    kernels::additive_scores(query_features_ + i * hiddens, packed_keys_, scoring_.additive.w_v,
                             hiddens, columns_, scores + i * columns_);
  }
}

void HeadScores::scale(float* row) const noexcept {
  if (!scoring_.is_additive()) {
    kernels::scale(row, columns_, scoring_.dot_product.scale);
  }
}

void HeadScores::softcap(float* row) const noexcept {
  if (scoring_.dot_product.softcap > 0.0F) {
    kernels::softcap(row, columns_, scoring_.dot_product.softcap);
  }
}

}  // namespace headwise
