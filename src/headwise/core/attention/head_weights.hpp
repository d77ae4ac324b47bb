#pragma once

#include <cstddef>
#include <headwise/core/attention/pooling.hpp>
#include <headwise/core/attention/rows.hpp>
#include <headwise/core/attention/scoring.hpp>
#include <headwise/core/kernels/dispatch.hpp>

/// From queries and keys to attention weights, for the heads of one sample that share a key-value
/// head: what pooling and its gradient share. Internal to them.
namespace headwise {

/// Columns of scores and weights stand for the keys of `covered`, then for the extra slots.
class HeadWeights {
 public:
  /// Takes the keys and values of the head, which stay where they are, for `block_rows` queries at
  /// a time. `may_be_direct` allows not to pack the keys where they are scored too few times.
  HeadWeights(const PoolingArguments& arguments, const Scoring& scoring, std::size_t sample,
              std::size_t kv_head, bool may_be_direct, std::size_t block_rows,
              float* workspace) noexcept;

  /// Floats between two rows of so many columns. Not a power of two: rows would then compete for
  /// the same places of the cache.
  [[nodiscard]] static std::size_t row_stride(std::size_t columns) noexcept {
    return kernels::round_up_to_panel(columns) + kernels::panel_width();
  }

  /// Workspace behind what this takes.
  [[nodiscard]] float* workspace_end() const noexcept { return scores_.workspace_end(); }

  [[nodiscard]] KeyRange covered() const noexcept { return covered_; }
  /// Whether keys and values are better read in place.
  [[nodiscard]] bool is_direct() const noexcept { return is_direct_; }
  [[nodiscard]] std::size_t columns() const noexcept { return columns_; }
  [[nodiscard]] std::size_t row_stride() const noexcept { return row_stride(columns_); }
  /// A row a column.
  [[nodiscard]] Rows keys() const noexcept { return keys_; }
  [[nodiscard]] Rows values() const noexcept { return values_; }
  [[nodiscard]] const HeadScores& scores() const noexcept { return scores_; }

  /// The columns that the queries [first, first + rows) need: of a triangle or a window a part. All
  /// of them where rows may weigh keys that the masks hide from them, or extra slots.
  [[nodiscard]] KeyRange columns_of(std::size_t first, std::size_t rows) const noexcept;

  /// Scores of the queries [first, first + rows) of the head at the columns in `columns`.
  void score(std::size_t head, std::size_t first, std::size_t rows, KeyRange columns,
             float* scores) const noexcept;

  /// Scores of one query become the numerators of its weights: softcap, masks, exponentials. What
  /// is returned is the factor that the weights still lack; with it they sum to 1. `capped` gets
  /// the scores as the softcap leaves them, unless it is null.
  float weigh(std::size_t head, std::size_t query, KeyRange columns, float* row,
              float* capped = nullptr) const noexcept;

  /// Hands a row out if the caller asked for this stage. Keys that are not covered get `elsewhere`.
  void hand_out(WeightsStage stage, const float* row, std::size_t head, std::size_t query,
                float elsewhere) const noexcept;

  /// Dropout of a query's weights. A key's depends on its own index, not on which keys are covered.
  void drop(std::size_t head, std::size_t query, KeyRange columns, float* row) const noexcept;

  /// Whether the masks leave the query the key, or extra slot, of this column.
  [[nodiscard]] bool sees(std::size_t head, std::size_t query, std::size_t column) const noexcept;

 private:
  /// The stages before the masks are wanted of every key; else what no query reads is left alone.
  [[nodiscard]] KeyRange covered_keys() const noexcept;
  [[nodiscard]] std::size_t gathered_rows() const noexcept;
  template <typename SlotRow>
  [[nodiscard]] Rows rows_of(const HeadsView<const float>& heads, std::size_t size,
                             std::size_t kv_head, SlotRow slot_row, float* gathered) const noexcept;
  float exponentiate_seen(std::size_t head, std::size_t query, KeyRange columns, KeyRange keys,
                          float* row) const noexcept;
  [[nodiscard]] bool wants(WeightsStage stage) const noexcept;
  [[nodiscard]] std::size_t row_index(std::size_t head, std::size_t query) const noexcept;

  const PoolingArguments& arguments_;
  const AttentionMask& mask_;
  std::size_t sample_;
  KeyRange covered_;
  std::size_t columns_;
  bool is_direct_;
  float* gathered_keys_;
  float* gathered_values_;
  HeadScores scores_;
  Rows keys_;
  Rows values_;
};

}  // namespace headwise
