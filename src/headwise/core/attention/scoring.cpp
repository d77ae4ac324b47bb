#include <headwise/core/attention/scoring.hpp>
#include <headwise/core/kernels/dispatch.hpp>

namespace headwise {

std::size_t packed_weights_size(const AdditiveScoring& scoring,
                                const PoolingArguments& arguments) noexcept {
  return kernels::packed_size(arguments.query_size, scoring.hiddens) +
         kernels::packed_size(arguments.key_size, scoring.hiddens);
}

PackedAdditiveScoring pack_weights(const AdditiveScoring& scoring,
                                   const PoolingArguments& arguments, float* workspace) noexcept {
  float* W_q = workspace;
  float* W_k = W_q + kernels::packed_size(arguments.query_size, scoring.hiddens);
  kernels::pack_columns(scoring.W_q, arguments.query_size, arguments.query_size, scoring.hiddens,
                        W_q);
  kernels::pack_columns(scoring.W_k, arguments.key_size, arguments.key_size, scoring.hiddens, W_k);
  return {.W_q = W_q, .W_k = W_k, .w_v = scoring.w_v, .hiddens = scoring.hiddens};
}

HeadScores::HeadScores(const Scoring& scoring, const PoolingArguments& arguments,
                       std::size_t columns, bool is_direct, std::size_t block_rows,
                       std::size_t row_stride, float* workspace) noexcept
    : scoring_(scoring),
      query_size_(arguments.query_size),
      key_size_(arguments.key_size),
      columns_(columns),
      row_stride_(row_stride),
      is_direct_(is_direct && !scoring.is_additive()),
      packed_keys_(workspace),
      key_features_(packed_keys_ + kernels::packed_size(scoring.is_additive()
                                                            ? scoring.additive.hiddens
                                                            : arguments.key_size,
                                                        columns)),
      query_features_(key_features_ + columns * scoring.additive.hiddens),
      workspace_end_(query_features_ + block_rows * scoring.additive.hiddens) {}

void HeadScores::take_keys(const float* keys, std::size_t stride) noexcept {
  keys_ = keys;
  keys_stride_ = stride;
  if (is_direct_) {
    return;
  }
  if (!scoring_.is_additive()) {
    kernels::pack_columns(keys, stride, key_size_, columns_, packed_keys_);
    return;
  }
  const std::size_t hiddens = scoring_.additive.hiddens;
  kernels::gemm(
      columns_, hiddens, key_size_, {.data = keys, .row_stride = stride},
      {.panels = scoring_.additive.W_k, .panel_stride = key_size_ * kernels::panel_width()}, 1.0F,
      {}, key_features_, hiddens);
  kernels::pack_columns(key_features_, hiddens, hiddens, columns_, packed_keys_);
}

void HeadScores::score(const float* queries, std::size_t stride, std::size_t rows, KeyRange columns,
                       float* scores) const noexcept {
  if (is_direct_) {
    for (std::size_t i = 0; i < rows; ++i) {
      kernels::gemv(queries + i * stride, keys_ + columns.begin * keys_stride_, keys_stride_,
                    columns.size(), key_size_, scoring_.dot_product.scale,
                    scores + i * row_stride_ + columns.begin);
    }
    return;
  }
  // Packed keys begin at whole panels.
  const std::size_t first = columns.begin / kernels::panel_width() * kernels::panel_width();
  const std::size_t count = columns.end - first;
  if (!scoring_.is_additive()) {
    const std::size_t panel_stride = key_size_ * kernels::panel_width();
    kernels::gemm(rows, count, key_size_, {.data = queries, .row_stride = stride},
                  {.panels = packed_keys_ + first * key_size_, .panel_stride = panel_stride},
                  scoring_.dot_product.scale, {}, scores + first, row_stride_);
    return;
  }
  const std::size_t hiddens = scoring_.additive.hiddens;
  kernels::gemm(
      rows, hiddens, query_size_, {.data = queries, .row_stride = stride},
      {.panels = scoring_.additive.W_q, .panel_stride = query_size_ * kernels::panel_width()}, 1.0F,
      {}, query_features_, hiddens);
  for (std::size_t i = 0; i < rows; ++i) {
    kernels::additive_scores(query_features_ + i * hiddens, packed_keys_ + first * hiddens,
                             scoring_.additive.w_v, hiddens, count,
                             scores + i * row_stride_ + first);
  }
}

void HeadScores::softcap(float* scores, std::size_t count) const noexcept {
  if (has_softcap()) {
    kernels::softcap(scores, count, scoring_.dot_product.softcap);
  }
}

void HeadScores::softcap_gradient(float* gradients, const float* capped,
                                  std::size_t count) const noexcept {
  kernels::softcap_gradient(gradients, capped, count, scoring_.dot_product.softcap);
}

}  // namespace headwise
