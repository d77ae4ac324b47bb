#include <algorithm>
#include <headwise/core/attention/gradient_products.hpp>
#include <headwise/core/attention/scoring_backward.hpp>
#include <headwise/core/kernels/dispatch.hpp>

namespace headwise {

ScoringBackward::ScoringBackward(const PoolingArguments& arguments,
                                 const PoolingGradients& gradients, const Scoring& scoring,
                                 const AdditiveScoring& additive, const HeadWeights& head,
                                 std::size_t sample, std::size_t kv_head, float* workspace) noexcept
    : arguments_(arguments),
      gradients_(gradients),
      scoring_(scoring),
      additive_(additive),
      head_(head),
      sample_(sample),
      key_gradients_(workspace),
      packed_(key_gradients_ + head.columns() * arguments.key_size) {
  const std::size_t hiddens = additive.hiddens;
  const std::size_t widest = std::max(arguments.query_size, arguments.key_size);
  const std::size_t deepest = std::max({backward_block_rows, hiddens, head.columns()});
  if (!scoring.is_additive()) {
    packed_keys_ = packed_ + kernels::packed_size(backward_block_rows, widest);
    kernels::pack_rows(head.keys().data, head.keys().stride, head.columns(), arguments.key_size,
                       packed_keys_);
    return;
  }
  const std::size_t place = sample * arguments.num_kv_heads + kv_head;
  W_q_ = gradients.W_q + place * hiddens * arguments.query_size;
  W_k_ = gradients.W_k + place * hiddens * arguments.key_size;
  w_v_ = gradients.w_v + place * hiddens;
  query_features_ = packed_ + kernels::packed_size(deepest, widest);
  key_features_ = query_features_ + backward_block_rows * hiddens;
  packed_key_features_ = key_features_ + head.columns() * hiddens;
}

double ScoringBackward::workspace_size(double columns, double query_size, double key_size,
                                       double attention_hiddens) noexcept {
  const auto padding = static_cast<double>(kernels::panel_width());
  const double widest = std::max(query_size, key_size) + padding;
  const double additive = (attention_hiddens + columns) * widest +
                          attention_hiddens * (backward_block_rows + 2 * columns + padding);
  const double dot_product = columns * (key_size + padding);
  return columns * key_size + backward_block_rows * widest +
         (attention_hiddens > 0 ? additive : dot_product);
}

void ScoringBackward::reset(bool careful) noexcept {
  careful_ = careful;
  std::fill_n(key_gradients_, head_.columns() * arguments_.key_size, 0.0F);
  if (scoring_.is_additive()) {
    const std::size_t hiddens = additive_.hiddens;
    std::fill_n(W_q_, hiddens * arguments_.query_size, 0.0F);
    std::fill_n(W_k_, hiddens * arguments_.key_size, 0.0F);
    std::fill_n(w_v_, hiddens, 0.0F);
    std::fill_n(packed_key_features_, kernels::packed_size(hiddens, head_.columns()), 0.0F);
  }
}

void ScoringBackward::add(const ScoreGradients& scores) const noexcept {
  scoring_.is_additive() ? add_additive(scores) : add_dot_products(scores);
}

const float* ScoringBackward::finish() const noexcept {
  if (scoring_.is_additive()) {
    finish_additive();
  }
  return key_gradients_;
}

bool ScoringBackward::all_finite() const noexcept {
  const auto finite = [](const float* numbers, std::size_t count) {
    return kernels::all_finite(numbers, count, 1, count);
  };
  return finite(key_gradients_, head_.columns() * arguments_.key_size) &&
         (!scoring_.is_additive() || (finite(W_q_, additive_.hiddens * arguments_.query_size) &&
                                      finite(W_k_, additive_.hiddens * arguments_.key_size) &&
                                      finite(w_v_, additive_.hiddens)));
}

void ScoringBackward::add_rows(std::size_t rows, std::size_t columns, std::size_t depth,
                               kernels::StridedMatrix a, Rows b, float scale, float* c,
                               std::size_t c_stride) const noexcept {
  if (careful_) {
    add_product_of_nonzeros(rows, columns, depth, a, b, scale, c, c_stride);
  } else {
    multiply_unpacked(rows, columns, depth, a, b, scale, {.data = c, .row_stride = c_stride}, c,
                      c_stride, packed_);
  }
}

/// dQ = scale · dS K, dK += scale · dSᵀ Q.
void ScoringBackward::add_dot_products(const ScoreGradients& scores) const noexcept {
  const HeadsView<const float>& queries = arguments_.queries;
  const HeadsView<float>& gradients = gradients_.queries;
  const std::size_t size = arguments_.key_size;
  const float scale = scoring_.dot_product.scale;
  const auto [begin, end] = scores.columns;
  const float* data = scores.data + begin;
  const std::size_t stride = head_.row_stride();
  float* to_queries = gradients.head(sample_, scores.head) + scores.first * gradients.row_stride;
  if (careful_) {
    for (std::size_t i = 0; i < scores.rows; ++i) {
      std::fill_n(to_queries + i * gradients.row_stride, size, 0.0F);
    }
    const Rows keys{.data = head_.keys().data + begin * head_.keys().stride,
                    .stride = head_.keys().stride};
    add_product_of_nonzeros(scores.rows, size, end - begin, {.data = data, .row_stride = stride},
                            keys, scale, to_queries, gradients.row_stride);
  } else {
    kernels::gemm(scores.rows, size, end - begin, {.data = data, .row_stride = stride},
                  {.panels = packed_keys_ + begin * kernels::panel_width(),
                   .panel_stride = head_.columns() * kernels::panel_width()},
                  scale, {}, to_queries, gradients.row_stride);
  }
  const Rows block{.data = queries.head(sample_, scores.head) + scores.first * queries.row_stride,
                   .stride = queries.row_stride};
  add_rows(end - begin, size, scores.rows, {.data = data, .row_stride = 1, .depth_stride = stride},
           block, scale, key_gradients_ + begin * size, size);
}

/// With f = W_q q and g = W_k k the features: df and dg from the kernel, then dq = df W_q,
/// dW_q += dfᵀ q.
void ScoringBackward::add_additive(const ScoreGradients& scores) const noexcept {
  const std::size_t hiddens = additive_.hiddens;
  const HeadsView<const float>& queries = arguments_.queries;
  const HeadsView<float>& gradients = gradients_.queries;
  const std::size_t size = arguments_.query_size;
  // Packed keys begin at whole panels.
  const std::size_t first = scores.columns.begin / kernels::panel_width() * kernels::panel_width();
  std::fill_n(query_features_, scores.rows * hiddens, 0.0F);
  for (std::size_t i = 0; i < scores.rows; ++i) {
    kernels::additive_scores_gradient(
        head_.scores().query_features(i), head_.scores().packed_key_features() + first * hiddens,
        additive_.w_v, scores.data + i * head_.row_stride() + first, hiddens,
        scores.columns.end - first, query_features_ + i * hiddens,
        packed_key_features_ + first * hiddens, w_v_);
  }
  float* to_queries = gradients.head(sample_, scores.head) + scores.first * gradients.row_stride;
  for (std::size_t i = 0; i < scores.rows; ++i) {
    std::fill_n(to_queries + i * gradients.row_stride, size, 0.0F);
  }
  add_rows(scores.rows, size, hiddens, {.data = query_features_, .row_stride = hiddens},
           {.data = additive_.W_q, .stride = size}, 1.0F, to_queries, gradients.row_stride);
  const Rows block{.data = queries.head(sample_, scores.head) + scores.first * queries.row_stride,
                   .stride = queries.row_stride};
  add_rows(hiddens, size, scores.rows,
           {.data = query_features_, .row_stride = 1, .depth_stride = hiddens}, block, 1.0F, W_q_,
           size);
}

/// dk = dg W_k, dW_k = dgᵀ k.
void ScoringBackward::finish_additive() const noexcept {
  const std::size_t hiddens = additive_.hiddens;
  const std::size_t size = arguments_.key_size;
  const std::size_t width = kernels::panel_width();
  for (std::size_t column = 0; column < head_.columns(); ++column) {
    const float* packed = packed_key_features_ + column / width * width * hiddens + column % width;
    for (std::size_t u = 0; u < hiddens; ++u) {
      key_features_[column * hiddens + u] = packed[u * width];
    }
  }
  add_rows(head_.columns(), size, hiddens, {.data = key_features_, .row_stride = hiddens},
           {.data = additive_.W_k, .stride = size}, 1.0F, key_gradients_, size);
  add_rows(hiddens, size, head_.columns(),
           {.data = key_features_, .row_stride = 1, .depth_stride = hiddens}, head_.keys(), 1.0F,
           W_k_, size);
}

}  // namespace headwise
