#include <algorithm>
#include <array>
#include <cmath>
#include <headwise/attention/pooling.hpp>
#include <headwise/attention/scoring.hpp>
#include <headwise/kernels/dispatch.hpp>
#include <limits>

namespace headwise {
namespace {

constexpr float minus_infinity = -std::numeric_limits<float>::infinity();

/// Queries of one sample that share a key-value head.
std::size_t queries_of_kv_head(const PoolingArguments& arguments) noexcept {
  const std::size_t group = arguments.num_heads / std::max<std::size_t>(arguments.num_kv_heads, 1);
  return group * arguments.mask->num_queries;
}

/// Pools the heads of one sample that share a key-value head. Columns of the scores stand for the
/// keys of `covered_`, then for the extra slots.
class HeadPooling {
 public:
  HeadPooling(const PoolingArguments& arguments, const Scoring& scoring, std::size_t sample,
              std::size_t kv_head, float* workspace) noexcept
      : arguments_(arguments),
        mask_(*arguments.mask),
        sample_(sample),
        covered_(covered_keys()),
        columns_(covered_.size() + mask_.num_extra_slots),
        is_direct_(queries_of_kv_head(arguments) <= most_direct_queries),
        keeps_weights_(arguments.attention_weights != nullptr || arguments.dropout.active()),
        gathered_keys_(workspace),
        gathered_values_(gathered_keys_ + gathered_rows() * arguments.key_size),
        packed_values_(gathered_values_ + gathered_rows() * arguments.value_size),
        weights_(packed_values_ + kernels::packed_size(columns_, arguments.value_size)),
        scores_(scoring, arguments, columns_, is_direct_,
                weights_ + scoring_block_rows * columns_) {
    take_keys_and_values(kv_head);
  }

  void pool(std::size_t head) const noexcept {
    for (std::size_t first = 0; first < mask_.num_queries; first += scoring_block_rows) {
      pool_block(head, first, std::min(scoring_block_rows, mask_.num_queries - first));
    }
  }

 private:
  struct Rows {
    const float* data = nullptr;
    std::size_t stride = 0;
  };

  [[nodiscard]] std::size_t gathered_rows() const noexcept {
    return mask_.num_extra_slots > 0 ? columns_ : 0;
  }

  void take_keys_and_values(std::size_t kv_head) noexcept {
    const auto slot_key = [](const ExtraSlot& slot) { return slot.key; };
    const auto slot_value = [](const ExtraSlot& slot) { return slot.value; };
    const Rows keys =
        rows_of(arguments_.keys, arguments_.key_size, kv_head, slot_key, gathered_keys_);
    scores_.take_keys(keys.data, keys.stride);
    values_ =
        rows_of(arguments_.values, arguments_.value_size, kv_head, slot_value, gathered_values_);
    if (!is_direct_) {
      kernels::pack_rows(values_.data, values_.stride, columns_, arguments_.value_size,
                         packed_values_);
    }
  }

  /// The stages before the masks are wanted of every key; else what no query reads is left alone.
  [[nodiscard]] KeyRange covered_keys() const noexcept {
    if (wants(WeightsStage::raw) || wants(WeightsStage::softcap)) {
      return {.begin = 0, .end = mask_.num_keys};
    }
    return mask_.range_of_sample(sample_, arguments_.num_heads);
  }

  [[nodiscard]] bool wants(WeightsStage stage) const noexcept {
    return arguments_.attention_weights != nullptr && arguments_.weights_stage == stage;
  }

  /// The covered rows of one head followed by the extra slots': in place if there are none, else
  /// gathered.
  template <typename SlotRow>
  Rows rows_of(const HeadsView<const float>& heads, std::size_t size, std::size_t kv_head,
               SlotRow slot_row, float* gathered) const noexcept {
    const float* first = heads.head(sample_, kv_head) + covered_.begin * heads.row_stride;
    if (mask_.num_extra_slots == 0) {
      return {.data = first, .stride = heads.row_stride};
    }
    float* row = gathered;
    for (std::size_t i = 0; i < covered_.size(); ++i, row += size) {
      std::copy_n(first + i * heads.row_stride, size, row);
    }
    for (std::size_t i = 0; i < mask_.num_extra_slots; ++i, row += size) {
      const float* slot = slot_row(arguments_.extra_slots[i]);
      if (slot != nullptr) {
        std::copy_n(slot + kv_head * size, size, row);
      } else {
        std::fill_n(row, size, 0.0F);
      }
    }
    return {.data = gathered, .stride = size};
  }

  /// The columns that the queries [first, first + rows) need: of a triangle or a window a part. All
  /// of them where rows may weigh keys that the masks hide from them, or extra slots.
  [[nodiscard]] KeyRange columns_of(std::size_t first, std::size_t rows) const noexcept {
    const KeyRange all{.begin = 0, .end = columns_};
    if (!mask_.ranges_differ() || mask_.num_extra_slots > 0 ||
        mask_.empty_rows == EmptyRows::uniform || arguments_.attention_weights != nullptr) {
      return all;
    }
    KeyRange needed{.begin = columns_, .end = 0};
    for (std::size_t query = first; query < first + rows; ++query) {
      const KeyRange keys = mask_.range(sample_, query);
      if (keys.size() > 0) {
        needed.begin = std::min(needed.begin, keys.begin - covered_.begin);
        needed.end = std::max(needed.end, keys.end - covered_.begin);
      }
    }
    return needed.begin < needed.end ? needed : KeyRange{};
  }

  void pool_block(std::size_t head, std::size_t first, std::size_t rows) const noexcept {
    const HeadsView<const float>& queries = arguments_.queries;
    const KeyRange columns = columns_of(first, rows);
    if (columns.size() > 0) {
      scores_.score(queries.head(sample_, head) + first * queries.row_stride, queries.row_stride,
                    rows, columns, weights_);
    }
    std::array<float, scoring_block_rows> factors;
    for (std::size_t i = 0; i < rows; ++i) {
      factors[i] = weigh(head, first + i, columns, weights_ + i * columns_);
    }
    const HeadsView<float>& pooled = arguments_.pooled;
    float* result = pooled.head(sample_, head) + first * pooled.row_stride;
    sum_values(rows, columns, result);
    const std::size_t size = arguments_.value_size;
    if (!kernels::all_finite(result, pooled.row_stride, rows, size)) {
      for (std::size_t i = 0; i < rows; ++i) {
        kernels::scale(weights_ + i * columns_ + columns.begin, columns.size(), factors[i]);
        factors[i] = 1.0F;
        sum_seen_values(head, first + i, columns, weights_ + i * columns_,
                        result + i * pooled.row_stride);
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

  /// result (rows, value size) = weights · values, whatever the values are.
  void sum_values(std::size_t rows, KeyRange columns, float* result) const noexcept {
    const std::size_t size = arguments_.value_size;
    const std::size_t stride = arguments_.pooled.row_stride;
    const float* weights = weights_ + columns.begin;
    if (is_direct_) {
      for (std::size_t i = 0; i < rows; ++i) {
        kernels::sum_rows(weights + i * columns_, values_.data + columns.begin * values_.stride,
                          values_.stride, columns.size(), size, result + i * stride);
      }
      return;
    }
    kernels::matrix_multiply(rows, size, columns.size(), {.data = weights, .row_stride = columns_},
                             {.panels = packed_values_ + columns.begin * kernels::panel_width(),
                              .panel_stride = columns_ * kernels::panel_width()},
                             1.0F, {}, result, stride);
  }

  /// Scores of one query become its weights, stage by stage: softcap, masks, softmax, dropout. What
  /// is returned is the factor that the weights still lack; with it they sum to 1. Where nobody
  /// looks at the weights it is the pooled vector that is divided, which is shorter.
  float weigh(std::size_t head, std::size_t query, KeyRange columns, float* row) const noexcept {
    if (wants(WeightsStage::raw)) {
      hand_out(row, head, query, minus_infinity);
    }
    scores_.softcap(row + columns.begin, columns.size());
    if (wants(WeightsStage::softcap)) {
      hand_out(row, head, query, minus_infinity);
    }
    const KeyRange keys = mask_.range(sample_, query);
    const std::size_t first = keys.size() > 0 ? keys.begin - covered_.begin : columns.begin;
    const std::size_t last = first + keys.size();
    const std::size_t slots = columns.end - mask_.num_extra_slots;
    std::fill(row + columns.begin, row + first, minus_infinity);
    std::fill(row + last, row + slots, minus_infinity);
    const bool any_key = mask_.apply(sample_, head, query, keys, row + first);
    if (wants(WeightsStage::masked)) {
      hand_out(row, head, query, minus_infinity);
    }
    float factor = 1.0F;
    if (mask_.num_extra_slots > 0) {
      factor = exponentiate_seen(head, query, columns, columns, row);
    } else if (any_key) {
      factor = exponentiate_seen(head, query, columns, {.begin = first, .end = last}, row);
    } else {
      const bool uniform = mask_.empty_rows == EmptyRows::uniform;
      std::fill(row + columns.begin, row + columns.end,
                uniform ? 1.0F / static_cast<float>(columns_) : 0.0F);
    }
    if (keeps_weights_) {
      kernels::scale(row + columns.begin, columns.size(), factor);
      factor = 1.0F;
    }
    if (wants(WeightsStage::softmax)) {
      hand_out(row, head, query, 0.0F);
    }
    if (arguments_.dropout.active()) {
      drop(head, query, columns, row);
    }
    return factor;
  }

  /// The numerators of the softmax over the columns [keys.begin, keys.end), zeros in the others;
  /// returns what they are to be multiplied by. A NaN among the scores that the query sees makes
  /// the whole softmax NaN; what it does not see weighs 0 all the same.
  float exponentiate_seen(std::size_t head, std::size_t query, KeyRange columns, KeyRange keys,
                          float* row) const noexcept {
    const float sum = kernels::exponentiate(row + keys.begin, keys.size());
    std::fill(row + columns.begin, row + keys.begin, 0.0F);
    std::fill(row + keys.end, row + columns.end, 0.0F);
    if (!std::isnan(sum)) {
      return 1.0F / sum;
    }
    for (std::size_t column = keys.begin; column < keys.end; ++column) {
      row[column] = sees(head, query, column) ? sum : 0.0F;
    }
    return 1.0F;
  }

  /// Whether the masks leave the query the key, or extra slot, of this column.
  [[nodiscard]] bool sees(std::size_t head, std::size_t query, std::size_t column) const noexcept {
    const KeyRange keys = mask_.range(sample_, query);
    const std::size_t key = covered_.begin + column;
    return column >= covered_.size() ||
           (keys.begin <= key && key < keys.end && mask_.allows(sample_, head, query, key));
  }

  /// A key's dropout depends on its own index, not on which keys are covered.
  void drop(std::size_t head, std::size_t query, KeyRange columns, float* row) const noexcept {
    const std::size_t index = row_index(head, query);
    const std::size_t keys = columns.size() - mask_.num_extra_slots;
    arguments_.dropout.apply(row + columns.begin, index, covered_.begin + columns.begin, keys);
    arguments_.dropout.apply(row + covered_.size(), index, mask_.num_keys, mask_.num_extra_slots);
  }

  /// Copies a row to the caller's weights; keys that are not covered get `elsewhere`.
  void hand_out(const float* row, std::size_t head, std::size_t query,
                float elsewhere) const noexcept {
    float* weights = weights_of(head, query);
    std::fill_n(weights, mask_.num_keys, elsewhere);
    std::copy_n(row, covered_.size(), weights + covered_.begin);
    std::copy_n(row + covered_.size(), mask_.num_extra_slots, weights + mask_.num_keys);
  }

  /// A weight of 0 does not silence a NaN or an infinity, so where there are any this sums the
  /// values that the query sees and no others.
  void sum_seen_values(std::size_t head, std::size_t query, KeyRange columns, const float* row,
                       float* result) const noexcept {
    const bool reads_all =
        mask_.empty_rows == EmptyRows::uniform && mask_.row_is_empty(sample_, head, query);
    std::fill_n(result, arguments_.value_size, 0.0F);
    for (std::size_t column = columns.begin; column < columns.end; ++column) {
      if (reads_all || sees(head, query, column)) {
        const float* value = values_.data + column * values_.stride;
        for (std::size_t i = 0; i < arguments_.value_size; ++i) {
          result[i] += row[column] * value[i];
        }
      }
    }
  }

  [[nodiscard]] std::size_t row_index(std::size_t head, std::size_t query) const noexcept {
    return (sample_ * arguments_.num_heads + head) * mask_.num_queries + query;
  }

  [[nodiscard]] float* weights_of(std::size_t head, std::size_t query) const noexcept {
    return arguments_.attention_weights +
           row_index(head, query) * (mask_.num_keys + mask_.num_extra_slots);
  }

  const PoolingArguments& arguments_;
  const AttentionMask& mask_;
  std::size_t sample_;
  KeyRange covered_;
  std::size_t columns_;
  bool is_direct_;
  /// Whether the weights are needed as they are, not only their sum with the values.
  bool keeps_weights_;
  float* gathered_keys_;
  float* gathered_values_;
  float* packed_values_;
  float* weights_;
  HeadScores scores_;
  Rows values_;
};

void pool_heads(const PoolingArguments& arguments, const Scoring& scoring,
                float* workspace) noexcept {
  const std::size_t group = arguments.num_heads / std::max<std::size_t>(arguments.num_kv_heads, 1);
  for (std::size_t sample = 0; sample < arguments.mask->batch; ++sample) {
    for (std::size_t kv_head = 0; kv_head < arguments.num_kv_heads; ++kv_head) {
      const HeadPooling pooling(arguments, scoring, sample, kv_head, workspace);
      for (std::size_t i = 0; i < group; ++i) {
        pooling.pool(kv_head * group + i);
      }
    }
  }
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
  const double weights = scoring_block_rows * num_keys;
  const double dot_product = key_size * (num_keys + padding);
  const double additive = (query_size + key_size) * (attention_hiddens + padding) +
                          attention_hiddens * (2 * num_keys + padding + scoring_block_rows);
  return gathered + packed_values + weights + (attention_hiddens > 0 ? additive : dot_product);
}

void pool(const PoolingArguments& arguments, const DotProductScoring& scoring,
          float* workspace) noexcept {
  pool_heads(arguments, {.dot_product = scoring}, workspace);
}

void pool(const PoolingArguments& arguments, const AdditiveScoring& scoring,
          float* workspace) noexcept {
  float* packed_query_weights = workspace;
  float* packed_key_weights =
      packed_query_weights + kernels::packed_size(arguments.query_size, scoring.hiddens);
  float* rest = packed_key_weights + kernels::packed_size(arguments.key_size, scoring.hiddens);
  kernels::pack_columns(scoring.W_q, arguments.query_size, arguments.query_size, scoring.hiddens,
                        packed_query_weights);
  kernels::pack_columns(scoring.W_k, arguments.key_size, arguments.key_size, scoring.hiddens,
                        packed_key_weights);
  pool_heads(arguments,
             {.additive = {.W_q = packed_query_weights,
                           .W_k = packed_key_weights,
                           .w_v = scoring.w_v,
                           .hiddens = scoring.hiddens}},
             rest);
}

}  // namespace headwise
