#include <algorithm>
#include <array>
#include <cmath>
#include <headwise/core/attention/head_weights.hpp>
#include <headwise/core/attention/pooling.hpp>
#include <headwise/core/attention/scoring.hpp>
#include <headwise/core/kernels/dispatch.hpp>
#include <headwise/core/parallel/for_each.hpp>

namespace headwise {
namespace {

/// Pools the heads of one sample that share a key-value head.
class HeadPooling {
 public:
  HeadPooling(const PoolingArguments& arguments, const Scoring& scoring, std::size_t sample,
              std::size_t kv_head, float* workspace) noexcept
      : arguments_(arguments),
        mask_(*arguments.mask),
        sample_(sample),
        keeps_weights_(arguments.attention_weights != nullptr || arguments.dropout.active()),
        head_(arguments, scoring, sample, kv_head, true, scoring_block_rows, workspace),
        packed_values_(head_.workspace_end()),
        weights_(packed_values_ + kernels::packed_size(head_.columns(), arguments.value_size)) {
    if (!head_.is_direct()) {
      kernels::pack_rows(head_.values().data, head_.values().stride, head_.columns(),
                         arguments.value_size, packed_values_);
    }
  }

  /// Pools the queries [first, end) of one head.
  void pool(std::size_t head, std::size_t first, std::size_t end) const noexcept {
    for (; first < end; first += scoring_block_rows) {
      pool_block(head, first, std::min(scoring_block_rows, end - first));
    }
  }

 private:
  void pool_block(std::size_t head, std::size_t first, std::size_t rows) const noexcept {
    const KeyRange columns = head_.columns_of(first, rows);
    head_.score(head, first, rows, columns, weights_);
    std::array<float, scoring_block_rows> factors;
    for (std::size_t i = 0; i < rows; ++i) {
      factors[i] = weigh(head, first + i, columns, row_of(i));
    }
    const HeadsView<float>& pooled = arguments_.pooled;
    float* result = pooled.head(sample_, head) + first * pooled.row_stride;
    sum_values(rows, columns, result);
    const std::size_t size = arguments_.value_size;
    if (!kernels::all_finite(result, pooled.row_stride, rows, size)) {
      for (std::size_t i = 0; i < rows; ++i) {
        kernels::scale(row_of(i) + columns.begin, columns.size(), factors[i]);
        factors[i] = 1.0F;
        sum_seen_values(head, first + i, columns, row_of(i), result + i * pooled.row_stride);
      }
    }
    for (std::size_t i = 0; i < rows; ++i) {
      float* row = result + i * pooled.row_stride;
      if (factors[i] != 1.0F) {
        kernels::scale(row, size, factors[i]);
      }
      if (arguments_.head_gate != nullptr) {
        kernels::scale(row, size, arguments_.head_gate[sample_ * arguments_.gate_stride + head]);
      }
    }
  }

  [[nodiscard]] float* row_of(std::size_t i) const noexcept {
    return weights_ + i * head_.row_stride();
  }

  /// result (rows, value size) = weights · values, whatever the values are.
  void sum_values(std::size_t rows, KeyRange columns, float* result) const noexcept {
    const std::size_t size = arguments_.value_size;
    const std::size_t stride = arguments_.pooled.row_stride;
    const float* weights = weights_ + columns.begin;
    if (head_.is_direct()) {
      const Rows values = head_.values();
      for (std::size_t i = 0; i < rows; ++i) {
        kernels::gemv_transposed(weights + i * head_.row_stride(),
                                 values.data + columns.begin * values.stride, values.stride,
                                 columns.size(), size, result + i * stride);
      }
      return;
    }
    kernels::gemm(rows, size, columns.size(), {.data = weights, .row_stride = head_.row_stride()},
                  {.panels = packed_values_ + columns.begin * kernels::panel_width(),
                   .panel_stride = head_.columns() * kernels::panel_width()},
                  1.0F, {}, result, stride);
  }

  /// Scores of one query become its weights, but for the factor that is returned. Where nobody
  /// looks at the weights it is the pooled vector that is multiplied by it, which is shorter.
  float weigh(std::size_t head, std::size_t query, KeyRange columns, float* row) const noexcept {
    float factor = head_.weigh(head, query, columns, row);
    if (keeps_weights_) {
      kernels::scale(row + columns.begin, columns.size(), factor);
      factor = 1.0F;
    }
    head_.hand_out(WeightsStage::softmax, row, head, query, 0.0F);
    if (arguments_.dropout.active()) {
      head_.drop(head, query, columns, row);
    }
    return factor;
  }

  /// A weight of 0 does not silence a NaN or an infinity, so where there are any this sums the
  /// values that the query sees and no others.
  void sum_seen_values(std::size_t head, std::size_t query, KeyRange columns, const float* row,
                       float* result) const noexcept {
    const bool reads_all =
        mask_.empty_rows == EmptyRows::uniform && mask_.row_is_empty(sample_, head, query);
    std::fill_n(result, arguments_.value_size, 0.0F);
    for (std::size_t column = columns.begin; column < columns.end; ++column) {
      if (reads_all || head_.sees(head, query, column)) {
        const float* value = head_.values().data + column * head_.values().stride;
        for (std::size_t i = 0; i < arguments_.value_size; ++i) {
          result[i] += row[column] * value[i];
        }
      }
    }
  }

  const PoolingArguments& arguments_;
  const AttentionMask& mask_;
  std::size_t sample_;
  /// Whether the weights are needed as they are, not only their sum with the values.
  bool keeps_weights_;
  HeadWeights head_;
  float* packed_values_;
  float* weights_;
};

/// Queries for which keys and values are packed once more, at least: less would make packing cost.
constexpr std::size_t least_part = 256;
/// Pieces that each thread gets on average, if there are enough queries: none waits long for the
/// last.
constexpr std::size_t pieces_of_thread = 8;

/// Parts that the queries are cut into where there are fewer key-value heads than work for all
/// threads.
std::size_t parts_of(std::size_t num_queries, std::size_t kv_heads, std::size_t threads) noexcept {
  if (threads == 1 || kv_heads == 0) {
    return 1;
  }
  const std::size_t wanted = (threads * pieces_of_thread + kv_heads - 1) / kv_heads;
  return std::clamp<std::size_t>(num_queries / least_part, 1, wanted);
}

/// Every key-value head of every sample is a piece of work, or several.
void pool_heads(const PoolingArguments& arguments, const Scoring& scoring, double operations,
                std::size_t workspace_size, float* workspace) noexcept {
  const AttentionMask& mask = *arguments.mask;
  const std::size_t group = arguments.num_heads / std::max<std::size_t>(arguments.num_kv_heads, 1);
  const std::size_t kv_heads = mask.batch * arguments.num_kv_heads;
  const std::size_t threads = parallel::threads_worth(operations, arguments.num_threads);
  const std::size_t parts = parts_of(mask.num_queries, kv_heads, threads);
  const std::size_t blocks = (mask.num_queries + scoring_block_rows - 1) / scoring_block_rows;
  parallel::for_each(kv_heads * parts, threads, [&](std::size_t piece, std::size_t thread) {
    const std::size_t part = piece % parts;
    const std::size_t kv_head = piece / parts % arguments.num_kv_heads;
    const HeadPooling pooling(arguments, scoring, piece / parts / arguments.num_kv_heads, kv_head,
                              workspace + thread * workspace_size);
    const std::size_t end = (part + 1) * blocks / parts * scoring_block_rows;
    for (std::size_t i = 0; i < group; ++i) {
      pooling.pool(kv_head * group + i, part * blocks / parts * scoring_block_rows,
                   std::min(end, mask.num_queries));
    }
  });
}

/// Additions and multiplications of scores and sums, every key counted.
double pooling_operations(const PoolingArguments& arguments, double score_operations) noexcept {
  const AttentionMask& mask = *arguments.mask;
  return static_cast<double>(mask.batch * arguments.num_heads) *
         static_cast<double>(mask.num_queries) * static_cast<double>(mask.num_keys) *
         (score_operations + 2.0 * static_cast<double>(arguments.value_size));
}

}  // namespace

float default_scale(std::size_t head_size) noexcept {
  return static_cast<float>(1.0 / std::sqrt(static_cast<double>(head_size)));
}

double pooling_workspace_size(double num_keys, double query_size, double key_size,
                              double value_size, double attention_hiddens) noexcept {
  const auto padding = static_cast<double>(kernels::panel_width());
  const double gathered = num_keys * (key_size + value_size);
  const double packed_values = num_keys * (value_size + padding);
  const double weights = scoring_block_rows * (num_keys + 2 * padding);
  const double dot_product = key_size * (num_keys + padding);
  const double additive = (query_size + key_size) * (attention_hiddens + padding) +
                          attention_hiddens * (2 * num_keys + padding + scoring_block_rows);
  return gathered + packed_values + weights + (attention_hiddens > 0 ? additive : dot_product);
}

void pool(const PoolingArguments& arguments, const DotProductScoring& scoring,
          float* workspace) noexcept {
  pool_heads(arguments, {.dot_product = scoring},
             pooling_operations(arguments, 2.0 * static_cast<double>(arguments.key_size)),
             workspace_of_thread(arguments, 0, pooling_workspace_size), workspace);
}

void pool(const PoolingArguments& arguments, const AdditiveScoring& scoring,
          float* workspace) noexcept {
  constexpr double tanh_operations = 20;
  const std::size_t packed = packed_weights_size(scoring, arguments);
  pool_heads(arguments, {.additive = pack_weights(scoring, arguments, workspace)},
             pooling_operations(arguments, tanh_operations * static_cast<double>(scoring.hiddens)),
             workspace_of_thread(arguments, scoring.hiddens, pooling_workspace_size) - packed,
             workspace + packed);
}

}  // namespace headwise
